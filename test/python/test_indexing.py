"""Gather and scatter: every spelling, dtype, rank and size, compared with eager bit for bit; errors as eager's."""

import functools

import pytest
import torch
from neuron_testing import compare_with_eager
from neuron_testing import values as nt_values

F32, BF16, I64, BOOL = torch.float32, torch.bfloat16, torch.int64, torch.bool
DTYPES = [F32, BF16, I64, BOOL, torch.float64, torch.int32, torch.uint8]
EXACT = {"rtol": 0, "atol": 0}


values = functools.partial(nt_values, below=100)


def index(shape, below, seed=1, low=0):
    return torch.randint(low, below, shape, generator=torch.Generator().manual_seed(seed))


def check(fn, *args, accepted=("right", "nothing to compute"), **tolerance):
    outcome = compare_with_eager(fn, args, **(tolerance or EXACT))
    assert outcome.status in accepted, outcome


GATHERS = {
    "embedding": (lambda w, i: torch.nn.functional.embedding(i, w), (11, 7), (3, 5), 11),
    "embedding of one": (lambda w, i: torch.nn.functional.embedding(i, w), (11, 7), (), 11),
    "embedding of none": (lambda w, i: torch.nn.functional.embedding(i, w), (11, 7), (0, 2), 11),
    "index_select 0": (lambda x, i: x.index_select(0, i), (13, 5), (4,), 13),
    "index_select 1": (lambda x, i: x.index_select(1, i), (5, 13, 3), (130,), 13),
    "index_select -1": (lambda x, i: x.index_select(-1, i), (5, 13), (4,), 13),
    "index_select of a scalar": (lambda x, i: x.index_select(0, i), (), (1,), 1),
    "gather 0": (lambda x, i: x.gather(0, i), (7, 5), (9, 5), 7),
    "gather 1": (lambda x, i: x.gather(1, i), (7, 130), (7, 3), 130),
    "gather of less": (lambda x, i: x.gather(1, i), (7, 6, 5), (3, 9, 2), 6),
    "gather rank 4": (lambda x, i: x.gather(2, i), (2, 3, 4, 5), (2, 3, 6, 5), 4),
    "gather of a scalar": (lambda x, i: x.gather(0, i), (), (), 1),
    "gather of none": (lambda x, i: x.gather(1, i), (7, 5), (7, 0), 5),
    "take": (lambda x, i: x.take(i), (4, 5), (3, 7), 20),
    "take_along_dim": (lambda x, i: x.take_along_dim(i, 1), (4, 5), (4, 2), 5),
    "index": (lambda x, i: x[i], (9, 5), (3, 4), 9),
    "index, second": (lambda x, i: x[:, i], (5, 9), (4,), 9),
    "index, last of 3": (lambda x, i: x[..., i], (2, 3, 9), (4,), 9),
    "index, expanded": (lambda x, i: x.expand(6, 9)[:, i], (9,), (4,), 9),
    "index, transposed": (lambda x, i: x.t()[i], (5, 9), (300,), 9),
    "index after a computation": (lambda x, i: (x + x)[i] * x[0] if x.dtype != BOOL else x[i], (9, 5), (6,), 9),
    "computed index": (lambda x, i: x[(i * 2) % 9], (9, 5), (6,), 9),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", GATHERS)
def test_gather(name, dtype):
    fn, shape, places, below = GATHERS[name]
    check(fn, values(shape, dtype), index(places, below))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.uint8], ids=str)
def test_other_index_dtypes(dtype):
    if dtype == torch.int32:
        check(lambda w, i: torch.nn.functional.embedding(i, w), values((11, 7)), index((3,), 11).to(dtype))
    check(lambda x, i: x[i.long()], values((11, 7)), index((3,), 11).to(dtype))


SEVERAL = {
    "two": lambda x, i, j: x[i, j],
    "two, last": lambda x, i, j: x[:, i, j],
    "two, apart": lambda x, i, j: x[i, :, j],
    "two, broadcast": lambda x, i, j: x[i[:, None], j],
    "two, one of them a number": lambda x, i, j: x[i, 1],
    "ellipsis": lambda x, i, j: x[..., i, j],
    "new axis": lambda x, i, j: x[None, i, :, j],
    "slice": lambda x, i, j: x[1:, i, ::2],
}


@pytest.mark.parametrize("dtype", [F32, I64, BOOL], ids=str)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_indices(name, dtype):
    check(SEVERAL[name], values((4, 5, 6), dtype), index((7,), 4, low=-4), index((7,), 4, seed=2, low=-4))


