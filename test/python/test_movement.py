"""Concats, padding and what else only moves elements: bit for bit what eager does."""

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F

DTYPES = [torch.float32, torch.bfloat16, torch.int64]


def values(*shape, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randint(-50, 50, shape, generator=generator)
    return numbers.to(dtype) if not dtype.is_floating_point else (numbers / 8).to(dtype)


def x2(dtype):
    return values(5, 7, dtype=dtype)


def x4(dtype):
    return values(2, 3, 6, 5, dtype=dtype)


def channels_last(dtype):
    return x4(dtype).to(memory_format=torch.channels_last)


def strided(dtype):
    return values(9, 14, dtype=dtype)[1::2, ::2].t()


CASES = {
    "cat": (lambda x: torch.cat([x, x + 1, x[:, :2]], 1), x2),
    "cat of views": (lambda x: torch.cat([x.flip(0), x[:, ::2], x.t().reshape(5, 7)], -1), x2),
    "cat of one value": (lambda x: torch.cat([x, x, x]), x2),
    "cat of a value and its use": (lambda x: ((y := x * 2), torch.cat([y, y.sum(0, keepdim=True)]))[1], x2),
    "cat returned with its parts": (lambda x: ((y := x * 2), torch.cat([y, x, y], 1), y - 1), x2),
    "cat in a cat": (lambda x: torch.cat([torch.cat([x, x + 1], 1).t(), torch.cat([x - 1, x], 1).t()], 1), x2),
    "cat of a cat twice": (lambda x: ((c := torch.cat([x, x + 1])), torch.cat([c, c * 2], 1), c)[1:], x2),
    "cat with nothing": (lambda x: torch.cat([x[:0], x, x[:, :7][:0]]), x2),
    "cat with the legacy nothing": (lambda x: torch.cat([x.new_zeros(0), x]), x2),
    "cat of dtypes": (lambda x: torch.cat([x, torch.arange(7).reshape(1, 7)]), x2),
    "cat of strided": (lambda x: torch.cat([x, x * 2], 0), strided),
    "cat of channels last": (lambda x: torch.cat([x, x + 1], 1), channels_last),
    "cat of constants": (lambda x: torch.cat([torch.zeros_like(x), x, torch.ones_like(x)], 1), x2),
    "cat, then sum": (lambda x: torch.cat([x, x + 1], 1).sum(1), x2),
    "cat of reductions": (lambda x: torch.cat([x.amax(1, keepdim=True), x, x.amin(1, keepdim=True)], 1), x2),
    "stack": (lambda x: torch.stack([x, x + 1, x - 1], 1), x2),
    "stack of scalars": (lambda x: torch.stack([x[0, 0], x[1, 1] + 1]), x2),
    "hstack": (lambda x: torch.hstack([x, x]), x2),
    "column stack": (lambda x: torch.column_stack([x[0], x[1]]), x2),
    "block_diag": (lambda x: torch.block_diag(x, x + 1), x2),
    "meshgrid": (lambda x: [g.clone() for g in torch.meshgrid(x[0], x[:, 0], indexing="ij")], x2),
    "flip": (lambda x: x.flip(0, 1), x2),
    "flip of strided": (lambda x: x.flip(0) + 1, strided),
    "flip of flip": (lambda x: x.flip(0).flip(0, 1) * 2, x2),
    "flip, then merge": (lambda x: x.flip(1).reshape(-1) + 1, x2),
    "flip of channels last": (lambda x: x.flip(1, 3), channels_last),
    "rot90": (lambda x: torch.rot90(x, 1, (0, 1)), x2),
    "roll": (lambda x: torch.roll(x, (1, -9), (0, 1)), x2),
    "roll of all": (lambda x: torch.roll(x, 3), x2),
    "roll by nothing": (lambda x: torch.roll(x, (5, 0), (0, 1)) * 2, x2),
    "repeat": (lambda x: x.repeat(2, 1, 3), x2),
    "repeat of 4 of 4": (lambda x: x.repeat(2, 2, 2, 2), x4),
    "repeat of 5 dims": (lambda x: x.unsqueeze(0).repeat(2, 2, 1, 2, 2), x4),
    "repeat_interleave": (lambda x: x.repeat_interleave(3, 1), x2),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 3), value=2), x2),
    "negative pad": (lambda x: F.pad(x, (-1, 2, 1, -2)), x2),
    "pad of computed": (lambda x: F.pad(x * 2, (1, 1)) + 1, x4),
    "reflect": (lambda x: F.pad(x, (2, 4, 3, 1), mode="reflect"), x4),
    "replicate": (lambda x: F.pad(x, (2, 4, 3, 1), mode="replicate"), x4),
    "circular": (lambda x: F.pad(x, (2, 4, 3, 1), mode="circular"), x4),
    "reflect 1d": (lambda x: F.pad(x, (3, 6), mode="reflect"), x2),
    "replicate 3d": (lambda x: F.pad(x, (1, 2, 3, 1, 1, 0), mode="replicate"), x4),
    "reflect 3d": (lambda x: F.pad(x, (1, 2, 3, 1, 1, 0), mode="reflect"), x4),
    "negative replicate": (lambda x: F.pad(x, (-1, 2, 1, -2), mode="replicate"), x4),
    "slice_scatter": (lambda x: torch.slice_scatter(x, x[:, :3] * 2, 1, 2, 5), x2),
    "slice_scatter by steps": (lambda x: torch.slice_scatter(x, x[:, :3] * 2, 1, 1, 6, 2), x2),
    "slice_scatter of all": (lambda x: torch.slice_scatter(x, x * 2, 0), x2),
    "select_scatter": (lambda x: torch.select_scatter(x, x[0] * 2, 0, -2), x2),
    "diagonal_scatter": (lambda x: torch.diagonal_scatter(x, x[:, 0] * 2, 1), x2),
    "diagonal_scatter below": (lambda x: torch.diagonal_scatter(x, x[0, :4] * 2, -1), x2),
    "diagonal_scatter of 4": (lambda x: torch.diagonal_scatter(x, x[:, 0, :, :1] * 2, -2, 1, 3), x4),
    "diag_embed": (lambda x: torch.diag_embed(x, 1), x2),
    "write to a slice": (lambda x: ((y := x.clone()), y[:, 1:4].mul_(2), y)[2], x2),
    "write to every other": (lambda x: ((y := x * 1), y[1::2].add_(1), y)[2], x2),
    "tril and triu": (lambda x: (torch.tril(x, 1), torch.triu(x, -1)), x2),
    "tril_indices": (lambda x: torch.tril_indices(3, 4, 1) + x[0, 0].to(torch.int64), x2),
    "unfold": (lambda x: x.unfold(1, 3, 2) + 1, x2),
    "unfold twice": (lambda x: x.unfold(2, 3, 1).unfold(3, 2, 2).sum(-1), x4),
    "unfold returned": (lambda x: (x * 2).unfold(0, 2, 1), x2),
    "unfold of strided": (lambda x: x.unfold(0, 4, 3) * 2, strided),
    "as_strided": (lambda x: torch.as_strided(x, (3, 4), (5, 2), 1) + 1, x2),
    "as_strided that repeats": (lambda x: torch.as_strided(x, (3, 2, 4), (5, 0, 1)) + 1, x2),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x.reshape(1, 12, 3, 5), 2), x4),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x[:, :, :, :4], 2), x4),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 3), x4),
    "chunk, then cat": (lambda x: torch.cat(torch.chunk(x, 3, 1)[::-1], 1), x2),
    "unbind, then stack": (lambda x: torch.stack(torch.unbind(x, 0)[::-1]), x2),
    "split": (lambda x: [part * 2 for part in torch.split(x, [2, 4, 1], 1)], x2),
    "movedim": (lambda x: x.movedim(1, 3).clone(), x4),
    "tensor_split": (lambda x: torch.cat([p.sum(1) for p in torch.tensor_split(x, 3, 1)]), x2),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_movement(name, dtype):
    function, make = CASES[name]
    outcome = nt.compare_with_eager(function, (make(dtype),), rtol=0, atol=0)
    assert outcome.status in (nt.RIGHT, nt.HOST), outcome


