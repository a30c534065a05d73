"""Reductions of segments of a dimension (torch.segment_reduce), and their gradients."""

import math

import torch


class _Segments:
    """Where the segments of dimension `axis` of `data` are, from lengths or offsets [..., S] in line with what is
    before it. Tensors are seen as [batch, along the axis, rest]."""

    def __init__(self, data, lengths, offsets, axis):
        if offsets is None:
            ends = lengths.cumsum(-1)
            starts = ends - lengths
        else:
            starts, ends = offsets[..., :-1], offsets[..., 1:]
        self.axis = axis
        self.length, self.count = data.shape[axis], ends.shape[-1]
        self.batch = math.prod(data.shape[:axis])
        starts, ends = starts.reshape(self.batch, self.count), ends.reshape(self.batch, self.count)
        place = torch.arange(self.length, device=data.device).reshape(1, self.length, 1)
        number = (place >= ends.unsqueeze(1)).long().sum(-1)
        # What is in no segment is in one more.
        self.number = torch.where(place.squeeze(-1) >= starts[:, :1], number, self.count)
        self.size = (ends - starts).unsqueeze(-1)

    def rows(self, x):
        return x.reshape(self.batch, x.shape[self.axis], -1)

    def scattered(self, rows, reduce, start):
        """[batch, segments, rest]: `rows` reduced, beginning with the number `start`."""
        total = torch.full((self.batch, self.count + 1, rows.shape[2]), start, dtype=rows.dtype, device=rows.device)
        return total.scatter_reduce(1, self.number.unsqueeze(-1).expand(rows.shape), rows, reduce)[:, : self.count]

    def spread(self, x):
        """[batch, length, rest]: of each element, what its segment has in `x`; 0 of those in none."""
        x = torch.cat([x, torch.zeros_like(x[:, :1])], 1)
        return x.gather(1, self.number.unsqueeze(-1).expand(self.batch, self.length, x.shape[2]))


def _wide(data):
    return torch.float32 if data.dtype in (torch.float16, torch.bfloat16) else data.dtype


def forward(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Reduces each segment of dimension `axis`, to [..., S, ...]."""
    del unsafe
    if indices is not None or data.numel() == 0:
        return NotImplemented
    segments = _Segments(data, lengths, offsets, axis)
    neutral = {"sum": 0, "mean": 0, "prod": 1, "max": -math.inf, "min": math.inf}[reduce]
    named = {"max": "amax", "min": "amin", "mean": "sum"}.get(reduce, reduce)
    rows = segments.rows(data).to(_wide(data))
    total = segments.scattered(rows, named, neutral if initial is None else initial)
    if reduce == "mean":
        nothing = math.nan if initial is None else initial
        total = torch.where(segments.size > 0, total / segments.size.clamp_min(1).to(rows.dtype), nothing)
    return total.reshape(*data.shape[:axis], segments.count, *data.shape[axis + 1 :]).to(data.dtype)


def _of_extremum(segments, grad, output, data):
    """Each of several extrema gets its part, but of a gradient that is not positive all of it: so eager does."""
    chosen = data.isnan() | (data == segments.spread(output))
    count = segments.spread(segments.scattered(chosen.to(data.dtype), "sum", 0))
    grad = segments.spread(grad)
    return torch.where(chosen, torch.where((count >= 2) & (grad > 0), grad / count, grad), 0)


def _of_product(segments, grad, output, data, initial):
    """Of zeros and NaN the product of the others, without a quotient."""
    zero, nan = data == 0, data.isnan()
    zeros, nans = (segments.spread(segments.scattered(x.to(data.dtype), "sum", 0)) for x in (zero, nan))
    usual = torch.where(zero | nan, 1, data)
    others = segments.spread(segments.scattered(usual, "prod", 1 if initial is None else initial))
    others = torch.where(zeros > zero.to(data.dtype), others * 0, others)
    others = torch.where(nans > nan.to(data.dtype), math.nan, others)
    return torch.where(zero | nan, segments.spread(grad) * others, segments.spread(grad * output) / usual)


def backward(grad, output, data, reduce, *, lengths=None, offsets=None, axis=0, initial=None):
    """The gradient of `data`."""
    if data.numel() == 0:
        return torch.zeros_like(data)
    segments = _Segments(data, lengths, offsets, axis)
    rows, output, grad = (segments.rows(x).to(_wide(data)) for x in (data, output, grad))
    if reduce in ("max", "min"):
        result = _of_extremum(segments, grad, output, rows)
    elif reduce == "prod":
        result = _of_product(segments, grad, output, rows, initial)
    else:
        result = segments.spread(grad / segments.size.clamp_min(1).to(grad.dtype) if reduce == "mean" else grad)
    # Eager leaves out what is in no segment.
    result = torch.where((segments.number < segments.count).unsqueeze(-1), result, 0)
    return result.reshape(data.shape).to(data.dtype)
