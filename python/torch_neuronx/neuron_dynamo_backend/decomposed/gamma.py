"""Draws of the gamma family and of Poisson's distribution, by rejection.

A device has no loop that ends when all elements are accepted, so each element has a fixed number of attempts at once;
that none of them is accepted is less likely than 1e-20.
"""

import torch

_aten = torch.ops.aten


def _first_accepted(accepted, candidates):
    """Of [attempts, ...], the candidates of the first attempt that is accepted."""
    return candidates.gather(0, accepted.to(torch.uint8).argmax(0, keepdim=True)).squeeze(0)


def _uniform(shape, like):
    """Of (0, 1]."""
    return 1 - torch.rand(shape, dtype=like.dtype, device=like.device)


def standard_gamma(concentration, generator=None):
    """[...] concentrations to draws of gamma distributions of rate 1 (G. Marsaglia, W. W. Tsang, 2000: at least 95 in
    100 attempts are accepted). A concentration below 1 draws of one that is larger by 1, times a power."""
    if generator is not None:
        return NotImplemented
    given = concentration.to(torch.promote_types(concentration.dtype, torch.float32))
    attempts = (20, *given.shape)
    shift = torch.where(given < 1, given + 1, given) - 1 / 3
    normal = torch.randn(attempts, dtype=given.dtype, device=given.device)
    root = 1 + normal * (9 * shift).rsqrt()
    cube = root**3
    bound = normal.square() / 2 + shift * (1 - cube + cube.clamp_min(torch.finfo(given.dtype).tiny).log())
    drawn = shift * _first_accepted((root > 0) & (_uniform(attempts, given).log() < bound), cube)
    power = _uniform(given.shape, given) ** given.clamp_max(1).reciprocal()
    drawn = torch.where(given < 1, drawn * power, drawn).clamp_min(torch.finfo(given.dtype).tiny)
    drawn = torch.where(given == 0, 0, torch.where(given > 0, drawn, torch.nan))
    return drawn.to(concentration.dtype)


def sample_dirichlet(concentration, generator=None):
    """[..., K] concentrations to K numbers that add up to 1."""
    if generator is not None:
        return NotImplemented
    drawn = standard_gamma(concentration)
    return drawn / drawn.sum(-1, keepdim=True)


def _few(rate):
    """Poisson's distribution for rates below 10: how many exponential steps stay below the rate."""
    steps = -_uniform((64, *rate.shape), rate).log()
    return (steps.cumsum(0) < rate).sum(0).to(rate.dtype)


def _many(rate):
    """The same for larger ones (W. Hoermann, 1993, PTRS: at least 7 of 10 attempts are accepted)."""
    attempts = (40, *rate.shape)
    b = 0.931 + 2.53 * rate.sqrt()
    a = -0.059 + 0.02483 * b
    u, v = _uniform(attempts, rate) - 0.5, _uniform(attempts, rate)
    distance = 0.5 - u.abs()
    count = torch.floor((2 * a / distance.clamp_min(1e-300) + b) * u + rate + 0.43)
    inside = (distance >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
    possible = (count >= 0) & ((distance >= 0.013) | (v <= distance))
    hat = v.log() + (1.1239 + 1.1328 / (b - 3.4)).log() - (a / distance.square().clamp_min(1e-300) + b).log()
    exact = hat <= count * rate.log() - rate - torch.lgamma(count.clamp_min(0) + 1)
    return _first_accepted(inside | (possible & exact), count)


def poisson(rate, generator=None):
    """[...] rates to counts, in the dtype of the rates; computed in float64, as eager does."""
    if generator is not None:
        return NotImplemented
    torch._assert_async((rate >= 0).all(), "invalid Poisson rate, expected rate to be non-negative")
    wide = rate.double()
    return torch.where(wide < 10, _few(wide), _many(wide.clamp_min(10))).to(rate.dtype)


TABLE = {
    _aten._standard_gamma.default: standard_gamma,
    _aten._sample_dirichlet.default: sample_dirichlet,
    _aten.poisson.default: poisson,
}
