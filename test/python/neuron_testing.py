"""Runs a function through torch.compile and says what came of it.

The backend is 'neuron'; NEURON_TEST_BACKEND=aot_eager tries the tests
themselves on a backend that is known to be right.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import process_limits

os.environ.setdefault("TORCH_COMPILE_DISABLE_CACHE", "1")
os.environ.setdefault("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1")

import torch
from kernel_classes import kernel_class
from torch.utils import _pytree

process_limits.single_thread()

BACKEND = os.environ.get("NEURON_TEST_BACKEND", "neuron")

RIGHT = "right"  # computed on the device, and right
NEARER = "nearer than eager"  # differs from eager in a half, and eager is the worse
HOST = "nothing to compute"  # right, and every output is a view or empty
UNSUPPORTED = "unsupported"  # NEFFCompilationError, because of another class
UNTRACEABLE = "untraceable"  # aot_eager fails in the same way
EAGER = "eager raises"
WRONG = "wrong"
FAILED = "failed"  # any other error


@dataclasses.dataclass
class Outcome:
    status: str
    detail: str = ""  # why; for UNSUPPORTED: "class: overload, class: overload"

    @property
    def ok(self):
        return self.status not in (WRONG, FAILED)


def values(shape, dtype=torch.float32, seed=0, *, below):
    """The same random numbers every time: normal, or integers from 0 to `below`, or either bool."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.5
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    return torch.randint(0, below, shape, generator=generator).to(dtype)


def tensors(tree):
    return [t for t in _pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def snapshot(tree):
    def copy(leaf):
        return leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf

    return _pytree.tree_map(copy, tree)


def compilation_error(error: BaseException):
    """The NEFFCompilationError in a chain of exceptions, or None."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if type(error).__name__ == "NEFFCompilationError":
            return error
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__
    return None


def unsupported_classes(error: BaseException) -> tuple[dict[str, str], list[str]]:
    """({overload: class}, [what should have compiled]) of a NEFFCompilationError."""
    classes, faults = {}, []
    refused = getattr(error, "unsupported", None)
    if not refused:
        return classes, [str(error)]
    for target, reason in refused:
        name = kernel_class(target, reason)
        if name is None or "internal error" in reason:
            faults.append(f"{target}: {reason}")
        else:
            classes[target] = name
    return classes, faults


def executions() -> int:
    """How many NEFFs this process has executed."""
    if BACKEND != "neuron":
        return 0
    from torch_neuronx import metrics

    return metrics.get_counter_value("Executor.NeffExecutions") or 0


def computes_nothing(out, args) -> bool:
    """Whether every tensor of `out` has no elements or is memory of `args`."""
    inputs = {t.untyped_storage().data_ptr() for t in tensors(args)}
    return all(t.numel() == 0 or t.untyped_storage().data_ptr() in inputs for t in tensors(out))


def difference(got, expected, where="output", **tolerance) -> str | None:
    """None, or where the two first differ."""
    got_leaves, leaves = _pytree.tree_leaves(got), _pytree.tree_leaves(expected)
    if len(got_leaves) != len(leaves):
        return f"{where}: {len(got_leaves)} values for {len(leaves)}"
    for index, (g, e) in enumerate(zip(got_leaves, leaves)):
        at = f"{where}[{index}]"
        if not isinstance(e, torch.Tensor):
            if type(g) is not type(e) or (g != e and not (g != g and e != e)):
                return f"{at}: {g!r} for {e!r}"
            continue
        if not isinstance(g, torch.Tensor):
            return f"{at}: {type(g).__name__} for a tensor"
        try:
            torch.testing.assert_close(g, e, equal_nan=True, **tolerance)
        except AssertionError as error:
            text = " ".join(str(error).split())
            if g.numel() <= 12:
                text += f" | got {g.tolist()}, eager {e.tolist()}"
            return f"{at}: {text}"[:600]
    return None


def brief(error: BaseException, limit=600) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:limit]


# torch.testing's relative tolerances.
HALVES = {torch.bfloat16: 1.6e-2, torch.float16: 1e-3}


def nearer_than_eager(fn, args, kwargs, got, expected) -> bool:
    """Whether every element is right against float64, or nearer to it than eager's.

    Where roundings in between are left out (option rounding), halves differ
    from eager as soon as numbers cancel, to the better.
    """

    def wide(leaf):
        return leaf.double() if isinstance(leaf, torch.Tensor) and leaf.dtype in HALVES else leaf

    try:
        reference = tensors(fn(*_pytree.tree_map(wide, args), **_pytree.tree_map(wide, kwargs)))
    except Exception:
        return False
    got, expected = tensors(got), tensors(expected)
    if not len(got) == len(expected) == len(reference):
        return False
    for g, e, r in zip(got, expected, reference):
        if g.dtype != e.dtype or not g.shape == e.shape == r.shape:
            return False
        if r.dtype != torch.float64 or g.dtype not in HALVES:
            if difference(g, e):
                return False
            continue
        near = torch.isclose(g.double(), r, rtol=HALVES[g.dtype], atol=1e-5, equal_nan=True)
        if not (near | ((g.double() - r).abs() <= (e.double() - r).abs())).all():
            return False
    return True


def compare_with_eager(fn, args, kwargs=None, options=None, **tolerance) -> Outcome:
    """Compiles `fn` as one graph, runs it once, and compares with eager CPU."""
    kwargs = kwargs or {}
    before = snapshot((args, kwargs))
    try:
        expected = snapshot(fn(*args, **kwargs))
    except Exception as error:
        return Outcome(EAGER, brief(error))
    if difference(snapshot((args, kwargs)), before, rtol=0, atol=0):
        return Outcome(EAGER, "it changes its arguments")

    def compiled(backend, **extra):
        torch._dynamo.reset()
        return torch.compile(fn, backend=backend, fullgraph=True, dynamic=False, **extra)

    extra = {"options": options} if options and BACKEND == "neuron" else {}
    count = executions()
    try:
        got = compiled(BACKEND, **extra)(*args, **kwargs)
    except Exception as error:
        refused = compilation_error(error)
        if refused is not None:
            classes, faults = unsupported_classes(refused)
            if faults:
                return Outcome(FAILED, "refused: " + " | ".join(faults)[:600])
            return Outcome(UNSUPPORTED, ", ".join(f"{c}: {t}" for t, c in sorted(classes.items())))
        why = brief(error)
        try:
            compiled("aot_eager")(*args, **kwargs)
        except Exception:
            return Outcome(UNTRACEABLE, why)
        return Outcome(FAILED, why)
    why = difference(got, expected, **tolerance)
    changed = difference((args, kwargs), before, where="argument", rtol=0, atol=0)
    if why and not changed and nearer_than_eager(fn, args, kwargs, got, expected):
        return Outcome(NEARER, why)
    why = why or changed
    if why:
        return Outcome(WRONG, why)
    if BACKEND == "neuron" and executions() == count:
        if not computes_nothing(got, (args, kwargs)):
            return Outcome(FAILED, "right, but no NEFF was executed")
        return Outcome(HOST)
    return Outcome(RIGHT)
