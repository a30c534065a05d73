"""Counts how many float32 gradients of OpInfo's samples torch.compile(backend="neuron") computes right, of those that
aot_eager does.

    python test/python/opinfo_backward.py [--samples 2] [PATTERN]       prints what is not right, and the count
    python test/python/opinfo_backward.py --state build/backward.jsonl  keeps what is done; run again to go on
    python test/python/opinfo_backward.py --state build/backward.jsonl --write docs/opinfo_backward.md

Both compile the operation with its backward pass as one graph each (fullgraph=True). Samples are spread over those that
OpInfo has. Operations that draw random numbers do not count. With a state the work is done by a child process: an
operator that kills it counts as wrong.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import opinfo_page

os.environ.setdefault("TORCH_COMPILE_DISABLE_CACHE", "1")

RANDOM = (
    "rand bernoulli dropout normal empty multinomial exponential geometric cauchy uniform poisson feature_alpha rrelu "
    "fractional lowrank"
).split()


def gradients(function, sample):
    """Those of the sample's tensors, for random gradients of the results."""
    import torch
    from torch.utils import _pytree as pytree

    def wanted(tree):
        return [t for t in pytree.tree_leaves(tree) if isinstance(t, torch.Tensor) and t.requires_grad]

    inputs = wanted((sample.input, sample.args, sample.kwargs))
    outputs = wanted(function(sample.input, *sample.args, **sample.kwargs))
    generator = torch.Generator().manual_seed(1)
    given = [torch.randn(t.shape, dtype=t.dtype, generator=generator) for t in outputs]
    return torch.autograd.grad(outputs, inputs, given, allow_unused=True) if outputs and inputs else None


def compiled(function, backend):
    import torch

    torch._dynamo.reset()

    # As a function of Python: Dynamo refuses builtins.
    return torch.compile(
        lambda *args, **kwargs: function(*args, **kwargs), backend=backend, fullgraph=True, dynamic=False
    )


def outcome(function, sample):
    """None if the sample does not count, "" if the gradients are right, else why not."""
    import torch

    try:
        expected = gradients(function, sample)
        again = gradients(compiled(function, "aot_eager"), sample)
    except Exception:
        return None
    if expected is None or any(e is not None and (e.is_complex() or e.layout != torch.strided) for e in expected):
        return None
    try:
        torch.testing.assert_close(again, expected, equal_nan=True, rtol=1e-3, atol=1e-4)
    except (AssertionError, TypeError):
        return None
    try:
        got = gradients(compiled(function, "neuron"), sample)
        for g, e in zip(got, expected, strict=True):
            if e is not None or g is not None:
                torch.testing.assert_close(g, e, equal_nan=True, rtol=1e-3, atol=1e-4)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"
    return ""


def operators(pattern):
    """(OpInfo, full name) of what has float32 gradients and draws nothing."""
    import torch
    import torch.testing._internal.common_methods_invocations as cmi
    from opinfo_families import full_name

    cmi.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    for op in cmi.op_db:
        name = full_name(op)
        if pattern not in name or any(word in name for word in RANDOM):
            continue
        if torch.float32 in op.dtypes and op.supports_autograd:
            yield op, name


def measure(op, bound):
    """(samples that count, what is not right)"""
    import torch
    from opinfo_table import spread

    torch.manual_seed(0)
    samples = list(op.sample_inputs("cpu", torch.float32, requires_grad=True))
    count, bad = 0, []
    for index in spread(len(samples), bound):
        why = outcome(op.get_op(), samples[index])
        count += why is not None
        if why:
            bad.append(f"[{index}]: {why}")
    return count, bad


def done_in(state):
    rows = map(json.loads, state.read_text().splitlines()) if state and state.exists() else ()
    return {row["name"]: row for row in rows}


def work(pattern, bound, state):
    """Measures what `state` does not have yet, and adds it there; prints it."""
    warnings.simplefilter("ignore")
    done, begun, tally = done_in(state), time.time(), collections.Counter()
    for op, name in operators(pattern):
        if name in done:
            continue

        def note(count, bad, name=name):
            if state:
                with state.open("a") as out:
                    out.write(json.dumps({"name": name, "count": count, "bad": bad}) + "\n")

        note(1, ["[0]: the process died, or was stopped"])
        count, bad = measure(op, bound)
        note(count, bad)
        tally.update({"right": count - len(bad), "wrong or refused": len(bad)})
        for why in bad:
            print(f"{name}{why}", flush=True)
    print(dict(tally), f"{time.time() - begun:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2, help="of an operation, at most")
    parser.add_argument("--state", type=pathlib.Path, help="where to keep what is done")
    parser.add_argument("--write", type=pathlib.Path, help="the page to write")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("pattern", nargs="?", default="", help="what the operation's name has in it")
    arguments = parser.parse_args()
    if arguments.write:
        rows = done_in(arguments.state).values()
        arguments.write.write_text(opinfo_page.backward(rows, arguments.samples))
    elif arguments.state and not arguments.worker:
        command = [sys.executable, *sys.argv, "--worker"]
        while subprocess.run(command, check=False).returncode not in (0, -2):
            pass  # what killed it is in the state, and not tried again
    else:
        with tempfile.TemporaryDirectory() as scratch:
            os.environ["TORCH_NEURONX_DEBUG_DIR"] = scratch
            os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = scratch + "/cache"
            work(arguments.pattern, arguments.samples, arguments.state)


if __name__ == "__main__":
    main()