SCATTERS = {
    "scatter": (lambda x, i, s: x.scatter(0, i, s), (7, 5), (7, 5), (7, 5), 7),
    "scatter 1": (lambda x, i, s: x.scatter(1, i, s), (130, 9), (130, 4), (130, 6), 9),
    "scatter less": (lambda x, i, s: x.scatter(1, i, s), (7, 6, 5), (3, 9, 2), (4, 9, 5), 6),
    "scatter a number": (lambda x, i, s: x.scatter(1, i, 1), (5, 9), (5, 3), (1,), 9),
    "scatter into a scalar": (lambda x, i, s: x.scatter(0, i, s), (), (), (), 1),
    "scatter none": (lambda x, i, s: x.scatter(0, i, s), (7, 5), (0, 5), (7, 5), 7),
    "index_put": (lambda x, i, s: x.index_put((i,), s), (9, 5), (4,), (4, 5), 9),
    "index_put broadcast": (lambda x, i, s: x.index_put((i,), s), (9, 5), (4,), (5,), 9),
    "index_copy": (lambda x, i, s: x.index_copy(1, i, s), (5, 9), (3,), (5, 3), 9),
    "index_fill": (lambda x, i, s: x.index_fill(1, i, 1), (5, 9), (3,), (1,), 9),
    "assignment": (lambda x, i, s: _assigned(x, i, s), (9, 5), (4,), (4, 5), 9),
    "of zeros": (lambda x, i, s: torch.zeros_like(x).scatter(0, i, s), (7, 5), (7, 5), (7, 5), 7),
    "twice": (lambda x, i, s: x.scatter(0, i, s).scatter(0, i[:1], s[1:2]), (7, 5), (7, 5), (7, 5), 7),
    "twice from one": (
        lambda x, i, s: (torch.zeros_like(x).scatter(0, i, s), torch.zeros_like(x).scatter(0, i[:1], s[1:2])),
        (7, 5),
        (7, 5),
        (7, 5),
        7,
    ),
    "and its operand": (lambda x, i, s: (x.scatter(0, i, s), x.logical_not()), (7, 5), (7, 5), (7, 5), 7),
    "put": (lambda x, i, s: x.put(i, s), (4, 5), (3,), (3,), 20),
}


def _assigned(x, i, s):
    x = x.clone()
    x[i] = s
    return x


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", SCATTERS)
def test_scatter(name, dtype):
    fn, shape, places, source, below = SCATTERS[name]
    # Each place once along the scattered dimension: eager does not say which of several stays.
    check(fn, values(shape, dtype), _distinct(places, below), values(source, dtype, 3))


def _distinct(shape, below):
    generator = torch.Generator().manual_seed(5)
    if len(shape) < 2:
        count = shape[0] if shape else 1
        return torch.randperm(below, generator=generator)[:count].reshape(shape)
    if shape[0] <= below and shape[0] > 0 and below == 7:
        return torch.stack([torch.randperm(below, generator=generator)[: shape[0]] for _ in range(shape[1])], 1)
    rows = [torch.randperm(below, generator=generator).repeat(3)[: shape[1]] for _ in range(shape[0])]
    if not rows:
        return torch.zeros(shape, dtype=I64)
    return torch.stack(rows).reshape(*shape[:2], *[1] * (len(shape) - 2)).expand(shape)


ACCUMULATING = {
    "scatter_add": lambda x, i, s: x.scatter_add(0, i, s),
    "scatter_add 1": lambda x, i, s: x.scatter_add(1, i[:6] % 5, s[:6]),
    "reduce add": lambda x, i, s: x.scatter(0, i, s, reduce="add"),
    "reduce multiply": lambda x, i, s: x.scatter(0, i, s, reduce="multiply"),
    "sum": lambda x, i, s: x.scatter_reduce(0, i, s, "sum"),
    "prod": lambda x, i, s: x.scatter_reduce(0, i, s, "prod"),
    "mean": lambda x, i, s: x.scatter_reduce(0, i, s, "mean"),
    "amax": lambda x, i, s: x.scatter_reduce(0, i, s, "amax"),
    "amin": lambda x, i, s: x.scatter_reduce(0, i, s, "amin"),
    "sum without self": lambda x, i, s: x.scatter_reduce(0, i, s, "sum", include_self=False),
    "prod without self": lambda x, i, s: x.scatter_reduce(0, i, s, "prod", include_self=False),
    "mean without self": lambda x, i, s: x.scatter_reduce(0, i, s, "mean", include_self=False),
    "amax without self": lambda x, i, s: x.scatter_reduce(1, i[:6] % 5, s[:6], "amax", include_self=False),
    "amin without self": lambda x, i, s: x.scatter_reduce(1, i[:6] % 5, s[:6], "amin", include_self=False),
    "index_put": lambda x, i, s: x.index_put((i[:, 0],), s, accumulate=True),
    "index_put two": lambda x, i, s: x.index_put((i[:, 0], i[:, 1] % 5), s[:, 0], accumulate=True),
    "index_add": lambda x, i, s: x.index_add(0, i[:, 0], s),
    "index_add alpha": lambda x, i, s: x.index_add(0, i[:, 0], s, alpha=2),
    "index_reduce": lambda x, i, s: x.index_reduce(0, i[:, 0], s, "prod"),
    "put": lambda x, i, s: x.put(i[0], s[0], accumulate=True),
}


