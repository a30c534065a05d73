"""From what the importer refuses to one error: where, what, what to do, and a reproducer."""

import functools
import hashlib
import linecache
import os
import re
import sys
from pathlib import Path

from . import repro
from .exceptions import NEFFCompilationError

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')


def user_frame(node):
    """(file, line, function) of the innermost frame outside torch that made an FX node, or None."""
    return _innermost(getattr(node, "stack_trace", None) or "")


@functools.lru_cache(maxsize=4096)  # many nodes come from one line
def _innermost(trace):
    frames = [(m["file"], int(m["line"]), m["function"]) for m in _FRAME.finditer(trace)]
    torch_dir = os.path.dirname(sys.modules["torch"].__file__)
    mine = [frame for frame in frames if not frame[0].startswith(torch_dir)]
    return (mine or frames or [None])[-1]


def source_excerpt(frame, indent):
    """Where in the user's program, with the line and a caret."""
    if frame is None:
        return f"{indent}(no source location is known)\n"
    file, line, function = frame
    text = f'{indent}File "{file}", line {line}, in {function}\n'
    linecache.checkcache(file)
    code = linecache.getline(file, line).rstrip()
    if code.strip():
        stripped = code.strip()
        text += f"{indent}    {stripped}\n{indent}    {'^' * len(stripped)}\n"
    return text


def _describe(value):
    """float32[4, 512] of a meta value."""
    import torch

    if isinstance(value, torch.Tensor):
        shape = ", ".join(str(size) for size in value.shape)
        return f"{str(value.dtype).removeprefix('torch.')}[{shape}]"
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(_describe(item) for item in value) + ")"
    return type(value).__name__


def describe_node(node):
    """aten.mul.Tensor(float32[4, 512], 2.0) -> float32[4, 512]"""
    import torch

    def argument(value):
        if isinstance(value, torch.fx.Node) and value.op == "get_attr" and "val" not in value.meta:
            return value.target  # a graph
        if isinstance(value, torch.fx.Node):
            return _describe(value.meta.get("val"))
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(argument(item) for item in value) + "]"
        return repr(value)

    if node.op == "placeholder":
        return f"input {node.name}: {_describe(node.meta.get('val'))}"
    arguments = [argument(value) for value in node.args]
    arguments += [f"{key}={argument(value)}" for key, value in node.kwargs.items()]
    target = node.target if isinstance(node.target, str) else str(node.target)
    return f"{target}({', '.join(arguments)}) -> {_describe(node.meta.get('val'))}"


def compilation_error(gm, unsupported, options, cause=None):
    """An NEFFCompilationError that lists all of `unsupported`: (node, reason, hint)."""
    count = len(unsupported)
    what = "1 operation" if count == 1 else f"{count} operations"
    text = f"{what} of this graph cannot be compiled for the device:\n"
    for number, (node, reason, hint) in enumerate(unsupported, 1):
        text += f"\n  {number}. {describe_node(node)}\n     {reason}\n"
        text += source_excerpt(user_frame(node), "     ")
        if hint:
            text += f"     hint: {hint}\n"
    text += "\n" + write_reproducer(gm, options)
    error = NEFFCompilationError(text)
    error.unsupported = [(str(node.target), reason) for node, reason, _ in unsupported]
    error.__cause__ = cause
    return error


def pipeline_error(gm, message, options):
    """An NEFFCompilationError for a failure after import."""
    return NEFFCompilationError(f"{message.rstrip()}\n\n" + write_reproducer(gm, options))


def write_reproducer(gm, options):
    """Writes the graph and a program that compiles it again; says where, or why that was not possible."""
    try:
        program = repro.program(gm, options)
        digest = hashlib.sha256(program.encode()).hexdigest()[:16]
        directory = Path(options.debug_dir) / "failures" / digest
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "graph.fx.txt").write_text(gm.print_readable(print_output=False))
        script = directory / "repro.py"
        script.write_text(program)
    except Exception as error:  # the compilation error is what matters; it must not be lost
        return f"No reproducer was written: {type(error).__name__}: {error}"
    return f"Reproducer: {directory}\n  {sys.executable} {script}"
