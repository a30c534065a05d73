"""OpInfo on the device, eager: every operator against eager CPU, and which of them the CPU did.

    pytest test/python/test_device_opinfo.py                       a sample or two an operator; a part of the dtypes
    NEURON_OPINFO=full pytest -n 2 test/python/test_device_opinfo.py           all dtypes, more samples
"""

from __future__ import annotations

import os
import zlib

import neuron_testing as nt  # before torch: sets the number of threads
import pytest
import torch
import torch_neuronx
from device_expected import ARBITRARY, DIFFERS, FALLBACKS, SKIPPED
from opinfo_expected import EXPECTED
from torch.utils import _pytree as pytree

pytest.importorskip("expecttest")
import torch.testing._internal.common_methods_invocations as cmi

cmi.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)

FULL = os.environ.get("NEURON_OPINFO") == "full"
SAMPLES = 8 if FULL else 2
#: Of the operators, one in so many runs in CI, always the same ones.
SHARE = {torch.float32: 2, torch.bfloat16: 8, torch.int64: 8, torch.bool: 8}


def cases():
    for op in cmi.op_db:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        for dtype, share in SHARE.items():
            text = str(dtype).removeprefix("torch.")
            if dtype in op.dtypes and (FULL or zlib.crc32(name.encode()) % share == 0):
                yield pytest.param(op, dtype, name, text, id=f"{name}-{text}")


def to_device(value):
    if isinstance(value, torch.Tensor):
        return value.to("neuron")
    return torch.device("neuron") if isinstance(value, torch.device) else value


def to_host(value):
    return value.cpu() if isinstance(value, torch.Tensor) else value


def shapes(tree):
    return [(leaf.shape, leaf.dtype) for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


@pytest.mark.parametrize(("op", "dtype", "name", "text"), list(cases()))
def test_opinfo(op, dtype, name, text):
    if name in SKIPPED:
        pytest.skip(SKIPPED[name])

    def samples():
        torch.manual_seed(0)
        return list(op.sample_inputs("cpu", dtype, requires_grad=False))

    function, count = op.get_op(), len(samples())
    torch_neuronx.clear_op_tracking()
    different = []
    for index in sorted({i * (count - 1) // max(SAMPLES - 1, 1) for i in range(min(SAMPLES, count))}):
        here, there = samples()[index], samples()[index]
        arguments = pytree.tree_map(to_device, (there.input, there.args, there.kwargs))
        if "device" in there.kwargs:
            arguments[2]["device"] = "neuron"
        try:
            torch.manual_seed(0)
            expected = function(here.input, *here.args, **here.kwargs)
        except Exception as error:
            with pytest.raises(Exception):  # noqa: B017  (as eager, whatever it is)
                function(arguments[0], *arguments[1], **arguments[2])
                torch.neuron.synchronize()
            del error
            continue
        result = pytree.tree_map(to_host, function(arguments[0], *arguments[1], **arguments[2]))
        torch.neuron.synchronize()
        if any(part in name for part in ARBITRARY):
            assert shapes(result) == shapes(expected)
            continue
        why = nt.difference(result, expected)
        fresh = samples()[index]
        if why and not nt.nearer_than_eager(function, (fresh.input, *fresh.args), fresh.kwargs, result, expected):
            different.append(f"sample {index}: {why}")
    strangers = [op for op in torch_neuronx.get_fallback_ops() if op not in FALLBACKS]
    assert not strangers, f"ran on the CPU: {strangers}"
    if cause := (DIFFERS | EXPECTED).get((name, text)):
        pytest.xfail(cause)
    assert not different, "\n".join(different)
