"""Rules of elementwise operations; the functions are in functions.py."""

import math

import torch

from . import functions, trigonometry
from .pair import REAL, Pair
from .rules import elementwise, linear, nonzero

aten, prims = torch.ops.aten, torch.ops.prims


@elementwise
def _multiply(a, b):
    return a * b


@elementwise
def _divide(a, b):
    return functions.divide(a, b)


def add(a, b, *, alpha=1, result):
    """Eager multiplies by alpha even if it is 1: infinities times 0 are NaN."""
    return elementwise(lambda x, y, scale: x + y * scale)(a, b, complex(alpha), result=result)


def sub(a, b, alpha=1, *, result):
    return elementwise(lambda x, y, scale: x + y * scale)(a, b, complex(-alpha), result=result)


def rsub(a, b, alpha=1, *, result):
    return sub(b, a, alpha, result=result)


def div(a, b, *, rounding_mode=None, result):
    return NotImplemented if rounding_mode else _divide(a, b, result=result)


def addcmul(x, a, b, *, value=1, result):
    return elementwise(lambda x, a, b, value: x + value * a * b)(x, a, b, complex(value), result=result)


def addcdiv(x, a, b, *, value=1, result):
    return elementwise(lambda x, a, b, value: x + functions.divide(value * a, b))(
        x, a, b, complex(value), result=result
    )


def lerp(start, end, weight, *, result):
    """From the nearer end, as eager."""

    @elementwise
    def mixed(start, end, weight):
        difference = end - start
        near = functions.absolute(weight) < 0.5
        low = start + weight * difference
        rest = Pair(1 - weight.re, -weight.im)
        high = end - difference * rest
        return Pair(torch.where(near, low.re, high.re), torch.where(near, low.im, high.im))

    return mixed(start, end, weight, result=result)


def power(base, exponent, *, result):
    """Exponents that are numbers and small are products, as in eager."""
    known = exponent.real if isinstance(exponent, (int, float, complex)) and exponent.imag == 0 else None
    unary = _POWERS.get(known)
    if unary and isinstance(base, Pair):
        return unary(base.to(result))
    return elementwise(functions.power)(base, exponent, result=result)


_POWERS = {
    0: lambda z: Pair(torch.ones_like(z.re), torch.zeros_like(z.re)),
    1: lambda z: Pair(z.re, z.im),
    2: lambda z: z * z,
    3: lambda z: z * z * z,
    0.5: functions.sqrt,
    -0.5: functions.rsqrt,
    -1: functions.reciprocal,
    -2: lambda z: functions.reciprocal(z * z),
}

for _rule in (add, sub, rsub, div, addcmul, addcdiv, lerp, power):
    _rule.wants_result = True


def _compared(compare, join):
    @elementwise
    def rule(a, b):
        return join(compare(a.re, b.re), compare(a.im, b.im))

    return rule


def _tested(test, join):
    return lambda x: join(test(x.re), test(x.im))


def _either(a, b):
    return a | b


def _both(a, b):
    return a & b


def _logical(op):
    return lambda *args: op(*[nonzero(arg) for arg in args])


def convert(x, dtype):
    """To another dtype, from complex or to it; copies."""
    if not isinstance(x, Pair):
        part = x.to(REAL[dtype])
        return Pair(part, torch.zeros_like(part))
    if dtype in REAL:
        return Pair(x.re, x.im).to(dtype)
    return nonzero(x) if dtype == torch.bool else x.re.to(dtype)


def to_copy(x, *, dtype=None, device=None, **kwargs):
    del kwargs  # layout, memory format: of no value
    if dtype is None and not isinstance(x, Pair):
        return NotImplemented
    result = convert(x, x.dtype if dtype is None else dtype)
    if device is None:
        return result
    return result.map(lambda part: part.to(device)) if isinstance(result, Pair) else result.to(device)


def complex_of(re, im):
    """aten.complex; the parts may broadcast."""
    dtype = torch.promote_types(re.dtype, im.dtype)
    return Pair(*torch.broadcast_tensors(re.to(dtype), im.to(dtype)))


def polar(size, direction):
    return Pair(size * torch.cos(direction), size * torch.sin(direction))


def _sinc(z):
    zero = (z.re == 0) & (z.im == 0)
    scaled = z.map(lambda part: part * math.pi)
    value = functions.divide(trigonometry.sin(scaled), scaled)
    return Pair(torch.where(zero, torch.ones_like(z.re), value.re), torch.where(zero, torch.zeros_like(z.im), value.im))


def _same(x):
    return Pair(x.re, x.im)


_UNARY = {
    aten.abs: functions.absolute,
    aten.angle: functions.angle,
    aten.sgn: functions.sgn,
    aten.reciprocal: functions.reciprocal,
    aten.exp: functions.exp,
    aten.exp2: functions.exp2,
    aten.expm1: functions.expm1,
    aten.log: functions.log,
    aten.log2: functions.log2,
    aten.log10: functions.log10,
    aten.log1p: functions.log1p,
    aten.sqrt: functions.sqrt,
    aten.rsqrt: functions.rsqrt,
    aten.sigmoid: functions.sigmoid,
    aten.silu: lambda z: z * functions.sigmoid(z),
    aten.sinc: _sinc,
    aten.cosh: trigonometry.cosh,
    aten.sinh: trigonometry.sinh,
    aten.tanh: trigonometry.tanh,
    aten.cos: trigonometry.cos,
    aten.sin: trigonometry.sin,
    aten.tan: trigonometry.tan,
    aten.acos: trigonometry.acos,
    aten.asin: trigonometry.asin,
    aten.atan: trigonometry.atan,
    aten.acosh: trigonometry.acosh,
    aten.asinh: trigonometry.asinh,
    aten.atanh: trigonometry.atanh,
    aten.neg: lambda z: -z,
    aten.square: lambda z: z * z,
    aten.conj_physical: lambda z: z.conj(),
    aten._conj_physical: lambda z: z.conj(),
    aten.positive: _same,
}

TABLE = {
    **_UNARY,
    aten.mul: _multiply,
    aten.div: div,
    aten.true_divide: div,
    aten.add: add,
    aten.sub: sub,
    aten.rsub: rsub,
    aten.addcmul: addcmul,
    aten.addcdiv: addcdiv,
    aten.lerp: lerp,
    aten.pow: power,
    aten.eq: _compared(torch.eq, _both),
    aten.ne: _compared(torch.ne, _either),
    aten.isnan: _tested(torch.isnan, _either),
    aten.isinf: _tested(torch.isinf, _either),
    aten.isfinite: _tested(torch.isfinite, _both),
    aten.logical_not: _logical(torch.logical_not),
    aten.logical_and: _logical(torch.logical_and),
    aten.logical_or: _logical(torch.logical_or),
    aten.logical_xor: _logical(torch.logical_xor),
    aten.where: linear(aten.where, 1, 2),
    aten.masked_fill: linear(aten.masked_fill, 0, 2),
    aten.clone: lambda x, memory_format=None: _same(x),
    aten.contiguous: lambda x, memory_format=None: _same(x),
    aten.lift: _same,
    aten.lift_fresh: _same,
    aten.lift_fresh_copy: _same,
    aten.resolve_conj: _same,
    aten.resolve_neg: _same,
    aten.complex: complex_of,
    aten.polar: polar,
    aten._to_copy: to_copy,
    aten.to.dtype: lambda x, dtype, *args: convert(x, dtype),
    prims.convert_element_type: convert,
}
