"""Functions of one complex number, by real functions of its parts.

Each has the branch cuts, infinities and signed zeros of eager; where the parts cancel, the forms of Kahan ("Branch cuts
for complex elementary functions") keep the error small beside the result's magnitude.
"""

import math

import torch

from .pair import Pair


def _limits_of(part):
    return torch.finfo(part.dtype)


def _limits(z):
    return _limits_of(z.re)


def absolute(z):
    return torch.hypot(z.re, z.im)


def angle(z):
    return torch.atan2(z.im, z.re)


def sgn(z):
    size = absolute(z)
    zero = size == 0
    return z.map(lambda part: torch.where(zero, torch.zeros_like(part), part / size))


def divide(a, b):
    """By the larger part of the divisor, so that nothing overflows on the way."""
    wide = (b.re.abs() >= b.im.abs()) | b.re.isnan()
    large, small = torch.where(wide, b.re, b.im), torch.where(wide, b.im, b.re)
    # Both parts 0: eager divides by the zero itself.
    zero = large == 0
    ratio = torch.where(zero, torch.zeros_like(large), small / torch.where(zero, torch.ones_like(large), large))
    scale = 1 / torch.where(zero, large.abs(), large + small * ratio)
    real = (torch.where(wide, a.re, a.im) + torch.where(wide, a.im, a.re) * ratio) * scale
    imag = torch.where(wide, a.im - a.re * ratio, a.im * ratio - a.re) * scale
    return Pair(torch.where(zero, a.re / b.re.abs(), real), torch.where(zero, a.im / b.im.abs(), imag))


def reciprocal(z):
    return divide(Pair(torch.ones_like(z.re), torch.zeros_like(z.re)), z)


def _grown(x, size, direction, scale=1.0):
    """size * direction, where size is scale * e^|x|; in two steps where that alone would overflow."""
    half = torch.exp(x.abs() * 0.5)
    return torch.where(x.abs() > math.log(_limits_of(x).max) - 2, half * (half * direction * scale), size * direction)


def exp(z):
    x, y = z.re, z.im
    size, zero = torch.exp(x), torch.zeros_like(x)
    up = x > 0
    real = torch.where(up, _grown(x, size, torch.cos(y)), size * torch.cos(y))
    imag = torch.where(up, _grown(x, size, torch.sin(y)), size * torch.sin(y))
    # The size at an infinity is known even if the direction is not.
    lost = ~y.isfinite()
    real = torch.where(lost & (x == math.inf), size, torch.where(lost & (x == -math.inf), zero, real))
    imag = torch.where(lost & (x == -math.inf), torch.copysign(zero, y), imag)
    return Pair(real, torch.where(y == 0, y, imag))


def exp2(z):
    return exp(z.map(lambda part: part * math.log(2)))


def expm1(z):
    half = torch.sin(z.im * 0.5)
    return Pair(torch.expm1(z.re) * torch.cos(z.im) - 2 * half * half, torch.exp(z.re) * torch.sin(z.im))


def _log_absolute(x, y):
    """log |x + iy|; near 1 by the distance from it."""
    x, y = x.abs(), y.abs()
    large, small = torch.maximum(x, y), torch.minimum(x, y)
    near = (large > 0.5) & (large < 2)
    beside = 0.5 * torch.log1p((large - 1) * (large + 1) + small * small)
    return torch.where(near, beside, torch.log(torch.hypot(x, y)))


def log(z):
    return Pair(_log_absolute(z.re, z.im), angle(z))


def log2(z):
    return log(z).map(lambda part: part * (1 / math.log(2)))


def log10(z):
    return log(z).map(lambda part: part * (1 / math.log(10)))


def log1p(z):
    x, y = z.re, z.im
    near = (x.abs() < 0.5) & (y.abs() < 0.5)
    size = torch.where(near, 0.5 * torch.log1p(x * (x + 2) + y * y), _log_absolute(x + 1, y))
    result = Pair(torch.where((x + 1 == 1) & (y == 0), x, size), torch.atan2(y, x + 1))
    # Eager corrects log(1 + z) by z / (1 + z - 1), which at an infinity is NaN.
    corrected = (x.isinf() | y.isinf()) & ~(((x + 1) - 1 == x) & (y == y))
    return result.map(lambda part: torch.where(corrected, torch.full_like(part, math.nan), part))


