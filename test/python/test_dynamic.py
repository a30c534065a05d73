"""Symbolic sizes: one graph of Dynamo for all of them, and the numbers of eager for each."""

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F

SHAPES = [(2, 3, 7, 9), (2, 3, 8, 8), (3, 2, 12, 5)]
POOLS = {
    "avg": lambda x: F.avg_pool2d(x, 2),
    "avg with padding": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "avg 3d": lambda x: F.avg_pool3d(x[:, None], 2, padding=1),
    "adaptive avg": lambda x: F.adaptive_avg_pool2d(x, (2, 3)),
    "adaptive avg 1d": lambda x: F.adaptive_avg_pool1d(x.flatten(2), 4),
    "max": lambda x: F.max_pool2d(x, 2),
    "adaptive max": lambda x: F.adaptive_max_pool2d(x, (2, 3)),
    "replication": lambda x: F.pad(x, (1, 2, 1, 1), mode="replicate"),
}


def gradient(function, x):
    x = x.clone().requires_grad_()
    out = function(x)
    weight = torch.arange(out.numel(), dtype=out.dtype).reshape(out.shape)
    return out.detach(), torch.autograd.grad(out, x, weight)[0]


@pytest.mark.parametrize("name", POOLS)
def test_backward_of_windows(name):
    torch._dynamo.reset()
    with torch._dynamo.config.patch(recompile_limit=1):
        compiled = torch.compile(POOLS[name], backend=nt.BACKEND, dynamic=True, fullgraph=True)
        for shape in SHAPES:
            x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
            torch.testing.assert_close(gradient(compiled, x), gradient(POOLS[name], x))


def test_views_of_what_the_graph_creates():
    """Their offsets are those in memory that the graph would have made."""

    def fn(x):
        i, j = torch.triu_indices(7, 7, 1)
        ones = torch.ones(4, 5).cumsum(1)
        return i, j, ones[2:, 1:], torch.arange(12).view(3, 4)[1], x + 1

    torch._dynamo.reset()
    compiled = torch.compile(fn, backend=nt.BACKEND, dynamic=True, fullgraph=True)
    for shape in ((7, 9), (4, 3)):
        x = torch.randn(shape)
        for got, expected in zip(compiled(x), fn(x), strict=True):
            assert torch.equal(got, expected)


def test_gradient_through_indices_that_the_graph_creates():
    torch._dynamo.reset()
    compiled = torch.compile(torch.pdist, backend=nt.BACKEND, dynamic=True, fullgraph=True)
    x = torch.randn(7, 9, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(gradient(compiled, x), gradient(torch.pdist, x))
