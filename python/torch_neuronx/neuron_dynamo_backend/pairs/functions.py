"""Functions of one complex number, by real functions of its parts.

Each has the branch cuts, infinities and signed zeros of eager. The trigonometric ones are in trigonometry.py.
"""

import math

import torch

from .pair import Pair


def _limits_of(part):
    return torch.finfo(part.dtype)


def limits(z):
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


def grown(x, size, direction, scale=1.0):
    """size * direction, where size is scale * e^|x|; in two steps where that alone would overflow."""
    half = torch.exp(x.abs() * 0.5)
    return torch.where(x.abs() > math.log(_limits_of(x).max) - 2, half * (half * direction * scale), size * direction)


def exp(z):
    x, y = z.re, z.im
    size, zero = torch.exp(x), torch.zeros_like(x)
    up = x > 0
    real = torch.where(up, grown(x, size, torch.cos(y)), size * torch.cos(y))
    imag = torch.where(up, grown(x, size, torch.sin(y)), size * torch.sin(y))
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
    limit = limits(z)
    x, y = z.re.abs(), z.im.abs()
    large = torch.maximum(x, y)
    huge, tiny = large > limit.max / 4, large < limit.tiny * 4 / limit.eps
    one = torch.ones_like(x)
    down = torch.where(huge, one / 16, torch.where(tiny, one * 2.0 ** (2 * (13 if limit.bits == 32 else 27)), one))
    up = torch.where(huge, one * 4, torch.where(tiny, one / 2.0 ** (13 if limit.bits == 32 else 27), one))
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


def power(z, exponent):
    """As eager: 0 to the 0 is NaN, unless the exponent is a number."""
    power = exponent * log(z)
    result = exp(power)
    nothing = (power.re == -math.inf) & power.im.isnan()
    return Pair(result.re, torch.where(nothing, torch.full_like(result.im, -0.0), result.im))