@pytest.mark.parametrize("dtype", [F32, BF16, I64, torch.float64, torch.int32, torch.uint8], ids=str)
@pytest.mark.parametrize("name", ACCUMULATING)
def test_accumulate(name, dtype):
    # Many updates of one element: the order of additions shows. Eager's index_reduce rounds every product.
    nearer = name == "index_reduce" and dtype == BF16
    accepted = ("right", "nearer than eager") if nearer else ("right",)
    check(
        ACCUMULATING[name], values((6, 5), dtype), index((200, 5), 6), values((200, 5), dtype, 3), accepted=accepted
    )


@pytest.mark.parametrize("dtype", [torch.float16, BF16], ids=str)
@pytest.mark.parametrize("index_dtype", [torch.int32, I64], ids=str)
@pytest.mark.parametrize("dim", range(4))
def test_index_add_rounds_where_eager_does(dim, index_dtype, dtype):
    """Eager keeps sums in float32 along the first and the last dimension, and rounds each along others."""
    shape = [3, 2, 4, 5]
    source = [60 if d == dim else size for d, size in enumerate(shape)]
    check(
        lambda x, i, s: x.index_add(dim, i, s),
        values(shape, dtype),
        index((60,), shape[dim]).to(index_dtype),
        values(source, dtype, 3),
    )


@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
def test_reduce_bools(reduce, include):
    check(
        lambda x, i, s: x.scatter_reduce(0, i, s, reduce, include_self=include),
        values((6, 5), BOOL),
        index((4, 5), 6),
        values((4, 5), BOOL, 3),
    )


def test_many_rows_and_columns():
    check(lambda w, i: torch.nn.functional.embedding(i, w), values((1000, 768)), index((3, 170), 1000))
    check(lambda x, i: x.gather(1, i), values((300, 50)), index((300, 1000), 50))
    check(lambda x, i: x.take(i), values((70000,)), index((66000,), 70000))
    check(lambda x, i, s: x.scatter_add(0, i, s), values((50,)), index((70000,), 50), values((70000,), seed=2))
    check(
        lambda x, i, s: x.scatter_add(0, i, s), values((10, 40)), index((3000, 40), 10), values((3000, 40), seed=2)
    )


def test_what_moves_is_rounded_behind():
    """No instruction that moves, scans or sorts converts what it makes."""
    x, i = values((7, 130)), index((7, 130), 130)
    for dtype in (BF16, torch.float16):
        check(lambda x, i, d=dtype: x.gather(1, i % 130).to(d), x, i)
        check(lambda x, i, d=dtype: x[i[0] % 7].to(d) * 1, x, i)
        check(lambda x, i, d=dtype: x.cummax(1)[0].to(d), x, i)
        check(lambda x, i, d=dtype: x.cumsum(1).to(d), x, i)
        check(lambda x, i, d=dtype: x.sort(1)[0].to(d), x, i)
        check(lambda x, i, d=dtype: (x.sort(1)[0].to(d), x.sort(1)[0]), x, i)
        check(lambda x, i, d=dtype: x.scatter(1, i % 130, 2.0).to(d), x, i)


def test_masks():
    check(lambda x, m: x.masked_fill(m, 2.0), values((5, 6)), values((5, 6), BOOL))
    check(lambda x, m, s: x.masked_scatter(m, s), values((5, 6)), values((5, 6), BOOL), values((30,), seed=2))
    check(lambda x, m: x.index_put((m,), torch.tensor(3.0)), values((5, 6)), values((5, 6), BOOL))
    check(lambda x, m: x.index_put((m,), torch.tensor(3.0)), values((5, 6)), values((5,), BOOL))
    check(lambda x, i: x.index_put((i,), torch.tensor(2.0)), values((9, 5)), index((4,), 9))
    check(lambda x: x.tril(-1) + x.triu(1), values((3, 5, 6)))