@pytest.mark.parametrize("kernel, extra", [((2, 3), {}), (3, {"padding": 1, "stride": 2}), ((2, 2), {"dilation": 2})])
def test_patches(kernel, extra):
    """unfold and fold; the sums of fold are of small integers, so exact in any order."""
    x = values(2, 3, 8, 9).round()
    assert (o := nt.compare_with_eager(lambda x: F.unfold(x, kernel, **extra), (x,), rtol=0, atol=0)).ok, o
    columns = F.unfold(x, kernel, **extra)
    assert (o := nt.compare_with_eager(lambda c: F.fold(c, (8, 9), kernel, **extra), (columns,), rtol=0, atol=0)).ok, o
    assert o.status == nt.RIGHT


def test_as_strided_with_gaps_is_refused():
    x = values(4, 6)[:, ::2]
    outcome = nt.compare_with_eager(lambda x: torch.as_strided(x, (2, 2), (1, 1)) + 1, (x,))
    assert outcome.status == nt.UNSUPPORTED, outcome


def test_many_parts_in_a_row():
    """A value that is cut up and put together, again and again."""

    def chain(x):
        for _ in range(60):
            x = torch.cat([x[1:] * 2, x[:1] + 1])
        return x

    # In integers, for 2 ** 10 and a sum are exact; each row is doubled ten times in a turn of six.
    outcome = nt.compare_with_eager(chain, (values(6, 4, dtype=torch.int64),), rtol=0, atol=0)
    assert outcome.status == nt.RIGHT, outcome


