"""Random draws made of uniform ones."""

import torch


def multinomial(probabilities, num_samples, replacement=False, *, generator=None):
    """[..., K] weights, of any sum, to [..., num_samples] of int64."""
    if generator is not None:
        return NotImplemented
    p, fast = probabilities, not replacement or num_samples == 1
    # Eager has a message of its own for each of its ways.
    if fast:
        valid = (p >= 0) & (p < torch.inf)
        torch._assert_async(valid.all(), "probability tensor contains either `inf`, `nan` or element < 0")
    else:
        what = "invalid multinomial distribution (encountering probability entry"
        torch._assert_async((p >= 0).all(), f"{what} < 0)")
        torch._assert_async(p.isfinite().all(), f"{what} = infinity or NaN)")
    p = p.double() if p.dtype == torch.float64 else p.float()
    torch._assert_async((p.sum(-1) > 0).all(), "invalid multinomial distribution (sum of probabilities <= 0)")
    if fast:
        # The places of the largest p / q, with q exponential, are draws without replacement.
        q = -torch.log(1 - torch.rand(p.shape, dtype=p.dtype, device=p.device))
        score = p / q.clamp_min(torch.finfo(p.dtype).tiny)
        if num_samples == 1:
            return score.argmax(-1, keepdim=True)
        return score.topk(num_samples, -1)[1]
    # In float64, u * total is below total, so that no place is behind the last, nor one of weight 0.
    sums = p.double().cumsum(-1)
    u = torch.rand((*p.shape[:-1], num_samples), dtype=torch.float64, device=p.device)
    target = u * sums[..., -1:]
    return (sums.unsqueeze(-2) <= target.unsqueeze(-1)).long().sum(-1)


def rrelu_with_noise(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    """x, and where it is not positive x times a slope of [lower, upper), drawn if training; the slopes."""
    if generator is not None:
        return NotImplemented
    if not training:
        return torch.where(x > 0, x, x * ((lower + upper) / 2)), noise.clone()
    slope = (torch.rand_like(x, dtype=torch.float32) * (upper - lower) + lower).to(x.dtype)
    slope = torch.where(x > 0, 1, slope)
    return x * slope, slope


def _integers(x, low, high):
    """Integers of [low, high) in the shape and dtype of x."""
    return torch.randint(low, high, x.shape, device=x.device).to(x.dtype)


def random(x, generator=None):
    """All that the dtype can count: of floats, the integers that they hold exactly."""
    if generator is not None:
        return NotImplemented
    if x.dtype.is_floating_point:
        return _integers(x, 0, round(2 / torch.finfo(x.dtype).eps) + 1)
    return _integers(x, 0, 2 if x.dtype == torch.bool else torch.iinfo(x.dtype).max)


def random_from(x, low, high, generator=None):
    """Integers from `low` up to but not including `high`, or to the dtype's largest."""
    if generator is not None:
        return NotImplemented
    return _integers(x, low, torch.iinfo(x.dtype).max if high is None else high)


def random_to(x, high, generator=None):
    """Integers from 0 up to but not including `high`."""
    return random_from(x, 0, high, generator)


def _without_generator(operator):
    def draw(*args, generator, **options):
        return NotImplemented if generator is not None else operator(*args, **options)

    return draw


_aten = torch.ops.aten

# What is written `torch.randn(..., generator=None)`.
TABLE = {
    given: _without_generator(plain)
    for given, plain in [
        (_aten.rand.generator, _aten.rand.default),
        (_aten.randn.generator, _aten.randn.default),
        (_aten.randperm.generator, _aten.randperm.default),
        (_aten.randint.generator, _aten.randint.default),
        (_aten.randint.low_generator, _aten.randint.low),
        (_aten.rand_like.generator, _aten.rand_like.default),
        (_aten.randn_like.generator, _aten.randn_like.default),
        (_aten.randint_like.generator, _aten.randint_like.default),
        (_aten.randint_like.low_generator_dtype, _aten.randint_like.low_dtype),
    ]
}
