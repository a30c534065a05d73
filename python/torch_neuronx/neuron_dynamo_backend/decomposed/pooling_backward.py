"""The backward passes of pools."""

import math

import torch

from .windows import Listed, Regular, along, wide

# More windows than this over one element: scattering is less work than to look at each.
_MANY = 32


def _full(values, count):
    return list(values) * count if len(values) == 1 else list(values)


def _average(grad, x, kernel, stride, padding, include_pad, divisor):
    dims = len(kernel)
    total, shared = wide(grad), 1
    ways = []
    for k in range(dims):
        dim, size, count = x.dim() - dims + k, x.shape[k - dims], grad.shape[k - dims]
        ways.append((dim, Regular(count, size, stride[k], padding[k], kernel[k])))
        if divisor:
            continue
        starts = [i * stride[k] - padding[k] for i in range(count)]
        ends = [min(start + kernel[k], size + padding[k]) for start in starts]
        if not include_pad:
            starts, ends = [max(start, 0) for start in starts], [min(end, size) for end in ends]
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        number = lengths[0] if len(set(lengths)) == 1 else along(lengths, total, dim, total.dtype)
        shared = number * shared
    total = total / (divisor or shared)
    for dim, windows in ways:
        total = windows.summed(total, dim)
    return total.to(grad.dtype)


def _avg_pool(dims):
    def backward(grad, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        """[N, C, *out] to [N, C, *in], N may be missing"""
        del ceil_mode  # seen in the shape of grad
        if x.numel() == 0:
            return torch.zeros_like(x)
        kernel = _full(kernel_size, dims)
        stride = _full(stride, dims) if stride else kernel
        return _average(grad, x, kernel, stride, _full(padding, dims), count_include_pad, divisor_override)

    return backward


def _adaptive(size, count):
    """(windows over the elements, lengths of the windows) of an adaptive pool"""
    if size % count == 0:
        return Regular(count, size, size // count, 0, size // count), [size // count] * count
    ends = [-((o + 1) * size // -count) for o in range(count)]
    starts = [o * size // count for o in range(count)]
    lists = [[] for _ in range(size)]
    for o, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for i in range(start, end):
            lists[i].append((o, 1))
    return Listed(lists), [end - start for start, end in zip(starts, ends, strict=True)]


def _adaptive_avg_pool(dims):
    def backward(grad, x):
        """[N, C, *out] to [N, C, *in], N may be missing"""
        if x.numel() == 0 or grad.numel() == 0:
            return torch.zeros_like(x)
        total = wide(grad)
        for dim in range(x.dim() - dims, x.dim()):
            windows, lengths = _adaptive(x.shape[dim], grad.shape[dim])
            number = lengths[0] if len(set(lengths)) == 1 else along(lengths, total, dim, total.dtype)
            total = windows.summed(total / number, dim)
        return total.to(grad.dtype)

    return backward


def _scattered(grad, x, indices, dims):
    total = torch.zeros_like(wide(x)).flatten(-dims)
    return total.scatter_add(-1, indices.flatten(-dims), wide(grad).flatten(-dims)).reshape(x.shape).to(grad.dtype)


def _chosen(grad, x, indices, ways):
    """Each element sums the gradients of the windows that have it for their maximum."""
    dims = len(ways)
    if math.prod(windows.most for windows in ways) > _MANY:
        return _scattered(grad, x, indices, dims)
    own = torch.arange(math.prod(x.shape[-dims:]), device=x.device).reshape(x.shape[-dims:])

    def terms(grad, indices, k):
        if k == dims:
            yield torch.where(indices == own, grad, 0)
            return
        dim = grad.dim() - dims + k
        for number in range(ways[k].most):
            yield from terms(
                ways[k].covering(grad, dim, number), ways[k].covering(indices, dim, number, fill=-1), k + 1
            )

    total = None
    for term in terms(wide(grad), indices, 0):
        total = term if total is None else total + term
    return total.to(grad.dtype)


def _max_pool(dims):
    def backward(grad, x, kernel_size, stride, padding, dilation, ceil_mode, indices):
        """[N, C, *out] and the maxima's places to [N, C, *in], N may be missing"""
        del ceil_mode
        if x.numel() == 0:
            return torch.zeros_like(x)
        kernel = _full(kernel_size, dims)
        stride = _full(stride, dims) if stride else kernel
        padding, dilation = _full(padding, dims), _full(dilation, dims)
        ways = [
            Regular(grad.shape[k - dims], x.shape[k - dims], stride[k], padding[k], dilation[k] * (kernel[k] - 1) + 1)
            for k in range(dims)
        ]
        return _chosen(grad, x, indices, ways)

    return backward


def _adaptive_max_pool(dims):
    def backward(grad, x, indices):
        """[N, C, *out] and the maxima's places to [N, C, *in], N may be missing"""
        if x.numel() == 0 or grad.numel() == 0:
            return torch.zeros_like(x)
        ways = [_adaptive(x.shape[dim], grad.shape[dim])[0] for dim in range(-dims, 0)]
        return _chosen(grad, x, indices, ways)

    return backward


def _fractional_max_pool(dims):
    def backward(grad, x, kernel_size, output_size, indices):
        """[N, C, *out] and the maxima's places to [N, C, *in], N may be missing"""
        return torch.zeros_like(x) if x.numel() == 0 else _scattered(grad, x, indices, dims)

    return backward


avg_pool2d, avg_pool3d = _avg_pool(2), _avg_pool(3)
adaptive_avg_pool2d, adaptive_avg_pool3d = _adaptive_avg_pool(2), _adaptive_avg_pool(3)
max_pool2d, max_pool3d = _max_pool(2), _max_pool(3)
adaptive_max_pool2d, adaptive_max_pool3d = _adaptive_max_pool(2), _adaptive_max_pool(3)
fractional_max_pool2d, fractional_max_pool3d = _fractional_max_pool(2), _fractional_max_pool(3)
