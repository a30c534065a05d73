"""Measures how much of what `aot_eager` compiles the device executes right, by operator family and dtype.

    python test/python/opinfo_table.py --state build/opinfo.jsonl --samples 8      measures; run again to go on
    python test/python/opinfo_table.py --state build/opinfo.jsonl --write docs/opinfo.md

A line of the state is one operator and dtype. Samples are spread over those that OpInfo has; those that eager refuses,
that change their arguments, or that aot_eager cannot compile with fullgraph=True do not count. Nor do those whose
result has a shape that depends on the numbers. Of random numbers only shape and dtype are compared. The work is done by
a child process: a case that kills it counts as failed. `--dtypes complex64,complex128` measures others.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

import opinfo_page
from opinfo_page import SHAPELESS

DTYPES = ("float32", "bfloat16", "int64", "bool", "float64")


def spread(count, bound):
    """`bound` of range(count), with the ends."""
    if count <= bound:
        return list(range(count))
    return sorted({i * (count - 1) // (bound - 1) for i in range(bound)}) if bound > 1 else [count // 2]


def cases(dtypes):
    """(OpInfo, name, family, dtype's name)"""
    import torch
    import torch.testing._internal.common_methods_invocations as cmi
    from opinfo_families import family_of, full_name
    from opinfo_selection import selection

    for op in selection(cmi.op_db, drawn=True, refused=True):
        for text in dtypes:
            if getattr(torch, text) in op.dtypes:
                yield op, full_name(op), family_of(op), text


# Where several elements are equal, eager's index is any of them.
_TIES = {"kthvalue", "median", "nanmedian", "masked.median", "mode", "topk", "sort", "argsort"}
# Draw by themselves, if they are not given what was drawn.
_DRAW = {"nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"}


def _draws(name, args, kwargs):
    if name == "nn.functional.scaled_dot_product_attention":
        return bool(kwargs.get("dropout_p"))
    if name == "nn.functional.multi_head_attention_forward":  # dropout_p is the tenth
        return kwargs.get("training") and any(isinstance(arg, float) and arg > 0 for arg in args)
    return name in _DRAW and "_random_samples" not in kwargs


def _comparable(out, name, family, input, args, kwargs):
    """What of a result is to be compared."""
    import torch

    if family == "random" or _draws(name, args, kwargs):  # that it was computed
        return torch.utils._pytree.tree_map(lambda t: t.isnan(), out)
    if name in ("sort", "argsort") and not kwargs.get("stable") and input.ndim:
        dim = kwargs.get("dim", args[0] if args and not isinstance(args[0], bool) else -1)
        return (out[0], input.gather(dim, out[1])) if name == "sort" else input.gather(dim, out)
    if name in _TIES and isinstance(out, tuple):
        return out[0]
    return out


def measure(op, name, family, text, bound):
    """{status: samples}, [what failed and why]"""
    import neuron_testing as nt
    import torch

    torch.manual_seed(0)
    with torch.no_grad():
        samples = list(op.sample_inputs("cpu", getattr(torch, text), requires_grad=False))
    function, tally, bad = op.get_op(), collections.Counter(), []
    for index in spread(len(samples), bound):
        sample = samples[index]

        def fn(input, args, kwargs):
            return _comparable(function(input, *args, **kwargs), name, family, input, args, kwargs)

        arguments = (sample.input, sample.args, sample.kwargs)
        with torch.no_grad():
            outcome = nt.compare_with_eager(fn, arguments)
            status = outcome.status
            if status in (nt.UNSUPPORTED, nt.FAILED, nt.WRONG) and not _compiles(fn, arguments):
                status = nt.UNTRACEABLE
            elif status == nt.UNSUPPORTED and set(outcome.detail.split(", ")) & _shapeless(outcome.detail):
                status = SHAPELESS
        tally[status] += 1
        if status in (nt.UNSUPPORTED, nt.FAILED, nt.WRONG):
            bad.append(f"{index}: {status}: {outcome.detail}"[:400])
    return tally, bad


def _shapeless(detail):
    return {item for item in detail.split(", ") if item.startswith("data-dependent: ")}


def _compiles(fn, arguments):
    import torch

    torch._dynamo.reset()
    try:
        torch.compile(fn, backend="aot_eager", fullgraph=True, dynamic=False)(*arguments)
    except Exception:
        return False
    return True


def done_in(state):
    """(name, dtype) -> its line; a case that was begun and not ended killed the process."""
    lines = {}
    if state.exists():
        for line in state.read_text().splitlines():
            row = json.loads(line)
            lines[row["name"], row["dtype"]] = row
    return lines


def work(state, bound, pattern, dtypes):
    import tempfile

    import torch.testing._internal.common_methods_invocations as cmi

    cmi.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TORCH_NEURONX_DEBUG_DIR"] = scratch
        os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = scratch + "/cache"
        done = done_in(state)
        with state.open("a") as out:

            def write(**row):
                out.write(json.dumps(row) + "\n")
                out.flush()

            for op, name, family, text in cases(dtypes):
                if (name, text) in done or not (pattern in name or pattern == family):
                    continue
                row = {"name": name, "family": family, "dtype": text}
                write(**row, tally={"failed": 1}, bad=["the process died, or was stopped"])
                tally, bad = measure(op, name, family, text, bound)
                write(**row, tally=tally, bad=bad)


HEAD = """# How much of OpInfo runs

Samples of PyTorch's own OpInfo that `aot_eager` compiles with `fullgraph=True`, and how many of them the device
executes with eager's result, by class of kernel. Made by `test/python/opinfo_table.py`, of row kernels 200 samples an
operator and dtype at most (40 of what begins with masked, special and linalg, {samples} of float64), of others {samples}; so far for {operators}
operators:

    python test/python/opinfo_table.py --state build/opinfo.jsonl --only "row kernels" --samples 200
    python test/python/opinfo_table.py --state build/opinfo.jsonl --samples {samples}
    python test/python/opinfo_table.py --state build/opinfo.jsonl --samples {samples} --write docs/opinfo.md

Gradients are in [opinfo_backward.md](opinfo_backward.md), complex numbers in [opinfo_complex.md](opinfo_complex.md), other dtypes in
[opinfo_other_dtypes.md](opinfo_other_dtypes.md).

"""
HEAD_OF_DTYPES = """# How much of OpInfo runs: {dtypes}

As [opinfo.md](opinfo.md), at most {samples} samples an operator and dtype; so far for {operators} operators. Made by:

    python test/python/opinfo_table.py --state build/{state} --samples {samples} --dtypes {dtypes}
    python test/python/opinfo_table.py --state build/{state} --samples {samples} --dtypes {dtypes} --write docs/{page}

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", type=pathlib.Path, required=True)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--only", default="", help="part of an operator's name, or a family")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    dtypes = tuple(arguments.dtypes.split(","))
    if arguments.worker:
        return work(arguments.state, arguments.samples, arguments.only, dtypes)
    if not arguments.write:
        command = [sys.executable, *sys.argv, "--worker"]
        while subprocess.run(command, check=False).returncode not in (0, -2):
            pass  # what killed it is in the state, and not tried again
    rows = list(done_in(arguments.state).values())
    text = opinfo_page.forward(rows, dtypes)
    print(text)
    if arguments.write:
        operators = len({row["name"] for row in rows if row["dtype"] in dtypes})
        head = HEAD if dtypes == DTYPES else HEAD_OF_DTYPES
        values = {"samples": arguments.samples, "operators": operators, "dtypes": ",".join(dtypes)}
        values |= {"state": arguments.state.name, "page": arguments.write.name}
        arguments.write.write_text(head.format(**values) + text)


if __name__ == "__main__":
    main()
