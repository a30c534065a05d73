"""Airy's function Ai, by the steps and coefficients that eager takes (ATen/native/Math.h, after Cephes)."""

import math

import torch

# Numerators and denominators of rational functions, the highest power first.
_AN = (
    3.46538101525629032477e-01,
    1.20075952739645805542e01,
    7.62796053615234516538e01,
    1.68089224934630576269e02,
    1.59756391350164413639e02,
    7.05360906840444183113e01,
    1.40264691163389668864e01,
    9.99999999999999995305e-01,
)
_AD = (
    5.67594532638770212846e-01,
    1.47562562584847203173e01,
    8.45138970141474626562e01,
    1.77318088145400459522e02,
    1.64234692871529701831e02,
    7.14778400825575695274e01,
    1.40959135607834029598e01,
    1.00000000000000000470e00,
)
_AFN = (
    -1.31696323418331795333e-01,
    -6.26456544431912369773e-01,
    -6.93158036036933542233e-01,
    -2.79779981545119124951e-01,
    -4.91900132609500318020e-02,
    -4.06265923594885404393e-03,
    -1.59276496239262096340e-04,
    -2.77649108155232920844e-06,
    -1.67787698489114633780e-08,
)
_AFD = (
    1.33560420706553243746e01,
    3.26825032795224613948e01,
    2.67367040941499554804e01,
    9.18707402907259625840e00,
    1.47529146771666414581e00,
    1.15687173795188044134e-01,
    4.40291641615211203805e-03,
    7.54720348287414296618e-05,
    4.51850092970580378464e-07,
)
_AGN = (
    1.97339932091685679179e-02,
    3.91103029615688277255e-01,
    1.06579897599595591108e00,
    9.39169229816650230044e-01,
    3.51465656105547619242e-01,
    6.33888919628925490927e-02,
    5.85804113048388458567e-03,
    2.82851600836737019778e-04,
    6.98793669997260967291e-06,
    8.11789239554389293311e-08,
    3.41551784765923618484e-10,
)
_AGD = (
    9.30892908077441974853e00,
    1.98352928718312140417e01,
    1.55646628932864612953e01,
    5.47686069422975497931e00,
    9.54293611618961883998e-01,
    8.64580826352392193095e-02,
    4.12656523824222607191e-03,
    1.01259085116509135510e-04,
    1.17166733214413521882e-06,
    4.91834570062930015649e-09,
)
_ROOT_OF_PI = 5.64189583547756286948e-01  # 1 / sqrt(pi)
_NEAR = 2.09  # the power series is used up to here, on both sides
_ZERO = 103.892  # from here on the result is 0
# More than it takes for |x| <= 2.09 in float64: the 20th term is smaller than 1e-30.
_TERMS = 20


def _horner(coefficients, x):
    value = torch.zeros_like(x)
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def _oscillating(x):
    """x < -2.09"""
    arc = -2 * x * (-x).sqrt() / 3
    z = 1 / arc
    t = arc + 0.25 * math.pi
    square = z * z
    f = square * _horner(_AFN, square) / _horner(_AFD, square)
    g = z * _horner(_AGN, square) / _horner(_AGD, square)
    wave = t.sin() * (1 + f) - t.cos() * g
    return _ROOT_OF_PI / (-x).sqrt().sqrt() * wave


def _decaying(x):
    """x >= 2.09"""
    zeta = 2 * x * x.sqrt() / 3
    ratio = _horner(_AN, 1 / zeta) / _horner(_AD, 1 / zeta)
    return _ROOT_OF_PI * ratio / (2 * x.sqrt().sqrt() * zeta.exp())


def _series(x):
    """|x| <= 2.09; an element stops where its terms no longer count."""
    z, f, g, m, n = x * x * x, torch.ones_like(x), x, torch.ones_like(x), x
    going = torch.ones_like(x, dtype=torch.bool)
    for k in range(2, 3 * _TERMS, 3):
        m = m * z / k / (k + 1)
        n = n * z / (k + 1) / (k + 2)
        f, g = torch.where(going, f + m, f), torch.where(going, g + n, g)
        going = going & ((m / f).abs() > torch.finfo(x.dtype).eps)
    return 0.355028053887817239260 * f - 0.258819403792806798405 * g


def airy_ai(x):
    """Ai(x) in float32 or float64; NaN at the infinities, as in eager."""
    if not x.dtype.is_floating_point:
        x = x.to(torch.get_default_dtype())
    if x.dtype not in (torch.float32, torch.float64):
        return NotImplemented
    low, high = x < -_NEAR, x >= _NEAR
    result = torch.where(low, _oscillating(torch.where(low, x, -_NEAR)), _series(torch.where(low | high, 0, x)))
    result = torch.where(high, _decaying(torch.where(high, x, _NEAR)), result)
    result = torch.where(x > _ZERO, 0, result)
    return torch.where(x.isinf(), math.nan, result)
