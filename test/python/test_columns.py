"""What lies along the rows of a kernel: reductions over outer dimensions, transposed inputs and results."""

import pytest
import torch
from direct import assert_near_float64, compiled, data

SHAPES = [(300, 257), (130, 2), (2, 300), (1, 129), (1100, 96)]
FLOATS = [torch.float32, torch.bfloat16, torch.float16]
INEXACT = {
    "sum": lambda x: x.sum(0),
    "mean": lambda x: x.mean(0),
    "var": lambda x: x.var(0, correction=0),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=0),
    "softmax": lambda x: torch.softmax(x, 0),
    "log_softmax of the transposed": lambda x: torch.log_softmax(x.t(), -1),
    "batch_norm": lambda x: torch.nn.functional.batch_norm(x, None, None, training=True),
    "bias gradient": lambda x: (x * x.sigmoid()).sum(0),
    "centered": lambda x: x - x.mean(0, keepdim=True),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", INEXACT)
def test_inexact(name, shape, dtype):
    if name == "batch_norm" and shape[0] == 1:
        pytest.skip("eager refuses a batch of one")
    assert_near_float64(INEXACT[name], data(*shape, dtype=dtype), units=4)


EXACT = {
    "transposed": lambda x: x.t().contiguous(),
    "both ways": lambda x: -x.t(),
    "amax": lambda x: x.amax(0),
    "argmin": lambda x: x.argmin(0),
    "max of a view": lambda x: x.unflatten(0, (-1, 2)).amax(0) if x.shape[0] % 2 == 0 else x.amax(0),
    "reversed": lambda x: x.flip(0).t().contiguous(),
    "with another": lambda x: x.t() + x.flip(1).t(),
}


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int32, torch.int16, torch.int64, torch.uint8, torch.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", EXACT)
def test_exact(name, shape, dtype):
    """Bits move, NaNs and signed zeros included, and are compared."""
    x = (data(*shape) * 50).to(dtype)
    if dtype.is_floating_point:
        x[0, 0], x[-1, -1], x[0, -1] = float("nan"), -0.0, float("inf")
    if dtype == torch.int32:
        x[0, 0], x[0, 1] = 2**31 - 1, 16777217  # not a float32
    fn = EXACT[name]
    (got,) = compiled(fn, x)([x])
    expected = fn(x)
    assert got.stride() == expected.stride()
    torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("shape, permutation", [((3, 40, 70), (0, 2, 1)), ((5, 7, 9, 130), (0, 2, 3, 1)),
                                                ((4, 130, 6, 8), (0, 2, 3, 1)), ((33, 5, 65), (2, 1, 0))])
@pytest.mark.parametrize("simulator", ["interpreter", "compiled"])
def test_permuted(shape, permutation, simulator):
    x = data(*shape)
    (got,) = compiled(lambda x: x.permute(permutation).contiguous() * 2, x, simulator=simulator)([x])
    assert torch.equal(got, x.permute(permutation).contiguous() * 2)


def test_columns_are_not_read_element_by_element():
    """8 million elements, each with a descriptor of its own, would take 6 milliseconds."""
    x = data(4096, 2048)
    code = compiled(lambda x: x.sum(0), x)
    code([x])
    assert code.predicted_time_ps < 700e6
