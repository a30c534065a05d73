"""Convolutions against float64: no more than twice eager's error, or a few ulps of the sum of magnitudes."""

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F


def values(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(len(shape) + shape[-1])
    return torch.randn(shape, generator=generator).to(dtype)


def check(function, *args):
    """The result's error against float64, beside eager's and the size of what is added up."""
    with torch.no_grad():
        expected = function(*args)
        wide = function(*(a.double() for a in args))
        scale = function(*(a.double().abs() for a in args)).abs()
        before = nt.executions()
        torch._dynamo.reset()
        got = torch.compile(function, backend="neuron", fullgraph=True, dynamic=False)(*args)
    assert nt.executions() == before + 1
    assert got.dtype == expected.dtype and got.shape == expected.shape and got.stride() == expected.stride()
    ulp = torch.finfo(got.dtype).eps
    # Rounding the result once, and an fp32 sum of any order.
    bound = 2 * (expected.double() - wide).abs() + ulp * wide.abs() + 8 * torch.finfo(torch.float32).eps * scale
    assert bool(((got.double() - wide).abs() <= bound).all()), ((got.double() - wide).abs() / bound).max()


CASES = {
    "plain": ((2, 4, 9, 8), (5, 4, 3, 3), {}),
    "padded": ((2, 4, 9, 8), (5, 4, 3, 3), dict(padding=1)),
    "strided": ((2, 4, 9, 8), (5, 4, 3, 2), dict(stride=(2, 3), padding=(1, 0))),
    "dilated": ((1, 4, 11, 12), (5, 4, 3, 3), dict(dilation=(2, 3), padding=2)),
    "same": ((2, 4, 9, 8), (5, 4, 2, 3), dict(padding="same")),
    "of one place": ((2, 16, 7, 5), (8, 16, 1, 1), {}),
    "of one place, strided": ((2, 16, 7, 5), (8, 16, 1, 1), dict(stride=2)),
    "grouped": ((2, 6, 9, 8), (4, 3, 3, 3), dict(groups=2, padding=1)),
    "grouped, one image": ((1, 6, 9, 8), (4, 3, 3, 3), dict(groups=2)),
    "depthwise": ((2, 6, 9, 8), (6, 1, 3, 3), dict(groups=6, padding=1)),
    "depthwise, strided": ((2, 6, 9, 8), (6, 1, 3, 3), dict(groups=6, stride=2, dilation=2, padding=2)),
    "depthwise with a multiplier": ((2, 3, 9, 8), (6, 1, 3, 3), dict(groups=3)),
    "larger than the image": ((2, 3, 4, 4), (5, 3, 4, 4), {}),
    "of one channel": ((2, 1, 9, 8), (5, 1, 3, 3), {}),
    "many": ((3, 33, 15, 14), (70, 33, 3, 3), dict(padding=1)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_conv2d(name, dtype):
    x, w, extra = CASES[name]
    check(lambda x, w, b: F.conv2d(x, w, b, **extra), values(*x, dtype=dtype), values(*w, dtype=dtype), values(w[0], dtype=dtype))


@pytest.mark.parametrize(
    "x, w, extra",
    [
        ((2, 4, 11), (5, 4, 3), dict(padding=1, stride=2)),
        ((4, 11), (5, 4, 3), dict(dilation=2)),
        ((2, 6, 11), (6, 1, 4), dict(groups=6)),
    ],
)
def test_conv1d(x, w, extra):
    check(lambda x, w: F.conv1d(x, w, **extra), values(*x), values(*w))


@pytest.mark.parametrize(
    "x, w, extra",
    [
        ((1, 3, 5, 6, 7), (4, 3, 3, 2, 3), dict(padding=1)),
        ((2, 3, 5, 6, 7), (4, 3, 3, 2, 3), dict(stride=(1, 2, 2))),
        ((2, 4, 5, 4, 5), (4, 2, 2, 2, 2), dict(groups=2)),
    ],
)
def test_conv3d(x, w, extra):
    check(lambda x, w, b: F.conv3d(x, w, b, **extra), values(*x), values(*w), values(w[0]))


TRANSPOSED = {
    "plain": ((2, 4, 5, 6), (4, 3, 3, 3), {}),
    "strided": ((2, 4, 5, 6), (4, 3, 3, 2), dict(stride=(2, 3), padding=1, output_padding=(1, 0))),
    "dilated": ((2, 4, 5, 6), (4, 3, 3, 3), dict(dilation=2, padding=3)),
    "grouped": ((2, 4, 5, 6), (4, 3, 3, 3), dict(groups=2, stride=2)),
    "depthwise": ((2, 4, 5, 6), (4, 1, 3, 3), dict(groups=4, stride=2, padding=1, output_padding=1)),
    "cut": ((2, 4, 5, 6), (4, 3, 2, 2), dict(padding=2)),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed(name):
    x, w, extra = TRANSPOSED[name]
    bias = values(w[1] * extra.get("groups", 1))
    check(lambda x, w, b: F.conv_transpose2d(x, w, b, **extra), values(*x), values(*w), bias)


def test_transposed_of_other_ranks():
    check(lambda x, w: F.conv_transpose1d(x, w, stride=2), values(2, 4, 5), values(4, 3, 3))
    check(lambda x, w: F.conv_transpose3d(x, w, stride=2), values(1, 2, 3, 3, 2), values(2, 3, 2, 2, 2))


def test_layouts():
    x, w = values(2, 4, 9, 8), values(5, 4, 3, 3)
    check(lambda x, w: F.conv2d(x, w, padding=1), x.to(memory_format=torch.channels_last), w)
    check(lambda x, w: F.conv2d(x, w), x.to(memory_format=torch.channels_last), w.to(memory_format=torch.channels_last))
    check(lambda x, w: F.conv2d(x, w), values(2, 8, 9, 16)[:, ::2, :, ::2], w)


def test_other_dtypes():
    check(lambda x, w: F.conv2d(x, w, padding=1), values(1, 2, 5, 6).double(), values(3, 2, 3, 3).double())
    x, w = (torch.randint(-9, 9, s, generator=torch.Generator().manual_seed(1)) for s in ((1, 2, 5, 6), (3, 2, 3, 3)))
    outcome = nt.compare_with_eager(lambda x, w: F.conv2d(x, w), (x, w), rtol=0, atol=0)
    assert outcome.status == nt.RIGHT, outcome


def test_what_surrounds_it():
    def block(x, w, b, v):
        x = F.relu(F.conv2d(x, w, b, padding=1))
        x = F.max_pool2d(x, 2)
        return F.conv2d(x, v).mean((2, 3))

    check(block, values(2, 3, 8, 8), values(6, 3, 3, 3), values(6), values(4, 6, 3, 3))


def test_one_row():
    """One output channel of one image: what follows the product has no rows, and still waits for it."""
    x, w, b = values(1, 3, 6, 5), values(1, 3, 3, 3), values(1)
    check(lambda x, w, b: F.relu(F.conv2d(x, w, b) + 1), x, w, b)
    check(lambda x, w, b: (x @ w + b).softmax(-1) * 2, values(1, 7), values(7, 9), values(9))
