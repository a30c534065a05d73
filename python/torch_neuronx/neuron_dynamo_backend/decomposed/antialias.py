"""Antialiased resizes: what eager computes as weights is known at compile time."""

import math

import numpy
import torch

F32 = numpy.float32


def _triangle(x):
    return F32(max(0.0, 1.0 - abs(x)))


def _cubic(x):
    x, a = abs(x), F32(-0.5)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    if x < 2:
        return (((x - 5) * x + 8) * x - 4) * a
    return F32(0)


def _taps(size, out, scale, align_corners, support, filter):
    """Of each tap: the element for every place of the result, and its weight; in float32, as eager does."""
    if align_corners:
        step = F32(size - 1) / F32(out - 1) if out > 1 else F32(0)
    else:
        step = F32(1 / scale) if scale else F32(size) / F32(out)
    reach = F32(support) * max(step, F32(1))
    inverse = F32(1) / step if step >= 1 else F32(1)
    rows = []
    for i in range(out):
        center = step * F32(i + 0.5)
        first = max(int(center - reach + F32(0.5)), 0)
        count = min(int(center + reach + F32(0.5)), size) - first
        weights = [filter((F32(j + first) - center + F32(0.5)) * inverse) for j in range(count)]
        total = sum(weights, F32(0))
        rows.append((first, [w / total if total != 0 else w for w in weights]))
    for j in range(max(len(weights) for _, weights in rows)):
        places = [first + min(j, len(weights) - 1) for first, weights in rows]
        yield places, [float(weights[j]) if j < len(weights) else math.nan for _, weights in rows]


def _resized(x, dim, out, scale, align_corners, support, filter):
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    shape = [1] * x.ndim
    shape[dim] = out
    total = None
    for places, weights in _taps(x.shape[dim], out, scale, align_corners, support, filter):
        weight = torch.tensor(weights, dtype=wide, device=x.device).reshape(shape)
        term = x.index_select(dim, torch.tensor(places, device=x.device)).to(wide)
        if any(math.isnan(w) for w in weights):  # a tap that some places do not have
            term = torch.where(weight.isnan(), 0, term * weight)
        else:
            term = term * weight
        total = term if total is None else total + term
    return total.to(x.dtype)


def _resized2d(x, size, align_corners, scales_h, scales_w, support, filter):
    if not x.dtype.is_floating_point or x.dtype == torch.float64 or x.numel() == 0:
        return NotImplemented
    x = _resized(x, 3, size[1], scales_w, align_corners, support, filter)
    return _resized(x, 2, size[0], scales_h, align_corners, support, filter)


def bilinear2d(x, output_size, align_corners, scales_h=None, scales_w=None):
    """[N, C, H, W] to [N, C, *output_size]"""
    return _resized2d(x, output_size, align_corners, scales_h, scales_w, 1.0, _triangle)


def bicubic2d(x, output_size, align_corners, scales_h=None, scales_w=None):
    """[N, C, H, W] to [N, C, *output_size]"""
    return _resized2d(x, output_size, align_corners, scales_h, scales_w, 2.0, _cubic)
