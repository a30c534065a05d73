"""Rules of reductions and scans."""

import torch

from . import functions
from .pair import REAL, Pair
from .rules import linear, nonzero

aten = torch.ops.aten


def _product(x, dim):
    """Along one dimension, by halves."""
    count = x.shape[dim]
    if count == 0:
        size = [n for i, n in enumerate(x.shape) if i != dim]
        return Pair(x.re.new_ones(size), x.re.new_zeros(size))
    while count > 1:
        half = count // 2
        first = x.map(lambda part, half=half: part.narrow(dim, 0, half))
        second = x.map(lambda part, half=half: part.narrow(dim, half, half))
        rest = x.map(lambda part, half=half, count=count: part.narrow(dim, 2 * half, count - 2 * half))
        x, count = first * second, half
        if rest.shape[dim]:
            # The odd one goes to the first.
            more = x.map(lambda part: part.narrow(dim, 0, 1)) * rest
            others = x.map(lambda part, half=half: part.narrow(dim, 1, half - 1))
            x = Pair(torch.cat([more.re, others.re], dim), torch.cat([more.im, others.im], dim))
    return x.map(lambda part: part.squeeze(dim))


def _cast(x, dtype):
    from .elementwise import convert

    return x if dtype is None or (isinstance(x, Pair) and x.dtype == dtype) else convert(x, dtype)


def prod(x, *, dtype=None):
    x = _cast(x, dtype)
    return _product(x.map(lambda part: part.reshape(-1)), 0)


def prod_dim(x, dim, keepdim=False, *, dtype=None):
    x = _cast(x, dtype)
    if x.ndim == 0:
        return Pair(x.re, x.im)
    result = _product(x, dim % x.ndim)
    return result.map(lambda part: part.unsqueeze(dim)) if keepdim else result


def cumprod(x, dim, *, dtype=None):
    """Each step multiplies by what lies twice as far away."""
    x = _cast(x, dtype)
    if x.ndim == 0 or 0 in x.shape:
        return Pair(x.re, x.im)
    dim %= x.ndim
    count, step = x.shape[dim], 1
    while step < count:

        def part(at, length, x=x):
            return x.map(lambda half: half.narrow(dim, at, length))

        later = part(step, count - step) * part(0, count - step)
        kept = part(0, step)
        x = Pair(torch.cat([kept.re, later.re], dim), torch.cat([kept.im, later.im], dim))
        step *= 2
    return Pair(x.re, x.im)


def _of_both(op):
    """A variance: that of the real part and that of the imaginary part."""
    return lambda x, *args, **kwargs: op(x.re, *args, **kwargs) + op(x.im, *args, **kwargs)


def _with_mean(op):
    def rule(x, *args, **kwargs):
        (first, re), (second, im) = op(x.re, *args, **kwargs), op(x.im, *args, **kwargs)
        return first + second, Pair(re, im)

    return rule


def _root(rule):
    def rooted(x, *args, **kwargs):
        result = rule(x, *args, **kwargs)
        return (result[0].sqrt(), result[1]) if isinstance(result, tuple) else result.sqrt()

    return rooted


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    size = functions.absolute(x)
    return aten.linalg_vector_norm(size, ord, dim, keepdim, dtype=REAL.get(dtype, dtype))


def dist(a, b, p=2):
    from .rules import elementwise

    difference = elementwise(lambda x, y: x - y)(a, b, result=None)
    return aten.linalg_vector_norm(functions.absolute(difference).reshape(-1), p)


def _logical(op):
    return lambda x, *args: op(nonzero(x), *args)


TABLE = {
    aten.sum: linear(aten.sum),
    aten.mean: linear(aten.mean),
    aten.cumsum: linear(aten.cumsum),
    aten.prod.default: prod,
    aten.prod.dim_int: prod_dim,
    aten.cumprod: cumprod,
    aten.var: _of_both(aten.var),
    aten.std: _root(_of_both(aten.var)),
    aten.var_mean: _with_mean(aten.var_mean),
    aten.std_mean: _root(_with_mean(aten.var_mean)),
    aten.linalg_vector_norm: vector_norm,
    aten.dist: dist,
    aten.any: _logical(aten.any),
    aten.all: _logical(aten.all),
}
