"""How often elements fall into bins."""

import torch


def histc(x, bins=100, min=0, max=0):
    """Counts of x's elements in `bins` bins of equal width between min and max; between the extrema if these are
    equal. NaN and what lies outside do not count."""
    if x.numel() == 0 or bins <= 0:
        return NotImplemented
    x = x.reshape(-1)
    low = torch.full((), min, dtype=x.dtype, device=x.device)
    high = torch.full((), max, dtype=x.dtype, device=x.device)
    if min == max:
        low, high = x.amin(), x.amax()
        one = low == high
        low, high = torch.where(one, low - 1, low), torch.where(one, high + 1, high)
        torch._assert_async(low.isfinite() & high.isfinite(), "torch.histc: range is not finite")
    inside = (x >= low) & (x <= high)
    place = torch.where(inside, (x - low) * bins / (high - low), 0).long().clamp(0, bins - 1)
    counts = torch.zeros(bins + 1, dtype=x.dtype, device=x.device)
    return counts.scatter_add(0, torch.where(inside, place, bins), torch.ones_like(x))[:bins]
