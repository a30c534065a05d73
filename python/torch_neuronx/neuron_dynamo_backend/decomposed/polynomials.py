"""Orthogonal polynomials (torch.special.*_polynomial_*) by the steps that eager takes (ATen/native/Math.h).

Eager counts up to n for each element by itself. A graph has a fixed number of steps: those of n where it is a number,
else LIMIT, and an element that needs more ends the execution with an error. Inside of (-1, 1) Chebyshev's polynomials
of large n are functions of an angle, of whatever n, and what has become NaN stays so.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes

aten = torch.ops.aten

#: Steps of the recurrence in a graph.
LIMIT = 64


def _sign(n):
    """(-1)^n of what is a whole number."""
    return torch.where(n % 2 == 0, 1, -1).to(n.dtype)


def _by_double(function, x):
    """Correctly rounded but for rare cases, as C's functions of float are: their last places count n times."""
    return function(x.double()).to(x.dtype)


def _fused(a, b, c):
    """a * b + c of float32, rounded once: eager's compiler makes such instructions of its loops, and where terms cancel
    it shows. In float64 the rounding of the product is too small for that."""
    if a.dtype != torch.float32:
        return a * b + c
    return (a.double() * b.double() + c.double()).float()


@dataclasses.dataclass(frozen=True)
class Kind:
    """`first` is P_1 of x; `step` is P_k of x, k, P_(k-2) and P_(k-1). `known` lists (where, value) of x and n that are
    not computed by steps, for n that is not negative; the first of them counts."""

    first: Callable
    step: Callable
    known: Callable


def _evaluate(kind, name, x, n):
    """P_n(x) in the dtype that PyTorch gives it; x or n may be a number."""
    dtype, _ = elementwise_dtypes(x, n, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.INT_TO_FLOAT)
    if dtype not in (torch.float32, torch.float64):
        return NotImplemented
    device = (x if isinstance(x, torch.Tensor) else n).device
    number = None if isinstance(n, torch.Tensor) else int(n) if math.isfinite(n) else -1
    exact = number is not None and number <= LIMIT
    steps = number if exact else LIMIT
    x, n = (
        v.to(dtype) if isinstance(v, torch.Tensor) else torch.full((), v, dtype=dtype, device=device) for v in (x, n)
    )
    # As C's conversion to int64 on x86, which gives the smallest one of what it does not hold.
    n = torch.where(n.abs() < 2.0**63, n.trunc(), -1)

    p, q = torch.ones_like(x), kind.first(x)
    result = torch.where(n == 0, p, q)
    for k in range(2, steps + 1):
        p, q = q, kind.step(x, k, p, q)
        result = q if exact else torch.where(n == k, q, result)
    known = [(n < 0, torch.zeros_like(n)), *kind.known(x, n)]
    if not exact:
        done = functools.reduce(torch.logical_or, [where for where, _ in known], (n <= steps) | q.isnan())
        torch._assert_async(
            done.all(), f"{name}: n is larger than {LIMIT} for an element that is not computed in closed form"
        )
        result = torch.where(n > steps, q, result)
    for where, value in reversed(known):
        result = torch.where(where, value, result)
    return result


def _chebyshev(shifted, over, first, at_one, at_minus_one, closed):
    """`closed` is of n and the angle, where n is larger than `over`."""

    def argument(x):
        return x + x - 1 if shifted else x

    def known(x, n):
        t = argument(x)
        inside = (n > over) & (t.abs() < 1)
        angle = _by_double(torch.acos, torch.where(inside, t, 0))
        ones = (x == 1, x == 0) if shifted else (x == 1, x == -1)
        return [(ones[0], at_one(n)), (ones[1], at_minus_one(n)), (inside, closed(n, angle, x))]

    def step(x, k, p, q):
        t = argument(x)
        return _fused(t + t, q, -p)

    return Kind(lambda x: first(argument(x)), step, known)


def _t(n, angle, x):
    return _by_double(torch.cos, n * angle)


def _u(n, angle, x):
    return _by_double(torch.sin, (n + 1) * angle) / _by_double(torch.sin, angle)


def _v(n, angle, x):
    half = angle / 2
    value = _by_double(torch.cos, (n + 0.5) * angle) / _by_double(torch.cos, half)
    return torch.where(_by_double(torch.sin, half) == 1, _sign(n) * (n + n + 1), value)


def _w(n, angle, x):
    half = angle / 2
    value = _by_double(torch.sin, (n + 0.5) * angle) / _by_double(torch.sin, half)
    return torch.where(_by_double(torch.cos, half) == 1, torch.where(x > 0, n + n + 1, _sign(n)), value)


def _w_shifted(n, angle, x):
    # Eager takes the end at -1 for the one at 1.
    return torch.where(_by_double(torch.cos, angle / 2) == 1, _sign(n), _w(n, angle, x))


def _one(n):
    return torch.ones_like(n)


def _hermite(first, step):
    """Eager gives NaN from an n on that depends on the dtype."""

    def known(x, n):
        return [(n > (128 if n.dtype == torch.float32 else 512), torch.full_like(n, torch.nan))]

    return Kind(first, step, known)


_KINDS = {
    "hermite_polynomial_h": _hermite(lambda x: x + x, lambda x, k, p, q: _fused(x + x, q, (2 - 2 * k) * p)),
    "hermite_polynomial_he": _hermite(lambda x: x, lambda x, k, p, q: _fused(x, q, (1 - k) * p)),
    "laguerre_polynomial_l": Kind(
        lambda x: 1 - x,
        lambda x, k, p, q: _fused(2 * k - 2 + (1 - x), q, (1 - k) * p) / k,
        lambda x, n: [(x == 0, _one(n))],
    ),
    "legendre_polynomial_p": Kind(
        lambda x: x,
        lambda x, k, p, q: _fused((2 * k - 1) * x, q, (1 - k) * p) / k,
        lambda x, n: [(x == 1, _one(n)), (x == -1, _sign(n))],
    ),
}
# letter -> the smallest n by angle less one, the same of the shifted one, P_1, at 1, at -1, by angle
for _letter, _over, _over_shifted, *_forms in (
    ("t", 6, 6, lambda t: t, _one, _sign, _t),
    ("u", 8, 6, lambda t: t + t, lambda n: n + 1, lambda n: _sign(n) * (n + 1), _u),
    ("v", 8, 6, lambda t: t + t - 1, _one, lambda n: _sign(n) * (n + n + 1), _v),
    ("w", 8, 4, lambda t: t + t + 1, lambda n: n + n + 1, _sign, _w),
):
    _KINDS[f"chebyshev_polynomial_{_letter}"] = _chebyshev(False, _over, *_forms)
    if _letter == "w":
        _forms[-1] = _w_shifted
    _KINDS[f"shifted_chebyshev_polynomial_{_letter}"] = _chebyshev(True, _over_shifted, *_forms)


TABLE = {
    getattr(getattr(aten, f"special_{name}"), overload): functools.partial(_evaluate, kind, f"special_{name}")
    for name, kind in _KINDS.items()
    for overload in ("default", "x_scalar", "n_scalar")
}
