"""Rules of what moves numbers, and of what makes them: the same for both parts."""

import torch

from .pair import REAL, Pair, parts_of
from .rules import linear

aten = torch.ops.aten


def _full(op, at):
    """A tensor of one number, which is the argument at `at`."""
    return linear(op, at)


def _made(op):
    """Zeros, or memory of whatever: `op` of sizes, or like a tensor."""

    def rule(*args, dtype=None, result, **kwargs):
        args = [arg.re if isinstance(arg, Pair) else arg for arg in args]
        kwargs = {**kwargs, "dtype": REAL.get(result) or dtype}
        value = op(*args, **kwargs)
        return value if result is None else Pair(value, torch.zeros_like(value))

    rule.wants_result = True
    return rule


def _filled_like(x, value, *, dtype=None, result, **kwargs):
    x = x.re if isinstance(x, Pair) else x
    if result is None:
        return aten.full_like(x, value, dtype=dtype, **kwargs)
    kwargs["dtype"] = REAL[result]
    return Pair(aten.full_like(x, value.real, **kwargs), aten.full_like(x, value.imag, **kwargs))


def new_full(x, size, value, *, dtype=None, result, **kwargs):
    x = x.re if isinstance(x, Pair) else x
    if result is None:
        return aten.new_full(x, size, value, dtype=dtype, **kwargs)
    kwargs["dtype"] = REAL[result]
    return Pair(aten.new_full(x, size, value.real, **kwargs), aten.new_full(x, size, value.imag, **kwargs))


def _drawn(op):
    """Normal numbers: the variance is that of both parts together."""

    def rule(*args, dtype=None, result, **kwargs):
        args = [arg.re if isinstance(arg, Pair) else arg for arg in args]
        kwargs = {**kwargs, "dtype": REAL.get(result, dtype)}
        if result is None:
            return op(*args, **kwargs)
        return Pair(op(*args, **kwargs) * 0.5**0.5, op(*args, **kwargs) * 0.5**0.5)

    rule.wants_result = True
    return rule


def normal(x, mean=0, std=1, *, generator=None):
    part = 0.5**0.5 * std
    return Pair(
        aten.normal_functional(x.re, mean.real, part, generator=generator),
        aten.normal_functional(x.im, mean.imag, part, generator=generator),
    )


def uniform(x, low=0, high=1, *, generator=None):
    return Pair(aten.uniform(x.re, low, high, generator=generator), aten.uniform(x.im, low, high, generator=generator))


def copy(x, source, non_blocking=False):
    """`source` in the dtype and the shape of x."""
    from .elementwise import convert

    if not isinstance(x, Pair):
        return convert(source, x.dtype).expand(x.shape)
    value = convert(source, x.dtype)
    return value.map(lambda part: part.expand(x.shape))


# Of how many numbers a scatter makes products, one after the other.
_MOST_FACTORS = 64


def scatter_reduce(x, dim, index, source, *, reduce, result):
    """reduce: "add" or "multiply"; `source` is a tensor or a number."""
    from .elementwise import _multiply as multiply

    if not isinstance(source, (Pair, torch.Tensor)):
        source = parts_of(source, x).map(lambda part: part.expand(index.shape))
    if reduce == "add":
        return linear(aten.scatter_add, 0, 3)(x, dim, index, source, result=result)
    if x.ndim == 0 or index.shape[dim] > _MOST_FACTORS:
        return NotImplemented
    source = parts_of(source, x).map(lambda part: part[tuple(slice(n) for n in index.shape)])
    for number in range(index.shape[dim]):
        at = index.narrow(dim, number, 1)
        factor = source.map(lambda part, number=number: part.narrow(dim, number, 1))
        value = multiply(x.map(lambda part, at=at: part.gather(dim, at)), factor, result=result)
        x = Pair(x.re.scatter(dim, at, value.re), x.im.scatter(dim, at, value.im))
    return x


for _rule in (_filled_like, new_full, scatter_reduce):
    _rule.wants_result = True

_OF_THE_FIRST = """
    flip roll repeat index index_select gather _unsafe_index take embedding im2col col2im tril triu
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d
    expand_copy permute_copy squeeze_copy unsqueeze_copy transpose_copy view_copy unbind_copy split_with_sizes_copy
    narrow_copy unfold_copy _reshape_copy diagonal_copy slice_copy select_copy t_copy alias_copy
    split_copy detach_copy
""".split()
_OF_TWO = "select_scatter slice_scatter diagonal_scatter fill".split()

TABLE = {
    **{getattr(aten, name): linear(getattr(aten, name)) for name in _OF_THE_FIRST},
    **{getattr(aten, name): linear(getattr(aten, name), 0, 1) for name in _OF_TWO},
    aten.cat: linear(aten.cat, 0),
    aten.stack: linear(aten.stack, 0),
    aten.constant_pad_nd: linear(aten.constant_pad_nd, 0, 2),
    aten.masked_scatter: linear(aten.masked_scatter, 0, 2),
    aten.index_put: linear(aten.index_put, 0, 2),
    aten._unsafe_index_put: linear(aten._unsafe_index_put, 0, 2),
    aten.put: linear(aten.put, 0, 2),
    aten.scatter.src: linear(aten.scatter.src, 0, 3),
    aten.scatter.value: linear(aten.scatter.value, 0, 3),
    aten.scatter_add: linear(aten.scatter_add, 0, 3),
    aten.scatter.reduce: scatter_reduce,
    aten.scatter.value_reduce: scatter_reduce,
    aten.copy: copy,
    aten.full: _full(aten.full, 1),
    aten.scalar_tensor: _full(aten.scalar_tensor, 0),
    aten.full_like: _filled_like,
    aten.new_full: new_full,
    **{
        getattr(aten, name): _made(getattr(aten, name))
        for name in "zeros ones empty empty_strided empty_permuted zeros_like ones_like empty_like new_zeros new_ones "
        "new_empty new_empty_strided".split()
    },
    aten.randn: _drawn(aten.randn),
    aten.randn_like: _drawn(aten.randn_like),
    aten.normal_functional: normal,
}
