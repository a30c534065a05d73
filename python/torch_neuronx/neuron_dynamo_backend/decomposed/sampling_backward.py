"""The backward passes of samples at computed places."""

import itertools

import torch

from .sampling import _BILINEAR, _BORDER, _NEAREST, _REFLECTION, _ZEROS, _reflected, _source
from .windows import wide

_BICUBIC = 2
_A = -0.75


def _clipped(place, size):
    """In [0, size - 1], and its slope."""
    return place.clamp(0, size - 1), ((place > 0) & (place < size - 1)).to(place.dtype)


def _with_slope(place, size, padding, align_corners):
    """_source of a coordinate, and its slope."""
    slope = (size - 1) / 2 if align_corners else size / 2
    place = _source(place, size, _ZEROS, align_corners)
    if padding == _ZEROS:
        return place, torch.full_like(place, slope)
    if padding == _REFLECTION:
        low, high = (0, 2 * (size - 1)) if align_corners else (-1, 2 * size - 1)
        if low == high:
            return torch.zeros_like(place), torch.zeros_like(place)
        flips = ((place - low / 2).abs() / ((high - low) / 2)).floor()
        back = (place < low / 2) != (torch.fmod(flips, 2) != 0)
        place, slope = _reflected(place, low, high), torch.where(back, -slope, slope)
    place, inside = _clipped(place, size)
    return place, inside * slope


def _linear(place):
    """[(element, weight, slope of the weight)] of a place"""
    low = place.floor()
    part, one = place - low, torch.ones_like(place)
    return [(low, 1 - part, -one), (low + 1, part, one)]


def _cubic(place):
    low = place.floor()
    part, taps = place - low, []
    for tap in range(-1, 3):
        x = (part - tap).abs()
        sign = -1 if tap > 0 else 1  # of part - tap
        if tap in (0, 1):
            weight, slope = ((_A + 2) * x - (_A + 3)) * x * x + 1, (3 * (_A + 2) * x - 2 * (_A + 3)) * x
        else:
            weight, slope = (((x - 5) * x + 8) * x - 4) * _A, ((3 * x - 10) * x + 8) * _A
        taps.append((low + tap, weight, sign * slope))
    return taps


def _taps(places, sizes, mode, padding, align_corners):
    """By dimension: [(element, weight, slope of the weight by the coordinate)]"""
    for place, size in zip(places, sizes, strict=True):
        if mode == _BICUBIC:  # pads each tap for itself
            slope = (size - 1) / 2 if align_corners else size / 2
            taps = _cubic(_source(place, size, _ZEROS, align_corners))
            if padding == _REFLECTION:
                low, high = (0, 2 * (size - 1)) if align_corners else (-1, 2 * size - 1)
                taps = [(_reflected(at, low, high), *rest) for at, *rest in taps]
            if padding in (_BORDER, _REFLECTION):
                taps = [(at.clamp(0, size - 1), *rest) for at, *rest in taps]
        else:
            at, slope = _with_slope(place, size, padding, align_corners)
            one = torch.ones_like(at)
            taps = _linear(at) if mode == _BILINEAR else [(at.round(), one, torch.zeros_like(at))]
        yield [(at, weight, by * slope) for at, weight, by in taps]


def _product(factors):
    result = None
    for factor in factors:
        result = factor if result is None else result * factor
    return result


def _backward(grad, x, grid, interpolation_mode, padding_mode, align_corners, output_mask):
    """Gradients of x [N, C, *sizes] and of grid [N, *out, D] for grad [N, C, *out]. All elements of all places are
    taken in one gather, and added in one scatter."""
    dims = x.dim() - 2
    if interpolation_mode not in (_BILINEAR, _NEAREST, _BICUBIC) or x.numel() == 0 or grad.numel() == 0:
        return NotImplemented
    given, places, elements = wide(grad).flatten(2), wide(grid).flatten(1, -2), wide(x)
    batch, channels, *sizes = x.shape
    # The last of the grid's coordinates is along the first dimension.
    places = [places[..., dims - 1 - k] for k in range(dims)]
    taps = list(_taps(places, sizes, interpolation_mode, padding_mode, align_corners))
    index, weight, slopes = [], [], [[] for _ in range(dims)]
    for corner in itertools.product(*taps):
        inside, flat = None, None
        for (at, _, _), size in zip(corner, sizes, strict=True):
            fits = (at >= 0) & (at <= size - 1)
            inside = fits if inside is None else inside & fits
            one = torch.where(fits, at, 0).long()
            flat = one if flat is None else flat * size + one
        index.append(flat)
        weight.append(torch.where(inside, _product(w for _, w, _ in corner), 0))
        for k in range(dims):
            slope = _product(corner[j][2] if j == k else corner[j][1] for j in range(dims))
            slopes[k].append(torch.where(inside, slope, 0))
    count, points = len(index), given.shape[2]
    index = torch.cat(index, 1).unsqueeze(1).expand(batch, channels, count * points)
    grad_x = None
    if output_mask[0]:
        parts = (given.unsqueeze(2) * torch.stack(weight, 1).unsqueeze(1)).flatten(2)
        grad_x = torch.zeros_like(elements).flatten(2).scatter_add(2, index, parts).reshape(x.shape).to(x.dtype)
    if interpolation_mode == _NEAREST:
        return grad_x, torch.zeros_like(grid)
    taken = elements.flatten(2).gather(2, index).unflatten(2, (count, points))
    along = (taken * given.unsqueeze(2)).sum(1)
    by_place = [(along * torch.stack(slopes[k], 1)).sum(1) for k in reversed(range(dims))]
    return grad_x, torch.stack(by_place, -1).reshape(grid.shape).to(grid.dtype)


grid_sampler_2d = grid_sampler_3d = _backward
