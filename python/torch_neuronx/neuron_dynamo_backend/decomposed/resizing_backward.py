"""The backward passes of resizes and of padding with the border, which are linear along each dimension."""

import math

import torch

from .windows import float32, listed, wide


class _Dimension:
    """From `size` elements to `out`; `scale` as the caller gave it, or None. Rounds as eager does for `dtype`."""

    def __init__(self, size, out, scale, align_corners, dtype):
        self.size, self.out, self.align_corners = size, out, align_corners
        self.rounded = (lambda number: number) if dtype == torch.float64 else float32
        if align_corners:
            step = (size - 1) / (out - 1) if out > 1 else 0.0
        else:
            step = 1 / scale if scale else size / out
        self.step = self.rounded(step)

    def source(self, place):
        """The place among the elements; an element's is at its centre."""
        rounded = self.rounded
        if self.align_corners:
            return rounded(self.step * place)
        return rounded(rounded(self.step * (place + 0.5)) - 0.5)


def _nearest(d, exact=False):
    """None if each element stands for as many places in a row."""
    # Eager's places are float32 for float64 as well; to the same size and to the double it heeds no scale.
    plain = not exact and d.out in (d.size, 2 * d.size)
    step, half = d.size / d.out if plain else float32(d.step), 0.5 if exact else 0
    rows = [min(math.floor(float32((place + half) * step)), d.size - 1) for place in range(d.out)]
    times = d.out // d.size
    if times * d.size == d.out and rows == [place // times for place in range(d.out)]:
        return None
    return [[(element, 1)] for element in rows]


def _nearest_exact(d):
    return _nearest(d, exact=True)


def _linear(d):
    if d.out == d.size:  # heeds no scale
        return [[(place, 1)] for place in range(d.out)]
    rows = []
    for place in range(d.out):
        source = max(d.source(place), 0.0)
        low = min(math.floor(source), d.size - 1)
        up = min(max(d.rounded(source - low), 0.0), 1.0)
        rows.append([(low, d.rounded(1 - up)), (min(low + 1, d.size - 1), up)])
    return rows


def _cubic_weight(x, a):
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _cubic(d):
    rows = []
    for place in range(d.out):
        source = d.source(place)
        low = math.floor(source)
        rows.append(
            [(min(max(low + tap, 0), d.size - 1), _cubic_weight(source - low - tap, -0.75)) for tap in range(-1, 3)]
        )
    return rows


def _antialiased(d, support, weight):
    rows, reach = [], support * max(d.step, 1.0)
    inverse = 1 / d.step if d.step >= 1 else 1.0
    for place in range(d.out):
        center = d.step * (place + 0.5)
        first, last = max(int(center - reach + 0.5), 0), min(int(center + reach + 0.5), d.size)
        weights = [weight((element - center + 0.5) * inverse) for element in range(first, last)]
        total = sum(weights) or 1.0
        rows.append([(first + number, value / total) for number, value in enumerate(weights)])
    return rows


def _linear_antialiased(d):
    return _antialiased(d, 1.0, lambda x: max(1 - abs(x), 0.0))


def _cubic_antialiased(d):
    return _antialiased(d, 2.0, lambda x: _cubic_weight(x, -0.5))


def _is_identity(rows, size):
    return len(rows) == size and all(
        [entry for entry in row if entry[1] != 0] == [(place, 1)] for place, row in enumerate(rows)
    )


def _resized(grad, out, sizes, scales, align_corners, rows_of):
    """[N, C, *out] to [N, C, *sizes]"""
    if grad.numel() == 0:
        return grad.new_zeros(sizes)
    if rows_of is _cubic and list(out) == list(sizes[2:]):
        return grad.clone()
    total = wide(grad)
    for dim, (size, places, scale) in enumerate(zip(sizes[2:], out, scales, strict=True), 2):
        rows = rows_of(_Dimension(size, places, scale, align_corners, grad.dtype))
        if rows is None:
            total = total.unflatten(dim, (size, places // size)).sum(dim + 1)
        elif not _is_identity(rows, size):
            total = listed(rows, size).summed(total, dim)
    return total.to(grad.dtype)


_NAMES = {1: ["scales"], 2: ["scales_h", "scales_w"], 3: ["scales_d", "scales_h", "scales_w"]}


def _all(scales, named, count):
    return [*scales, *[named.get(name) for name in _NAMES[count][len(scales) :]]]


def _of_places(rows_of):
    def backward(grad, output_size, input_size, *scales, **named):
        """[N, C, *output_size] to input_size"""
        scales = _all(scales, named, len(output_size))
        return _resized(grad, output_size, input_size, scales, False, rows_of)

    return backward


def _of_corners(rows_of):
    def backward(grad, output_size, input_size, align_corners, *scales, **named):
        """[N, C, *output_size] to input_size"""
        scales = _all(scales, named, len(output_size))
        return _resized(grad, output_size, input_size, scales, align_corners, rows_of)

    return backward


nearest, nearest_exact = _of_places(_nearest), _of_places(_nearest_exact)
linear, cubic = _of_corners(_linear), _of_corners(_cubic)
linear_antialiased, cubic_antialiased = _of_corners(_linear_antialiased), _of_corners(_cubic_antialiased)


def replication_pad(grad, x, padding):
    """[..., *out] to the shape of x: the border's elements sum what was padded from them. Pairs of `padding` from the
    last dimension on."""
    total = wide(grad)
    for k in range(len(padding) // 2):
        dim = x.dim() - 1 - k
        low, high, size = padding[2 * k], padding[2 * k + 1], x.shape[dim]
        count = size + low + high
        rows = [[(min(max(place - low, 0), size - 1), 1)] for place in range(count)]
        if size == 1:
            total = total.sum(dim, keepdim=True)
        elif low < 0 or high < 0:
            total = listed(rows, size).summed(total, dim)
        else:
            ends = [total.narrow(dim, 0, low + 1), total.narrow(dim, low + size - 1, high + 1)]
            first, last = (end.sum(dim, keepdim=True) for end in ends)
            total = torch.cat([first, total.narrow(dim, low + 1, size - 2), last], dim)
    return total.to(grad.dtype)
