"""Which of 0.0 and -0.0 comes out: as in eager, wherever eager does not depend on the length of the tensor.

Eager's maximum, minimum, amax, amin and clamp with tensors for bounds take one zero in its vectors and the
other in their tails, so they define neither.
"""

import pytest
import torch
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend.compile import compile_static
from torch_neuronx.neuron_dynamo_backend.decompositions import get_decomposition_table

F = torch.nn.functional
UNARY = {
    "clamp(-1, 0)": lambda x: x.clamp(-1, 0),
    "clamp(-1, -0.0)": lambda x: x.clamp(-1, -0.0),
    "clamp(0, 1)": lambda x: x.clamp(0, 1),
    "clamp(-0.0, 1)": lambda x: x.clamp(-0.0, 1),
    "clamp(0, 0)": lambda x: x.clamp(0, 0),
    "clamp(nan, 0)": lambda x: x.clamp(float("nan"), 0),
    "clamp_min(0)": lambda x: x.clamp_min(0),
    "clamp_min(-0.0)": lambda x: x.clamp_min(-0.0),
    "clamp_max(0)": lambda x: x.clamp_max(0),
    "clamp_max(-0.0)": lambda x: x.clamp_max(-0.0),
    "relu": torch.relu,
    "relu6": lambda x: F.relu6(x),
    "hardtanh(0, 1)": lambda x: F.hardtanh(x, 0.0, 1.0),
    "hardtanh(-1, -0.0)": lambda x: F.hardtanh(x, -1.0, -0.0),
}
BINARY = {
    "fmax": torch.fmax,
    "fmin": torch.fmin,
}
VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, float("nan"), float("inf"), -float("inf")]


def run(fn, *args):
    graph = torch.fx.experimental.proxy_tensor.make_fx(
        fn, decomposition_table=get_decomposition_table(), tracing_mode="fake"
    )(*args)
    (got,) = compile_static(graph, "inference", _C.Options({"rounding": "eager"}))(list(args))
    return got


def check(fn, *args):
    got, want = run(fn, *args), fn(*args)
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)
    number = ~want.isnan()
    assert torch.equal(got.signbit()[number], want.signbit()[number]), (got, want)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    check(UNARY[name], torch.tensor(VALUES * 9, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    x = torch.tensor(VALUES, dtype=dtype)
    grid = torch.meshgrid(x, x, indexing="ij")
    check(BINARY[name], *(side.reshape(-1).contiguous() for side in grid))


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", BINARY)
def test_constant_on_either_side(name, dtype, zero):
    """A constant stays on its side, whatever is nicer to compile."""
    x, fn = torch.tensor(VALUES * 9, dtype=dtype), BINARY[name]
    constant = torch.full_like(x, zero)
    check(lambda x: fn(torch.full_like(x, zero), x), x)
    check(lambda x: fn(x, torch.full_like(x, zero)), x)
    assert not torch.equal(fn(constant, x).signbit(), fn(x, constant).signbit())  # else nothing is tested


@pytest.mark.parametrize("fn", [torch.maximum, torch.minimum, torch.clamp_min, torch.clamp_max])
def test_one_of_the_zeros(fn):
    """Where eager defines no sign, the result is still one of the operands."""
    x, y = torch.tensor([0.0, -0.0, 0.0, -0.0]), torch.tensor([-0.0, 0.0, 0.0, -0.0])
    got = run(fn, x, y)
    assert torch.equal(got.signbit()[2:], x.signbit()[2:]) and (got == 0).all()


def test_scale_of_an_activation():
    """The activation that does the product as well adds no 0.0 to it."""
    x = torch.tensor([0.0, -0.0])
    assert torch.equal(run(lambda x: torch.tanh(x * 2), x).signbit(), x.signbit())