def test_one_hot():
    check(lambda x: torch.nn.functional.one_hot(x, 7), index((3, 4), 7))
    with pytest.raises(Exception, match="data-dependent output shape"):
        torch.compile(torch.nn.functional.one_hot, backend="neuron", fullgraph=True)(index((3, 4), 7))


def test_among_sorted():
    edges = torch.tensor([-1.0, 0.0, 0.5, 2.0])
    x = torch.tensor([[-2.0, -1.0, 0.25], [0.5, 9.0, float("nan")]])
    for right in (False, True):
        check(lambda x, e, r=right: torch.bucketize(x, e, right=r), x, edges)
        check(lambda x, e, r=right: torch.searchsorted(e, x, right=r), x, edges)
    check(lambda x, e: torch.searchsorted(e, x), values((3, 4)), values((3, 6)).sort(1).values)


BAD = {
    "embedding": (lambda x, i: torch.nn.functional.embedding(i, x), 5),
    "gather": (lambda x, i: x.gather(0, i.expand(1, 3)), 5),
    "index": (lambda x, i: x[i], 5),
    "negative": (lambda x, i: x[i], -6),
    "two": (lambda x, i: x[i, i], 3),
    "index_select": (lambda x, i: x.index_select(0, i), -1),
    "scatter": (lambda x, i: x.scatter(0, i.expand(1, 3), 1.0), 5),
    "index_put": (lambda x, i: x.index_put((i,), x[0]), 7),
    "take": (lambda x, i: x.take(i), 15),
}


@pytest.mark.parametrize("simulator", ["interpreter", "compiled"])
@pytest.mark.parametrize("name", BAD)
def test_index_out_of_bounds(name, simulator, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", simulator)
    fn, bad = BAD[name]
    x, i = values((5, 3)), torch.tensor([bad])
    with pytest.raises((IndexError, RuntimeError)) as eager:
        fn(x, i)
    compiled = torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)
    with pytest.raises(type(eager.value)) as caught:
        compiled(x, i)
    text = str(caught.value)
    assert "out of bounds" in text and "aten." in text and __file__ in text, text
    # And the next call is not disturbed.
    good = torch.tensor([1])
    assert torch.equal(compiled(x, good), fn(x, good))


def test_the_line_of_a_kernel_that_is_like_another():
    """It is lowered once; an error of the second says where the second stands."""

    def fn(x, y, i, j):
        one = torch.index_select(x, 0, i)
        return one, torch.index_select(y, 0, j)

    first = fn.__code__.co_firstlineno
    x, y, good, bad = values((5, 3)), values((5, 3)), torch.tensor([1]), torch.tensor([9])
    compiled = torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)
    for indices, line, other in (((bad, good), first + 1, first + 2), ((good, bad), first + 2, first + 1)):
        with pytest.raises(IndexError) as caught:
            compiled(x, y, *indices)
        text = str(caught.value)
        assert f"line {line}," in text and f"line {other}," not in text, text
    assert torch.equal(compiled(x, y, good, good)[1], fn(x, y, good, good)[1])


def test_shapes_that_depend_on_data_are_refused():
    for fn in (lambda x: x.nonzero(), lambda x: x[x > 0], lambda x: x.masked_select(x > 0), lambda x: x.unique()):
        torch._dynamo.reset()
        with pytest.raises(Exception) as caught:  # Dynamo's own error, or ours
            torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)(values((3, 4)))
        assert "data" in str(caught.value).lower() or "depends on the numbers" in str(caught.value)


def test_updates_of_inputs_are_written_in_place():
    def fn(cache, i, rows):
        cache.index_put_((i,), rows)
        return cache.sum()

    cache, i, rows = values((9, 4)), torch.tensor([2, 7]), values((2, 4), seed=3)
    want = cache.clone()
    want[i] = rows
    compiled = torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)
    total = compiled(cache, i, rows)
    assert torch.equal(cache, want) and torch.isclose(total, want.sum())


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, i, s: (x.scatter_(0, i, s), x * 2)[1],
        lambda x, i, s: (x.index_add_(1, i[0] % 5, s[:, :5]), x.clone())[1],
        lambda x, i, s: (x * 2, x.index_put_((i[:, 0],), s))[0],  # the product is of what was there before
        lambda x, i, s: x.index_put_((i[:, 0],), x[:1] + 1).sum(),  # the update reads what it changes
        lambda x, i, s: x.t().index_put_((i[0] % 5,), s[:, 0]).sum(),
    ],
)
@pytest.mark.parametrize("transposed", [False, True])
def test_updates_of_inputs(fn, transposed):
    def run(call):
        x = values((5, 7)).t() if transposed else values((7, 5))
        out = call(x, _distinct((7, 5), 7), values((7, 5), seed=3))
        return x, out

    compiled = torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)
    for got, want in zip(run(compiled), run(fn), strict=True):
        torch.testing.assert_close(got, want)