def sqrt(z):
    """sqrt((|x| + |z|) / 2), and the other part from it; scaled, so that |z| neither overflows nor loses bits."""
    limits = _limits(z)
    x, y = z.re.abs(), z.im.abs()
    large = torch.maximum(x, y)
    huge, tiny = large > limits.max / 4, large < limits.tiny * 4 / limits.eps
    one = torch.ones_like(x)
    down = torch.where(huge, one / 16, torch.where(tiny, one * 2.0 ** (2 * (13 if limits.bits == 32 else 27)), one))
    up = torch.where(huge, one * 4, torch.where(tiny, one / 2.0 ** (13 if limits.bits == 32 else 27), one))
    x, y = x * down, y * down
    root = torch.sqrt((x + torch.hypot(x, y)) * 0.5)
    other = torch.where(root == 0, y, y / (2 * root))
    root, other = root * up, other * up
    right = z.re >= 0
    real, imag = torch.where(right, root, other), torch.where(right, other, root)
    infinite = z.im.isinf()
    real = torch.where(infinite, z.im.abs(), real)
    imag = torch.where(infinite, z.im.abs(), imag)
    # -inf + iy is 0 + i inf, inf + iy is inf + i0.
    flat = z.re.isinf() & z.im.isfinite()
    nothing = torch.zeros_like(x)
    real = torch.where(flat, torch.where(right, z.re, nothing), real)
    imag = torch.where(flat, torch.where(right, nothing, z.re.abs()), imag)
    return Pair(real, torch.copysign(imag, z.im))


def rsqrt(z):
    return reciprocal(sqrt(z))


def sigmoid(z):
    size = exp(-z)
    return reciprocal(Pair(1 + size.re, size.im))


def cosh(z):
    x, y = z.re, z.im
    lost = ~y.isfinite()
    real = _grown(x, torch.cosh(x), torch.cos(y), 0.5)
    imag = _grown(x, torch.sinh(x), torch.sin(y), torch.copysign(torch.full_like(x, 0.5), x))
    real = torch.where(x.isinf() & lost, x.abs(), real)
    imag = torch.where((x == 0) & lost, torch.zeros_like(y), imag)
    flat = torch.where(x.isnan(), y, torch.copysign(torch.ones_like(x), x) * y)
    return Pair(real, torch.where((y == 0) & ~torch.sinh(x).isfinite(), flat, imag))


def sinh(z):
    x, y = z.re, z.im
    lost = ~y.isfinite()
    real = _grown(x, torch.sinh(x), torch.cos(y), torch.copysign(torch.full_like(x, 0.5), x))
    imag = _grown(x, torch.cosh(x), torch.sin(y), 0.5)
    real = torch.where(lost & (x == 0), x, torch.where(lost & x.isinf(), x.abs(), real))
    return Pair(real, torch.where(y == 0, y, imag))


def tanh(z):
    x, y = z.re, z.im
    t, s = torch.tan(y), torch.sinh(x)
    beta = 1 + t * t
    rho = torch.sqrt(1 + s * s)
    below = 1 + beta * s * s
    real, imag = beta * rho * s / below, t / below
    # Where tan is infinite, or sinh overflows.
    limit = 9 if _limits(z).bits == 32 else 20
    far = x.abs() > limit
    small = torch.exp(-x.abs())
    real = torch.where(far, torch.copysign(torch.ones_like(x), x), real)
    imag = torch.where(far, 4 * torch.sin(y) * torch.cos(y) * small * small, imag)
    lost, infinite = ~y.isfinite(), x.isinf()
    real = torch.where(lost & ~infinite, torch.full_like(x, math.nan), real)
    imag = torch.where(lost & infinite, torch.copysign(torch.zeros_like(y), y), imag)
    return Pair(torch.where(x == 0, x, real), torch.where(y == 0, y, imag))


def cos(z):
    return cosh(z.times_i())


def sin(z):
    result = sinh(z.times_i()).over_i()
    return Pair(result.re, torch.where(z.im.isinf() & ~z.re.isfinite(), z.im.abs(), result.im))


