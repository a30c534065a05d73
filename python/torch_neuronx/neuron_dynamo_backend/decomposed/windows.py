"""Windows along a dimension, seen from the elements that they cover.

Forward, a pool or a resize gathers the elements of each window. Backward, an element sums over the windows that cover
it. Which those are is known when compiling, so this is a gather as well, and not a scatter.
"""

import math
import struct

import torch
from torch.utils._python_dispatch import _disable_current_modes


def float32(number):
    """A number as float32 holds it."""
    return struct.unpack("f", struct.pack("f", number))[0]


def constant(values, dtype):
    """A tensor of known numbers in the graph that is traced."""
    with _disable_current_modes():
        tensor = torch.tensor(values, dtype=dtype)
    return torch.ops.aten.lift_fresh_copy.default(tensor)


def along(values, x, dim, dtype):
    """[len(values)] numbers in a shape to combine with x along `dim`."""
    shape = [1] * x.dim()
    shape[dim] = len(values)
    return constant(values, dtype).reshape(shape)


def wide(x):
    """Halves as float32: eager sums them so, or worse."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


class Regular:
    """Windows of `reach` elements, which begin `stride` apart at -padding: `count` of them over `size` elements."""

    def __init__(self, count, size, stride, padding, reach):
        self.count, self.size, self.stride, self.padding, self.reach = count, size, stride, padding, reach
        self.most = math.ceil(reach / stride)

    def covering(self, x, dim, number, fill=0):
        """`x` [..., count, ...] at the window `number` (of `most`, in order) of each element, [..., size, ...]; `fill`
        where there is none."""
        back = self.most - 1 - number
        x = x.unsqueeze(dim + 1)
        shape = list(x.shape)
        shape[dim + 1] = min(self.stride, self.reach - back * self.stride)
        x = x.expand(shape)
        if shape[dim + 1] < self.stride:
            shape[dim + 1] = self.stride - shape[dim + 1]
            x = torch.cat([x, x.new_full(shape, fill)], dim + 1)
        x = x.flatten(dim, dim + 1)  # by place, from that of the first window on
        low = back * self.stride - self.padding
        return _extended(x, dim, low, self.size - low - x.shape[dim], fill)

    def summed(self, x, dim):
        """The sum of `x` over the windows of each element."""
        total = self.covering(x, dim, 0)
        for number in range(1, self.most):
            total = total + self.covering(x, dim, number)
        return total


def _extended(x, dim, low, high, fill):
    """x with `low` and `high` places more at the ends of `dim`; with fewer if these are negative."""
    begin, end = max(0, -low), x.shape[dim] - max(0, -high)
    if end <= begin:  # nothing of x stays
        shape = list(x.shape)
        shape[dim] = low + high + x.shape[dim]
        return x.new_full(shape, fill)
    x, parts = x.narrow(dim, begin, end - begin), []
    for places in (low, high):
        shape = list(x.shape)
        shape[dim] = max(places, 0)
        parts.append(x.new_full(shape, fill))
    parts = [part for part in (parts[0], x, parts[1]) if part.shape[dim]]
    return torch.cat(parts, dim) if len(parts) > 1 else x


class Listed:
    """Any windows: for each element a list of (window, weight)."""

    def __init__(self, lists):
        self.lists, self.most = lists, max(map(len, lists))

    def _column(self, number):
        return [windows[number] if number < len(windows) else None for windows in self.lists]

    def _taken(self, x, dim, entries, fill):
        taken = x.index_select(dim, constant([e[0] if e else 0 for e in entries], torch.int64))
        weights = [e[1] if e else 0 for e in entries]
        if any(e and e[1] != 1 for e in entries):
            taken = taken * along(weights, x, dim, x.dtype)
        if not all(entries):  # what is not there may be NaN
            taken = torch.where(along([bool(e) for e in entries], x, dim, torch.bool), taken, fill)
        return taken

    def covering(self, x, dim, number, fill=0):
        """As of Regular."""
        return self._taken(x, dim, self._column(number), fill)

    def summed(self, x, dim):
        """The weighted sum of `x` over the windows of each element: one gather, one sum."""
        entries = [entry for number in range(self.most) for entry in self._column(number)]
        taken = self._taken(x, dim, entries, 0)
        return taken.unflatten(dim, (self.most, len(self.lists))).sum(dim)


def listed(rows, size):
    """From the elements of each window, [(element, weight), ...], to Listed windows over `size` elements."""
    lists = [{} for _ in range(size)]
    for window, row in enumerate(rows):
        for element, weight in row:
            lists[element][window] = lists[element].get(window, 0) + weight
    return Listed([list(windows.items()) for windows in lists])
