"""Trigonometric and hyperbolic functions of one complex number, and their inverses, by real functions of its parts.

Where parts cancel, the forms of Kahan ("Branch cuts for complex elementary functions") keep the error small beside the
result's modulus.
"""

import math

import torch

from .functions import grown, limits, reciprocal, sqrt
from .pair import Pair


def cosh(z):
    x, y = z.re, z.im
    lost = ~y.isfinite()
    real = grown(x, torch.cosh(x), torch.cos(y), 0.5)
    imag = grown(x, torch.sinh(x), torch.sin(y), torch.copysign(torch.full_like(x, 0.5), x))
    real = torch.where(x.isinf() & lost, x.abs(), real)
    imag = torch.where((x == 0) & lost, torch.zeros_like(y), imag)
    flat = torch.where(x.isnan(), y, torch.copysign(torch.ones_like(x), x) * y)
    return Pair(real, torch.where((y == 0) & ~torch.sinh(x).isfinite(), flat, imag))


def sinh(z):
    x, y = z.re, z.im
    lost = ~y.isfinite()
    real = grown(x, torch.sinh(x), torch.cos(y), torch.copysign(torch.full_like(x, 0.5), x))
    imag = grown(x, torch.cosh(x), torch.sin(y), 0.5)
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
    limit = 9 if limits(z).bits == 32 else 20
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
    largest = limits(z).max
    far = torch.maximum(x.abs(), y.abs()) > math.sqrt(largest) / 4
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
