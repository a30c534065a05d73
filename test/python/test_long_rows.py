"""Reductions of few results over very many elements: done in parts on all partitions, and as right as eager."""

import pytest
import torch
from direct import assert_near_float64, compiled, data

F = torch.nn.functional


INEXACT = {
    "sum": (torch.sum, data(1 << 18)),
    "sum of halves": (torch.sum, data(512, 512, dtype=torch.bfloat16)),
    "mean of squares": (lambda x: (x * x).mean(), data(1 << 18)),
    "var": (torch.var, data(700, 350)),
    "norm": (lambda x: torch.linalg.vector_norm(x), data(1 << 18)),
    "rows": (lambda x: x.sum(1), data(2, 90000, 3)),
    "softmax": (lambda x: torch.softmax(x, -1), data(3, 90000)),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), data(2, 65536, dtype=torch.bfloat16)),
    "layer_norm": (lambda x: F.layer_norm(x, x.shape[1:]), data(3, 90000)),
    "centered": (lambda x: x - x.mean(), data(1 << 17)),
    "sum of a prime length": (torch.sum, data(262147)),
    "mean of squares of a prime length": (lambda x: (x * x).mean(), data(262147)),
    "var of a prime length": (torch.var, data(100003)),
    "rows of a prime length": (lambda x: x.sum(1), data(2, 90001, 3, dtype=torch.float16)),
    "loss": (lambda x: F.log_softmax(x, -1).mean(), data(1024, 300)),
}


@pytest.mark.parametrize("name", INEXACT)
def test_inexact(name):
    fn, x = INEXACT[name]
    assert_near_float64(fn, x, units=4)


def test_prod():
    """Every factor's rounding counts, in either order."""
    x = data(1 << 17)

    def fn(x):
        return (1 + x / 1000).prod()

    (got,) = compiled(fn, x)([x])
    exact = fn(x.double())
    assert got.dtype == x.dtype and got.shape == exact.shape
    assert (got.double() - exact).abs() <= exact.abs() * x.numel() * torch.finfo(x.dtype).eps


BIG = data(1 << 18)
NAN = torch.where(torch.arange(1 << 18) % 100003 == 7, float("nan"), BIG)
EXACT = {
    "sum of integers": (torch.sum, (BIG * 1000).long()),
    "int32 wraps": (torch.prod, (BIG * 10).int() * 2 + 1),
    "amax": (torch.amax, BIG),
    "amin with nan": (torch.amin, NAN),
    "any": (lambda x: (x > 4).any(), BIG),
    "all": (lambda x: (x > 4).all(), BIG),
    "argmax": (torch.argmax, BIG),
    "argmin of rows": (lambda x: x.argmin(1), BIG.view(4, -1)),
    "argmax with nan": (torch.argmax, NAN),
    "argmax of ties": (torch.argmax, torch.zeros(1 << 17)),
    "argmax in the last part": (torch.argmax, torch.arange(1 << 17, dtype=torch.float32)),
    "sum of integers, prime": (torch.sum, (data(262147) * 1000).long()),
    "amax of a prime length": (torch.amax, data(262147)),
    "any of a prime length": (lambda x: (x > 4).any(), data(262147)),
    "all of the remainder": (lambda x: (x >= 0).all(), torch.where(torch.arange(262147) == 262146, -1.0, 1.0)),
    "argmax in the remainder": (torch.argmax, torch.arange(262147, dtype=torch.float32)),
    "argmin of ties, prime": (torch.argmin, torch.zeros(262147)),
    "argmax with nan, prime": (
        torch.argmax,
        torch.where(torch.arange(262147) % 131000 == 7, float("nan"), data(262147)),
    ),
    "argmin with nan in the remainder": (
        torch.argmin,
        torch.where(torch.arange(262147) == 262145, float("nan"), data(262147)),
    ),
    "argmax of a column": (lambda x: x.argmax(0), BIG.view(-1, 4)),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact(name):
    fn, x = EXACT[name]
    (got,) = compiled(fn, x)([x])
    torch.testing.assert_close(got, fn(x), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("length", [1 << 20, 1000003])
@pytest.mark.parametrize("fn", [torch.sum, lambda x: (x * 3).tanh().sum()])
def test_uses_all_partitions(fn, length):
    """A million elements on one partition would take more than a millisecond."""
    x = data(length)
    code = compiled(fn, x)
    code([x])
    assert code.predicted_time_ps < 50e6


@pytest.mark.parametrize("rounding", ["default", "eager"])
@pytest.mark.parametrize("function", [torch.sum, torch.amax, torch.prod])
def test_reduces_what_is_broadcast(function, rounding):
    """Every copy counts, also of what is converted behind the broadcast."""
    x = data(5, 7, dtype=torch.bfloat16)

    def fn(x):
        value = x.exp()
        return function(torch.stack((value, value, value)), 0) if function is not torch.amax else value.expand(
            3, 5, 7).float().amax(0)

    (got,) = compiled(fn, x, rounding=rounding)([x])
    # Half a unit for the result, and for each factor that the default does not round.
    torch.testing.assert_close(got, fn(x), rtol=4 * 2**-8, atol=0)


@pytest.mark.parametrize("rounding", ["default", "eager"])
@pytest.mark.parametrize("name", ["rms_norm", "sum of squares", "sum of exp"])
def test_sums_a_function_of_what_is_broadcast(name, rounding):
    """The Scalar engine sums what it computes, and reads as many elements as it sums."""
    function = {
        "rms_norm": lambda x: x.float() * x.float().square().mean(-1, keepdim=True).rsqrt(),
        "sum of squares": lambda x: x.float().square().sum(-1),
        "sum of exp": lambda x: x.float().exp().sum(-1),
    }[name]

    def fn(x):
        half = x.to(torch.float16)
        return function(torch.stack((half, half, half), -1))

    for x in (data(), data(5)):
        (got,) = compiled(fn, x, rounding=rounding)([x])
        torch.testing.assert_close(got, fn(x), rtol=1e-3, atol=0)


def test_rank_8():
    """There is no ninth dimension to cut a long one into."""
    x = data(1, 2, 1, 1, 1, 1, 1 << 17, 1)
    (got,) = compiled(lambda x: x.sum((6, 7)), x)([x])
    torch.testing.assert_close(got, x.sum((6, 7)), rtol=1e-4, atol=1e-3)
