"""Pooling against eager: windows, padding, indices, NaN and ties."""

import itertools

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F

NAN, INF = float("nan"), float("inf")


def values(*shape, dtype=torch.float32, ties=False):
    generator = torch.Generator().manual_seed(len(shape))
    if ties or not dtype.is_floating_point:
        return torch.randint(-4, 4, shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator).to(dtype)


def exact(function, *args):
    outcome = nt.compare_with_eager(function, args, rtol=0, atol=0)
    assert outcome.status == nt.RIGHT, outcome


WINDOWS = {
    "plain": dict(kernel_size=2),
    "overlap": dict(kernel_size=3, stride=2, padding=1),
    "uneven": dict(kernel_size=(3, 2), stride=(1, 2), padding=(1, 0)),
    "dilated": dict(kernel_size=3, stride=1, padding=1, dilation=2),
    "ceil": dict(kernel_size=3, stride=2, padding=1, ceil_mode=True),
    "large": dict(kernel_size=(9, 8), stride=(2, 1), padding=(4, 2)),
    "large dilated": dict(kernel_size=9, stride=1, padding=4, dilation=1, ceil_mode=True),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=str)
@pytest.mark.parametrize("window", WINDOWS)
def test_max_pool(window, dtype):
    x = values(2, 3, 11, 10, dtype=dtype, ties=True)
    exact(lambda x: F.max_pool2d(x, **WINDOWS[window], return_indices=True), x)


@pytest.mark.parametrize("window", ["overlap", "dilated", "ceil", "large"])
def test_max_pool_of_nan_and_infinity(window):
    """The last NaN counts; a window of -inf has its first element's index."""
    x = values(2, 3, 11, 10, ties=True)
    x[0, 0, 2:5, 3] = NAN
    x[0, 1, 0] = -INF
    x[1, 0] = -INF
    x[1, 2, 4, 4:9] = INF
    x[1, 2, 4, 6] = NAN
    exact(lambda x: F.max_pool2d(x, **WINDOWS[window], return_indices=True), x)


def test_max_pool_of_other_ranks_and_layouts():
    exact(lambda x: F.max_pool1d(x, 3, 2, 1), values(2, 3, 11))
    exact(lambda x: F.max_pool1d(x, 2), values(3, 8))
    exact(lambda x: F.max_pool2d(x, 2), values(3, 8, 6))
    exact(lambda x: F.max_pool3d(x, 3, 2, 1, return_indices=True), values(1, 2, 5, 6, 7))
    exact(lambda x: F.max_pool2d(x, 3, 2), values(2, 3, 8, 9).to(memory_format=torch.channels_last))
    exact(lambda x: F.max_pool2d(x.relu(), 3, 2, 1).relu(), values(2, 3, 8, 9))
    exact(lambda x: F.max_pool2d(x, 2), values(4, 6, 8, 9)[1::2, ::3, :, ::2])


MEANS = {
    "plain": dict(kernel_size=2),
    "padded": dict(kernel_size=3, stride=2, padding=1),
    "without padding": dict(kernel_size=3, stride=2, padding=1, count_include_pad=False),
    "ceil": dict(kernel_size=3, stride=2, padding=1, ceil_mode=True),
    "ceil without padding": dict(kernel_size=(3, 2), stride=3, padding=1, ceil_mode=True, count_include_pad=False),
    "divisor": dict(kernel_size=2, stride=1, divisor_override=3),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("window", MEANS)
def test_mean_pool(window, dtype):
    """Added in eager's order and divided: the same bits."""
    exact(lambda x: F.avg_pool2d(x, **MEANS[window]), values(2, 3, 11, 10, dtype=dtype))


def test_mean_pool_of_other_ranks_and_sizes():
    exact(lambda x: F.avg_pool1d(x, 3, 2, 1), values(2, 3, 11))
    exact(lambda x: F.avg_pool3d(x, 2, 1, 1), values(1, 2, 5, 6, 7))
    # Reduced in another order: 81 additions of numbers near 1.
    outcome = nt.compare_with_eager(lambda x: F.avg_pool2d(x, 9, 2, 4), (values(2, 3, 11, 10),), rtol=1e-5, atol=1e-6)
    assert outcome.status == nt.RIGHT, outcome


@pytest.mark.parametrize("size", [1, 3, (4, 5), (8, 12), (7, 5)], ids=str)
def test_adaptive_pools(size):
    """Rows are summed before columns: a few ulps beside eager's one sum."""
    x = values(2, 3, 8, 12)
    outcome = nt.compare_with_eager(lambda x: F.adaptive_avg_pool2d(x, size), (x,), rtol=1e-5, atol=1e-6)
    assert outcome.ok, outcome
    x = values(2, 3, 8, 12, ties=True)
    x[0, 1, 2:4, 3:8] = NAN
    exact(lambda x: F.adaptive_max_pool2d(x, size, return_indices=True), x)


def test_adaptive_pools_of_other_ranks():
    outcome = nt.compare_with_eager(lambda x: F.adaptive_avg_pool3d(x, (2, 3, 2)), (values(2, 3, 5, 6, 4),), rtol=1e-5, atol=1e-6)
    assert outcome.status == nt.RIGHT, outcome
    exact(lambda x: F.adaptive_max_pool3d(x, (2, 4, 2), return_indices=True), values(2, 3, 5, 6, 4))
    exact(lambda x: F.adaptive_max_pool1d(x, 4), values(2, 3, 10))
    outcome = nt.compare_with_eager(lambda x: F.adaptive_avg_pool1d(x, 4), (values(3, 10),), rtol=1e-5, atol=1e-6)
    assert outcome.status == nt.RIGHT, outcome


@pytest.mark.parametrize("kernel, stride, padding", list(itertools.product((1, 2, 5), (1, 3), (0, 2))))
def test_every_small_window(kernel, stride, padding):
    if padding > kernel // 2:
        pytest.skip("eager refuses it")
    x = values(1, 2, 9, 7, ties=True)
    exact(lambda x: F.max_pool2d(x, kernel, stride, padding, ceil_mode=True, return_indices=True), x)
    exact(lambda x: F.avg_pool2d(x, kernel, stride, padding, ceil_mode=True), x)
