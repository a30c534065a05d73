"""Pools whose windows stand at computed places."""

import math

import torch


def _starts(sample, size, out, kernel):
    """[N, C] of random numbers to [N, C, out]: where windows begin; rounded where eager rounds."""
    last = torch.full((*sample.shape, 1), size - kernel, dtype=torch.int64, device=sample.device)
    if out == 1:
        return last
    dtype, wide = sample.dtype, torch.promote_types(sample.dtype, torch.float32)

    def rounded(value):
        return value.to(dtype).to(wide)

    def number(value):
        return torch.full((), value, dtype=wide, device=sample.device)

    sample = sample.to(wide).unsqueeze(-1)
    alpha = rounded(rounded(number(size - kernel)) / rounded(number(out - 1)))
    place = rounded(torch.arange(out - 1, device=sample.device).to(wide))
    moved = rounded(rounded(place + sample) * alpha)
    return torch.cat([moved.long() - rounded(sample * alpha).long(), last], -1)


def _fractional(x, kernel, output, samples, order):
    dims = len(kernel)
    if x.numel() == 0:
        shape = (*x.shape[:-dims], *output)
        return x.new_zeros(shape), torch.zeros(shape, dtype=torch.int64, device=x.device)
    batched = x if x.ndim == dims + 2 else x.unsqueeze(0)
    n, c, *sizes = batched.shape
    samples = samples[:n]  # eager takes more, and does not look at them
    place = torch.zeros((n, c, *[1] * (2 * dims)), dtype=torch.int64, device=x.device)
    for k in range(dims):  # [n, c, out..., kernel...]
        start = _starts(samples[..., order[k]], sizes[k], output[k], kernel[k])
        at = start.unsqueeze(-1) + torch.arange(kernel[k], device=x.device)
        shape = [n, c] + [1] * (2 * dims)
        shape[2 + k], shape[2 + dims + k] = output[k], kernel[k]
        place = place * sizes[k] + at.reshape(shape)
    count = math.prod(kernel)
    place = place.reshape(n, c, math.prod(output), count)
    window = batched.reshape(n, c, -1).gather(2, place.reshape(n, c, -1)).reshape(place.shape)
    isnan = window.isnan()
    best = torch.where(isnan.any(-1), count - 1 - isnan.flip(-1).long().argmax(-1), window.argmax(-1)).unsqueeze(-1)
    shape = (*x.shape[:-dims], *output)
    return window.gather(3, best).reshape(shape), place.gather(3, best).reshape(shape)


def fractional_max_pool2d(x, kernel_size, output_size, random_samples):
    """[N, C, H, W] to maxima and their places in H x W, both [N, C, *output_size]"""
    return _fractional(x, kernel_size, output_size, random_samples, (1, 0))


def fractional_max_pool3d(x, kernel_size, output_size, random_samples):
    """[N, C, D, H, W] to maxima and their places in D x H x W, both [N, C, *output_size]"""
    return _fractional(x, kernel_size, output_size, random_samples, (0, 1, 2))