ROWS, COLUMNS = torch.tensor([True, False, True]), torch.tensor([0, 1, 1, 0], dtype=torch.uint8)
CELLS = torch.tensor([[True, False, False, True], [False, False, True, True], [True, True, False, False]])

# x[mask] = values of x [3, 4, 2]: what chooses, and the shape of the values
BY_MASK = {
    "a number": ((ROWS,), ()), "a row for all": ((ROWS,), (4, 2)), "a row for each": ((ROWS,), (2, 4, 2)),
    "a number for each": ((ROWS,), (2, 1, 1)), "cells": ((CELLS,), (6, 2)), "one cell for all": ((CELLS,), (1, 2)),
    "columns": ((slice(None), COLUMNS), (3, 2, 2)), "a column for all": ((slice(None), COLUMNS), (2,)),
    "all": ((torch.ones(3, 4, 2, dtype=torch.bool),), (24,)), "none": ((torch.zeros(3, dtype=torch.bool),), (0, 4, 2)),
    "none, of one": ((torch.zeros(3, dtype=torch.bool),), (1, 4, 2)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", [F32, BF16, I64])
@pytest.mark.parametrize("name", BY_MASK)
def test_put_by_mask(name, dtype, accumulate):
    where, shape = BY_MASK[name]
    x = torch.arange(24.0).reshape(3, 4, 2).to(dtype)
    values = (torch.arange(float(torch.Size(shape).numel())) + 50).reshape(shape).to(dtype)

    def fn(x, mask, values):
        x = x.clone()
        if accumulate:
            return x.index_put([mask], values, accumulate=True)
        x[(*where[:-1], mask)] = values
        return x

    if accumulate and len(where) > 1:
        pytest.skip("index_put has no way to say this in Python")
    torch._dynamo.reset()
    got = torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)(x, where[-1], values)
    assert torch.equal(got, fn(x, where[-1], values))


def test_put_by_mask_of_another_number():
    def fn(x, mask, values):
        x = x.clone()
        x[mask] = values
        return x

    torch._dynamo.reset()
    with pytest.raises(RuntimeError, match="shape mismatch"):
        torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)(torch.zeros(3), ROWS, torch.ones(3))


def _assigned(x, mask, values):
    x = x * 2
    x[mask] = values * 3
    return x


def _assigned_columns(x, mask, values):
    x = (x * 2).T.contiguous()
    x[:, mask] = values.T * 3
    return x.T


GRADIENTS_BY_MASK = {
    "assigned": _assigned,
    "columns": _assigned_columns,
    "in place": lambda x, mask, values: (x * 2).index_put_((mask,), values * 3),
    "added": lambda x, mask, values: (x * 2).index_put([mask], values * 3, accumulate=True),
    "function": lambda x, mask, values: torch.index_put(x * 2, (mask,), values * 3),
}


@pytest.mark.parametrize("shape", [(2, 4), (1, 4), (2, 1), (1, 1)])
@pytest.mark.parametrize("name", GRADIENTS_BY_MASK)
def test_gradients_of_put_by_mask(name, shape):
    weights = torch.arange(12.0).reshape(3, 4)

    def gradients(call):
        x, values = torch.ones(3, 4, requires_grad=True), torch.ones(shape, requires_grad=True)
        out = call(x, ROWS, values)
        return out.detach(), *torch.autograd.grad((out * weights).sum(), (x, values))

    torch._dynamo.reset()
    got = gradients(torch.compile(GRADIENTS_BY_MASK[name], backend="neuron", fullgraph=True, dynamic=False))
    for ours, eagers in zip(got, gradients(GRADIENTS_BY_MASK[name])):
        assert torch.equal(ours, eagers)


def test_put_by_mask_is_cached():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.compile(_assigned, backend="neuron", fullgraph=True)(torch.ones(3, 4), ROWS, torch.ones(2, 4))
    assert torch._dynamo.utils.counters["aot_autograd"]["autograd_cache_saved"] == 1
