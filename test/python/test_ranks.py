"""Tensors of more than eight dimensions, up to the sixteen that the compiler takes."""

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F


def x(rank, dtype=torch.float32):
    """Of sizes 1 to 3, most of them 2 and few enough elements."""
    sizes = [(2, 1, 3, 2, 1, 2, 1, 2)[d % 8] if d < 12 else 1 + d % 2 for d in range(rank)]
    return nt.values(tuple(sizes), dtype, below=16)


def reversed_dims(x):
    return x.permute(tuple(range(x.dim() - 1, -1, -1)))  # Dynamo takes *range for its three numbers


def swapped(x):
    """Neighbours change places, so that no two dimensions can become one."""
    return x.permute(*(d ^ 1 if d ^ 1 < x.dim() else d for d in range(x.dim())))


FUNCTIONS = {
    "add": lambda x: x + 1,
    "broadcast": lambda x: x * x[:1, :, :1] + x.sum((0, 2, 4), keepdim=True),
    "permute": lambda x: reversed_dims(x * 2).contiguous(),
    "permute and add": lambda x: swapped(x) + swapped(x).contiguous() * 2,
    "sum of every other": lambda x: x.sum(tuple(range(0, x.dim(), 2))),
    "mean of the first": lambda x: x.mean(tuple(range(x.dim() - 2))),
    "amax in the middle": lambda x: x.amax((3, 5)),
    "var": lambda x: x.var((2, 3, 7)),
    "argmax": lambda x: x.argmax(2),
    "softmax": lambda x: x.softmax(3),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-3:]),
    "cumsum": lambda x: x.cumsum(2),
    "sort": lambda x: x.sort(2).values,
    "topk": lambda x: x.topk(2, 2).values,
    "flip": lambda x: x.flip(0, 2, 5),
    "roll": lambda x: x.roll((1, 1, 1), (0, 2, 7)),
    "slice": lambda x: (x * 2)[..., 0][::2, :, 1:],
    "cat": lambda x: torch.cat((x, x[:, :, :1], x), 2),
    "pad": lambda x: F.pad(x, (1, 0, 0, 2, 1, 1)),
    "unfold": lambda x: (x.narrow(-1, 0, 1).squeeze(-1) * 2).unfold(2, 2, 1) + 1,
    "repeat": lambda x: x.narrow(-1, 0, 1).squeeze(-1).repeat(*(1 + d % 2 for d in range(x.dim() - 1))),
    "gather": lambda x: x.gather(2, (x * 100).long().abs() % 3),
    "index_select": lambda x: x.index_select(2, torch.tensor([2, 0, 2, 1])),
    "index": lambda x: x[:, 0, torch.tensor([2, 0]), :, 0],
    "index_put": lambda x: x.index_put((torch.tensor([1, 0]),), x * 2, accumulate=True),
    "scatter_add": lambda x: x.scatter_add(2, (x * 100).long().abs() % 3, x),
    "tril": lambda x: x.transpose(0, -1).transpose(2, -2).tril(),
    "where": lambda x: torch.where(x > 0, x, reversed_dims(x).sum()),
    "matmul": lambda x: swapped(x) @ swapped(x).mT * 2,
    "bfloat16": lambda x: (x.bfloat16() * 3 + 1).amax(2),
    "complex": lambda x: (x.sum(0) + 1j * x.sum(0)).abs(),
}


@pytest.mark.parametrize("rank", [9, 12, 16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_rank(name, rank):
    outcome = nt.compare_with_eager(FUNCTIONS[name], (x(rank),), options={"rounding": "eager"}, rtol=1e-5, atol=1e-5)
    assert outcome.status == nt.RIGHT, outcome


@pytest.mark.parametrize("name", ["broadcast", "permute and add", "softmax", "repeat", "gather", "cumsum", "pad"])
def test_gradient(name):
    def gradient(function):
        leaf = x(12).requires_grad_()
        function(leaf).square().sum().backward()
        return leaf.grad

    got = gradient(torch.compile(FUNCTIONS[name], backend="neuron", fullgraph=True))
    torch.testing.assert_close(got, gradient(FUNCTIONS[name]), rtol=1e-5, atol=1e-5)


# Of tensors of few dimensions, with more inside.
INSIDE = {
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), [(2, 2, 2, 2, 8, 3, 3)]),
    "kron": (torch.kron, [(2, 3, 2, 2, 2), (2, 2, 2, 3, 2)]),
    "outer": (lambda a, b: torch.einsum("abcde,fghij->fbcdeaghij", a, b), [(2, 3, 2, 2, 2), (2, 2, 2, 3, 2)]),
    "grouped conv3d": (lambda x, w: F.conv3d(x, w, groups=2, padding=1), [(2, 4, 3, 4, 5), (6, 2, 2, 3, 2)]),
}


@pytest.mark.parametrize("name", INSIDE)
def test_more_inside_than_given(name):
    function, shapes = INSIDE[name]
    outcome = nt.compare_with_eager(function, tuple(torch.randn(shape) for shape in shapes), rtol=1e-5, atol=1e-5)
    assert outcome.status == nt.RIGHT, outcome