def tan(z):
    return tanh(z.times_i()).over_i()


def _around(z):
    """sqrt(1 - z), sqrt(1 + z)"""
    return sqrt(Pair(1 - z.re, -z.im)), sqrt(Pair(1 + z.re, z.im))


def asin(z):
    below, above = _around(z)
    x, y = z.re, z.im
    wide, tall = x.isinf(), y.isinf()
    beside = torch.where(wide, torch.where(tall, x.abs(), torch.zeros_like(x)), (below * above).re)
    real = torch.atan2(x, torch.where(tall & ~wide, y.abs(), beside))
    imag = torch.asinh((below.conj() * above).im)
    imag = torch.where(wide | tall, torch.copysign(torch.full_like(y, math.inf), y), imag)
    real = torch.where(wide & y.isnan(), y, torch.where(x == 0, x, real))
    return Pair(real, imag)


def acos(z):
    below, above = _around(z)
    real = 2 * torch.atan2(below.re, above.re)
    imag = torch.asinh((above.conj() * below).im)
    infinite = z.re.isinf() | z.im.isinf()
    imag = torch.where(infinite, torch.copysign(torch.full_like(imag, math.inf), -z.im), imag)
    imag = torch.where(infinite & z.im.isnan(), torch.full_like(imag, -math.inf), imag)
    real = torch.where(infinite, torch.atan2(z.im.abs(), z.re), real)
    real = torch.where((z.re == 0) & z.im.isnan(), torch.full_like(real, math.pi / 2), real)
    return Pair(torch.where(z.re.isnan(), z.re, real), imag)


def atan(z):
    result = atanh(z.times_i()).over_i()
    # The sign of a NaN means nothing.
    return Pair(result.re, torch.where(z.re.isinf() & z.im.isnan(), torch.zeros_like(z.im), result.im))


def asinh(z):
    return asin(z.times_i()).over_i()


def acosh(z):
    below, above = sqrt(Pair(z.re - 1, z.im)), sqrt(Pair(z.re + 1, z.im))
    real, imag = torch.asinh((below.conj() * above).re), 2 * torch.atan2(below.im, above.re)
    infinite = z.re.isinf() | z.im.isinf()
    real = torch.where(infinite, torch.full_like(real, math.inf), real)
    imag = torch.where(infinite, torch.atan2(z.im, z.re), imag)
    imag = torch.where((z.re == 0) & z.im.isnan(), torch.full_like(imag, math.pi / 2), imag)
    return Pair(real, torch.where(z.re.isnan(), z.re, imag))


def atanh(z):
    x, y = z.re, z.im
    limits = _limits(z)
    far = torch.maximum(x.abs(), y.abs()) > math.sqrt(limits.max) / 4
    nearby = torch.where(far, torch.zeros_like(x), x), torch.where(far, torch.zeros_like(y), y)
    real = 0.25 * torch.log1p(4 * nearby[0].abs() / ((1 - nearby[0].abs()) ** 2 + nearby[1] * nearby[1]))
    imag = 0.5 * torch.atan2(2 * nearby[1], (1 - nearby[0]) * (1 + nearby[0]) - nearby[1] * nearby[1])
    inverse = reciprocal(z)
    real = torch.where(far, inverse.re.abs(), real)
    imag = torch.where(far, torch.copysign(torch.full_like(y, math.pi / 2), y), imag)
    # y * y is 0 beside a pole.
    pole = (x.abs() == 1) & (y.abs() < 1e-3)
    real = torch.where(pole, 0.5 * (math.log(2) - torch.log(y.abs())), real)
    infinite = x.isinf() | y.isinf()
    real = torch.where(infinite | ((x == 0) & y.isnan()), torch.zeros_like(x), real)
    imag = torch.where(y.isnan(), y, torch.where(y.isinf(), torch.copysign(torch.full_like(y, math.pi / 2), y), imag))
    return Pair(torch.copysign(real, x), imag)


def power(z, exponent):
    """As eager: 0 to the 0 is NaN, unless the exponent is a number."""
    power = exponent * log(z)
    result = exp(power)
    nothing = (power.re == -math.inf) & power.im.isnan()
    return Pair(result.re, torch.where(nothing, torch.full_like(result.im, -0.0), result.im))
