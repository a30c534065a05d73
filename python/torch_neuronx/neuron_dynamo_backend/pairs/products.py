"""Rules of products of matrices: four real ones."""

import torch

from .elementwise import _multiply as multiply
from .elementwise import add
from .pair import Pair
from .rules import elementwise

aten = torch.ops.aten


def _product(op):
    @elementwise
    def rule(a, b):
        return Pair(op(a.re, b.re) - op(a.im, b.im), op(a.re, b.im) + op(a.im, b.re))

    return rule


mm, bmm, mv, dot = (_product(op) for op in (aten.mm, aten.bmm, aten.mv, aten.dot))


def _added(product):
    """beta * x + alpha * product; with beta = 0, x is not read."""

    def rule(x, a, b, *, beta=1, alpha=1, result):
        value = product(a, b, result=result)
        if alpha != 1:
            value = multiply(value, alpha, result=result)
        if beta == 0:
            return value
        return add(x if beta == 1 else multiply(x, beta, result=result), value, result=result)

    rule.wants_result = True
    return rule


@elementwise
def _outer(a, b):
    return a.map(lambda part: part.unsqueeze(1)) * b


@elementwise
def vdot(a, b):
    return dot(a.conj(), b, result=a.dtype)


@elementwise
def _summed(a, b):
    product = bmm(a, b, result=a.dtype)
    return product.map(lambda part: part.sum(0))


def linear(x, weight, bias=None, *, result):
    @elementwise
    def product(x, weight):
        return _product(lambda a, b: aten.linear(a, b))(x, weight, result=x.dtype)

    value = product(x, weight, result=result)
    return value if bias is None else add(value, bias, result=result)


def convolution(x, weight, bias, *settings, result):
    product = _product(lambda a, b: aten.convolution(a, b, None, *settings))(x, weight, result=result)
    if bias is None:
        return product
    rank = x.ndim - 2
    return add(product, bias.map(lambda part: part.reshape([-1] + [1] * rank)), result=result)


linear.wants_result = convolution.wants_result = True

TABLE = {
    aten.mm: mm,
    aten.bmm: bmm,
    aten.mv: mv,
    aten.dot: dot,
    aten.vdot: vdot,
    aten.addmm: _added(mm),
    aten.baddbmm: _added(bmm),
    aten.addmv: _added(mv),
    aten.addr: _added(_outer),
    aten.addbmm: _added(_summed),
    aten.linear: linear,
    aten.convolution: convolution,
}
