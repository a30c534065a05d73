"""Antialiased resizes: eager's weights, computed in the dtype of what is resized as eager does."""

import math
import struct

import torch


def _triangle(x):
    return (1 - x.abs()).clamp_min(0)


def _cubic(x, a=-0.5):
    x = x.abs()
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return torch.where(x < 1, near, torch.where(x < 2, far, 0))


def _float32(number):
    """A number as float32 holds it: eager's scale is one."""
    return struct.unpack("f", struct.pack("f", number))[0]


def _resized(x, dim, out, scale, align_corners, support, filter):
    size = x.shape[dim]
    if align_corners:
        step = (size - 1) / (out - 1) if out > 1 else 0.0
    else:
        step = 1 / scale if scale else size / out
    step = step if x.dtype == torch.float64 else _float32(step)
    reach = support * max(step, 1.0)
    inverse = 1 / step if step >= 1 else 1.0
    center = (torch.arange(out, device=x.device, dtype=x.dtype) + 0.5) * step
    first = (center - reach + 0.5).long().clamp_min(0)
    count = (center + reach + 0.5).long().clamp_max(size) - first
    taps = min(2 * math.ceil(reach) + 1, size)
    weights = [torch.where(j < count, filter((j + first - center + 0.5) * inverse), 0) for j in range(taps)]
    total = weights[0]
    for weight in weights[1:]:
        total = total + weight
    shape = [1] * x.ndim
    shape[dim] = out
    result = None
    for j, weight in enumerate(weights):
        weight = torch.where(total != 0, weight / total, weight)
        taken = x.index_select(dim, first + torch.clamp_max(count - 1, j))
        # A place that does not have this tap must not see what is there.
        term = torch.where((j < count).reshape(shape), taken * weight.reshape(shape), 0)
        result = term if result is None else result + term
    return result


def _resized2d(x, size, align_corners, scales_h, scales_w, support, filter):
    if x.dtype not in (torch.float32, torch.float64) or x.numel() == 0:
        return NotImplemented
    x = _resized(x, 3, size[1], scales_w, align_corners, support, filter)
    return _resized(x, 2, size[0], scales_h, align_corners, support, filter)


def bilinear2d(x, output_size, align_corners, scales_h=None, scales_w=None):
    """[N, C, H, W] to [N, C, *output_size]"""
    return _resized2d(x, output_size, align_corners, scales_h, scales_w, 1.0, _triangle)


def bicubic2d(x, output_size, align_corners, scales_h=None, scales_w=None):
    """[N, C, H, W] to [N, C, *output_size]"""
    return _resized2d(x, output_size, align_corners, scales_h, scales_w, 2.0, _cubic)
