"""How often elements fall into bins."""

import math

import torch


def histc(x, bins=100, min=0, max=0):
    """Counts of x's elements in `bins` bins of equal width between min and max; between the extrema if these are
    equal. NaN and what lies outside do not count."""
    if bins <= 0:
        return NotImplemented
    if x.numel() == 0:
        return torch.zeros(bins, dtype=x.dtype, device=x.device)
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


def _edges(low, high, bins):
    """[bins + 1] from `low` to `high`, counted from the nearer end as torch.linspace does."""
    step, number = (high - low) / bins, torch.arange(bins + 1, device=low.device)
    near = number < (bins + 1) // 2
    return torch.where(near, low + step * number, high - step * (bins - number))


def histogramdd_edges(x, bins, *, range=None, weight=None, density=False):
    """Of x [N, D], the edges of bins[d] bins of equal width: in `range` (pairs of numbers), or between the extrema."""
    del weight, density
    x, edges = x.reshape(-1, x.shape[-1]), []
    for d, count in enumerate(bins):
        if range is not None:
            low, high = (torch.full((), v, dtype=x.dtype, device=x.device) for v in range[2 * d : 2 * d + 2])
        elif x.shape[0] == 0:
            low, high = (torch.full((), v, dtype=x.dtype, device=x.device) for v in (0, 1))
        else:
            low, high = x[:, d].amin(), x[:, d].amax()
            torch._assert_async(low.isfinite() & high.isfinite(), "histogramdd: dimension's range is not finite")
        one = low == high
        edges.append(_edges(torch.where(one, low - 0.5, low), torch.where(one, high + 0.5, high), count))
    return edges


def histogramdd_of_edges(x, bins, *, weight=None, density=False):
    """Sums of the weights of x's rows [N, D] by bin, of which bins[d] has the edges; the last one is closed."""
    x = x.reshape(-1, x.shape[-1])
    counts = [edges.shape[0] - 1 for edges in bins]
    total, inside, place = math.prod(counts), None, None
    for d, (edges, count) in enumerate(zip(bins, counts, strict=True)):
        fits = (x[:, d] >= edges[0]) & (x[:, d] <= edges[-1])
        inside = fits if inside is None else inside & fits
        one = (torch.searchsorted(edges.contiguous(), x[:, d].contiguous(), right=True) - 1).clamp(0, count - 1)
        place = one if place is None else place * count + one
    weight = torch.ones_like(x[:, 0]) if weight is None else weight.reshape(-1).to(x.dtype)
    sums = torch.zeros(total + 1, dtype=x.dtype, device=x.device)
    sums = sums.scatter_add(0, torch.where(inside, place, total), weight)[:total].reshape(counts)
    if density:
        sums = sums / sums.sum()
        for d, edges in enumerate(bins):
            width = edges[1:] - edges[:-1]
            sums = sums / width.reshape([-1] + [1] * (len(counts) - 1 - d))
    return sums


def histogramdd(x, bins, *, range=None, weight=None, density=False):
    """histogramdd_of_edges with those of histogramdd_edges."""
    return histogramdd_of_edges(x, histogramdd_edges(x, bins, range=range), weight=weight, density=density)


def histogram_of_edges(x, bins, *, weight=None, density=False):
    """Of all elements of x: sums of weights, and the edges."""
    return histogramdd_of_edges(x.reshape(-1, 1), [bins], weight=weight, density=density), bins.clone()


def histogram(x, bins=100, *, range=None, weight=None, density=False):
    """Of all elements of x: sums of weights, and the edges."""
    edges = histogramdd_edges(x.reshape(-1, 1), [bins], range=range)[0]
    return histogramdd_of_edges(x.reshape(-1, 1), [edges], weight=weight, density=density), edges
