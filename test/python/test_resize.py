"""Resizes against eager: which elements are taken bit for bit, what is interpolated within a few ulps."""

from functools import partial

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F


def values(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape))).to(dtype)


NEAREST = [dict(scale_factor=2), dict(scale_factor=1.5), dict(size=(5, 13)), dict(scale_factor=(0.5, 3)), dict(size=(8, 7))]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("extra", NEAREST, ids=str)
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_nearest(mode, extra, dtype):
    x = values(2, 3, 8, 7, dtype=dtype)
    outcome = nt.compare_with_eager(lambda x: F.interpolate(x, mode=mode, **extra) * 1, (x,), rtol=0, atol=0)
    assert outcome.status == nt.RIGHT, outcome


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("extra", [dict(scale_factor=2), dict(size=(5, 13)), dict(scale_factor=(0.5, 3))], ids=str)
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_interpolated(mode, extra, corners):
    """Weights are made by a few roundings more than eager's: 1e-6 of a position of up to 24."""
    x = values(2, 3, 8, 7)
    function = lambda x: F.interpolate(x, mode=mode, align_corners=corners, **extra)  # noqa: E731
    outcome = nt.compare_with_eager(function, (x,), rtol=1e-5, atol=2e-5)
    assert outcome.status == nt.RIGHT, outcome


def test_other_ranks():
    for x, mode in ((values(2, 3, 9), "nearest"), (values(1, 2, 3, 4, 5), "nearest")):
        outcome = nt.compare_with_eager(partial(F.interpolate, scale_factor=2, mode=mode), (x,), rtol=0, atol=0)
        assert outcome.status == nt.RIGHT, outcome
    for x, mode in ((values(2, 3, 9), "linear"), (values(1, 2, 3, 4, 5), "trilinear")):
        outcome = nt.compare_with_eager(partial(F.interpolate, scale_factor=2, mode=mode), (x,), rtol=1e-5, atol=2e-5)
        assert outcome.status == nt.RIGHT, outcome


def test_known_indices():
    """Indices that are known are views and concats; others are gathered."""
    x = values(6, 7)
    for function in (
        lambda x: x[:, [0, 2, 4, 6]] + 1,
        lambda x: x[[5, 3, 1]][:, [6, 6, 0, 1, 2]],
        lambda x: x[torch.arange(5, -1, -1)] * 2,
        lambda x: x[torch.tensor([[0, 1], [1, 2]])],
        lambda x: torch.index_select(x, 1, torch.tensor([1, -1 + 4, 5])),
        lambda x: x[[-1, 0]],
        lambda x: x[torch.arange(3)[:, None], torch.arange(2)],
    ):
        outcome = nt.compare_with_eager(function, (x,), rtol=0, atol=0)
        assert outcome.status == nt.RIGHT, outcome


def test_other_indices_are_not_taken_for_grids():
    """These are gathered, never taken one after the other."""
    x = values(6, 7)
    for function in (
        lambda x: x[[0, 1], [2, 3]] * 1,
        lambda x: x[torch.tensor([[0], [1]]), torch.tensor([[1], [0]])] * 1,
        lambda x: x[(x[:, 0] > 0).to(torch.int64)] * 1,
    ):
        outcome = nt.compare_with_eager(function, (x,), rtol=0, atol=0)
        assert outcome.status == nt.RIGHT, outcome


@pytest.mark.parametrize("device", ["cpu", "neuron", "eager on neuron"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_scales_that_eager_does_not_heed(mode, device):
    """To its own size and (nearest) to the double, eager does not heed a dimension's scale."""
    x = torch.randn(1, 2, 5, 4, generator=torch.Generator().manual_seed(0))

    def fn(x):
        return F.interpolate(x, mode=mode, scale_factor=(1.05, 2.1 if mode == "nearest" else 2.0))

    there, here = x.to("neuron" if "neuron" in device else "cpu").requires_grad_(), x.clone().requires_grad_()
    run = fn if "eager" in device else torch.compile(fn, backend="neuron", fullgraph=True)
    got, want = run(there), fn(here)
    given = torch.randn(want.shape, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(got.cpu(), want, rtol=1e-5, atol=2e-6)
    (g,), (w,) = torch.autograd.grad(got, there, given.to(there.device)), torch.autograd.grad(want, here, given)
    torch.testing.assert_close(g.cpu(), w, rtol=1e-5, atol=2e-5)


def test_other_backends_keep_their_decompositions():
    op = torch.ops.aten.upsample_bilinear2d.vec
    before = dict(op.py_kernels)
    torch.compile(lambda x: F.interpolate(x, scale_factor=2.5, mode="bilinear"), backend="neuron")(torch.ones(1, 1, 3, 3))
    assert op.py_kernels == before
