"""Counts how many float32 gradients of OpInfo's samples torch.compile(backend="neuron") computes right, of those that
aot_eager does.

    python test/python/opinfo_backward.py [--samples 2] [PATTERN]      prints what is not right, and the count

Both compile the operation with its backward pass as one graph each (fullgraph=True). Samples are spread over those that
OpInfo has. Operations that draw random numbers do not count.
"""

from __future__ import annotations

import argparse
import collections
import os
import tempfile
import time
import warnings

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


def measure(pattern, bound):
    import torch
    import torch.testing._internal.common_methods_invocations as cmi
    from opinfo_table import spread

    warnings.simplefilter("ignore")
    cmi.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    tally, begun = collections.Counter(), time.time()
    for op in cmi.op_db:
        name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        if pattern not in name or any(word in name for word in RANDOM):
            continue
        if torch.float32 not in op.dtypes or not op.supports_autograd:
            continue
        torch.manual_seed(0)
        samples = list(op.sample_inputs("cpu", torch.float32, requires_grad=True))
        for index in spread(len(samples), bound):
            why = outcome(op.get_op(), samples[index])
            if why is not None:
                tally["wrong or refused" if why else "right"] += 1
            if why:
                print(f"{name}[{index}]: {why}", flush=True)
    print(dict(tally), f"{time.time() - begun:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2, help="of an operation, at most")
    parser.add_argument("pattern", nargs="?", default="", help="what the operation's name has in it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TORCH_NEURONX_DEBUG_DIR"] = scratch
        os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = scratch + "/cache"
        measure(arguments.pattern, arguments.samples)