def windows_scattered(step):
    def fn(x):
        part = x[..., 1::step]
        return torch.slice_scatter(x, part * 2, x.dim() - 1, 1, None, step)

    return fn


@pytest.mark.parametrize(
    "fn",
    [
        windows_scattered(2),
        lambda x: torch.slice_scatter(x, x[:, :, ::2] + 1, 2, 0, None, 2),
        lambda x: x[:, :, :, [0, 2, 1, 3, 0, 2]],
        lambda x: x.index_select(2, x.reshape(-1)[:3].long() % x.shape[2]),
        lambda x: x.gather(3, x.long() % x.shape[3]),
        lambda x: x.scatter(3, x.long() % x.shape[3], 7),
        lambda x: x.scatter_add(3, (x.long() % x.shape[3])[:1], x),
        lambda x: x.index_add(2, x.reshape(-1)[:3].long() % x.shape[2], x[:, :, :3]),
        lambda x: x.index_put((x.reshape(-1)[:2].long() % x.shape[0],), x[:1]),
    ],
)
def test_rank_8(fn):
    """As many dimensions as there are: what needs one more has the others merged."""
    x = values(2, 3, 5, 6, 1, 2, 1, 5, dtype=torch.int64).abs()
    outcome = nt.compare_with_eager(fn, (x,), rtol=0, atol=0)
    assert outcome.status == nt.RIGHT, outcome


@pytest.mark.parametrize("shapes", [((2, 1, 1), (1, 8, 1), (1, 8, 8)), ((2, 1, 1, 1), (1, 1, 1, 8), (1, 2, 8, 8))])
def test_an_iota_that_is_expanded_along_other_dimensions_too(shapes):
    scale, line, expanded = shapes

    def fn(x):
        return x.view(scale) * torch.arange(8.0).view(line).expand(expanded)

    x = torch.tensor([1.5, -2.0])
    torch.testing.assert_close(torch.compile(fn, backend="neuron", fullgraph=True)(x), fn(x))


@pytest.mark.parametrize("shape", [(4, 1), (1, 6), (1, 1)])
def test_results_of_expanded_memory(shape):
    """Written once, returned as views: with eager's strides."""
    x = torch.randn(shape).expand(4, 6)
    for fn in (lambda x: (x.view(torch.int32),), lambda x: (x.view(torch.int32)[1:], x.view(torch.int32)[:, 1:], x + 1)):
        results, expected = torch.compile(fn, backend="neuron", fullgraph=True)(x), fn(x)
        for result, wanted in zip(results, expected, strict=True):
            assert torch.equal(result, wanted) and result.stride() == wanted.stride()
