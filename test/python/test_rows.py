"""Every row of the ATen table: imports with PyTorch's types, and computes what eager does."""

import pytest
import torch
from overloads import arguments, graph_of, overload
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend.compile import compile_static

ROWS = [target for target, _ in _C.aten_rows()]
UNDEFINED = ("empty",)  # contents are not defined
RANDOM = ("rand", "normal", "uniform", "exponential", "bernoulli")  # test_sequences.py looks at their numbers


def test_rows_are_registered_overloads_and_stand_once():
    assert len(ROWS) == len(set(ROWS)) >= 220
    for name in ROWS:
        overload(name)


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    op = overload(name)
    args, kwargs = arguments(name)
    gm, inputs = graph_of(op, args, kwargs)
    module = _C.import_fx(gm)
    assert module.unsupported == []
    expected = op(*args, **kwargs)
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    actual = compile_static(gm, "inference", _C.Options())(list(inputs))
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected, strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        if not any(word in name for word in UNDEFINED + RANDOM):
            torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6, equal_nan=True)
