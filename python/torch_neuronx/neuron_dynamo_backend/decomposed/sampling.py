"""Samples of volumes at computed places."""

import torch

_BILINEAR, _NEAREST = 0, 1
_ZEROS, _BORDER, _REFLECTION = 0, 1, 2


def _reflected(place, twice_low, twice_high):
    if twice_low == twice_high:
        return torch.zeros_like(place)
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    place = (place - low).abs()
    extra = torch.fmod(place, span)
    flips = (place / span).floor()
    return torch.where(torch.fmod(flips, 2) == 0, extra + low, span - extra + low)


def _source(place, size, padding, align_corners):
    """From [-1, 1] to elements."""
    place = (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2
    if padding == _REFLECTION:
        place = _reflected(place, 0, 2 * (size - 1)) if align_corners else _reflected(place, -1, 2 * size - 1)
    return place if padding == _ZEROS else place.clamp(0, size - 1)


def grid_sampler_3d(x, grid, interpolation_mode, padding_mode, align_corners):
    """x [N, C, D, H, W] at grid [N, d, h, w, 3] to [N, C, d, h, w]"""
    if interpolation_mode not in (_BILINEAR, _NEAREST) or x.numel() == 0:
        return NotImplemented
    dtype = x.dtype
    if dtype in (torch.float16, torch.bfloat16):
        x, grid = x.float(), grid.float()
    batch, channels, *sizes = x.shape
    flat = x.reshape(batch, channels, -1)
    # The last of the grid's three coordinates is along D.
    places = [_source(grid[..., 2 - k], size, padding_mode, align_corners) for k, size in enumerate(sizes)]

    def elements(corner):
        """The elements at a place in whole numbers; 0 outside."""
        inside, index = None, None
        for at, size in zip(corner, sizes, strict=True):
            fits = (at >= 0) & (at <= size - 1)
            inside = fits if inside is None else inside & fits
            one = torch.where(fits, at, 0).long()
            index = one if index is None else index * size + one
        shape = (batch, channels, -1)
        taken = flat.gather(2, index.reshape(batch, 1, -1).expand(shape)).reshape(batch, channels, *index.shape[1:])
        return torch.where(inside.unsqueeze(1), taken, 0)

    if interpolation_mode == _NEAREST:
        return elements([place.round() for place in places]).to(dtype)
    low = [place.floor() for place in places]
    total = None
    for number in range(8):
        corner, weight = [], None
        for k in range(3):
            up = number >> (2 - k) & 1
            corner.append(low[k] + up)
            part = places[k] - low[k] if up else low[k] + 1 - places[k]
            weight = part if weight is None else weight * part
        term = elements(corner) * weight.unsqueeze(1)
        total = term if total is None else total + term
    return total.to(dtype)
