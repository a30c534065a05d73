"""Gathers and scatters by indices that follow from other arguments."""

import math

import torch

aten = torch.ops.aten


def index_add(x, dim, index, source, *, alpha=1):
    """Eager sums halves in float32 along the first and the last dimension, if there is no alpha.

    PyTorch's own decomposition rounds every sum, as eager does elsewhere.
    """
    wide = x.ndim >= 2 and dim % x.ndim in (0, x.ndim - 1) and alpha == 1 and index.dtype == torch.int64
    if not wide or x.dtype not in (torch.float16, torch.bfloat16):
        from torch._decomp import decomposition_table

        return decomposition_table[aten.index_add.default](x, dim, index, source, alpha=alpha)
    sizes = [1] * x.ndim
    sizes[dim] = -1
    return x.scatter_add(dim, index.long().reshape(sizes).expand(source.shape), source)


def as_strided_scatter(x, src, size, stride, storage_offset=None):
    """x of any dense strides; of places that the view has twice, the last one in row-major order stays."""
    span = 1 + sum((n - 1) * s for n, s in zip(x.shape, x.stride(), strict=True))
    if x.numel() == 0 or span != x.numel():  # its memory has gaps
        return NotImplemented
    offset = 0 if storage_offset is None else storage_offset - x.storage_offset()
    reach = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if src.numel() == 0:
        return x.clone()
    if offset < 0 or reach >= span:
        return NotImplemented
    place = torch.full((), offset, dtype=torch.int64, device=x.device)
    for n, s in zip(size, stride, strict=True):
        place = place.unsqueeze(-1) + torch.arange(n, device=x.device) * s
    flat = x.as_strided((span,), (1,)).scatter(0, place.reshape(-1), src.reshape(-1).to(x.dtype))
    return flat.as_strided(x.shape, x.stride())


def nonzero_static(x, *, size, fill_value=-1):
    """The first `size` places where x is not 0, [size, rank]; fill_value where there are no more."""
    flat = (x != 0).reshape(-1)
    if size == 0 or x.ndim == 0 or x.numel() == 0:
        return NotImplemented
    count = flat.to(torch.int64).cumsum(0)
    slot = torch.where(flat & (count <= size), count - 1, size)
    number = torch.arange(x.numel(), device=x.device)
    places = torch.full((size + 1,), -1, dtype=torch.int64, device=x.device).scatter(0, slot, number)[:size]
    columns, stride = [], x.numel()
    for n in x.shape:
        stride //= n
        columns.append(torch.where(places < 0, fill_value, places // stride % n))
    return torch.stack(columns, 1)


def repeat_interleave(repeats, *, output_size=None):
    """Each place as often as `repeats` says; the sum of `repeats` must be known as output_size."""
    if output_size is None:
        return NotImplemented
    ends = repeats.cumsum(0)
    torch._assert_async((repeats >= 0).all(), "repeats can not be negative")
    torch._assert_async((repeats.sum() == output_size).all(), "allocated size does not match required size")
    each = torch.arange(output_size, device=repeats.device)
    return aten.searchsorted.Tensor(ends, each, right=True).to(repeats.dtype)


def take(x, index):
    """Elements of x as if flat. (PyTorch's own asks an index without dimensions for its number.)"""
    if x.numel() == 0:
        return NotImplemented if index.numel() else x.new_empty(index.shape)
    return aten.index.Tensor(x.reshape(-1), [index.reshape(-1)]).reshape(index.shape)


def searchsorted_scalar(sequence, value, *, out_int32=False, right=False, side=None, sorter=None):
    """With a sorter, of the sequence in its order."""
    if sorter is None:
        return NotImplemented
    ordered = sequence.gather(-1, sorter)
    return aten.searchsorted.Scalar(ordered, value, out_int32=out_int32, right=right, side=side)


def searchsorted(sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    """With a sorter, of the sequence in its order."""
    if sorter is None:
        return NotImplemented
    ordered = sequence.gather(-1, sorter)
    return aten.searchsorted.Tensor(ordered, values, out_int32=out_int32, right=right, side=side)


def embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=0,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=-1,
):
    """Sums (mode 0), means (1) or maxima (2) of rows of `weight` by bag: output, and what its backward needs."""
    count, width, bags = indices.numel(), weight.shape[1], offsets.numel() - include_last_offset
    if count == 0 or bags == 0:
        return NotImplemented
    indices, starts = indices.long(), offsets.long()[:bags]
    place = torch.arange(count, device=weight.device)
    bag = (place.unsqueeze(1) >= starts).long().sum(1) - 1
    rows = weight[indices]
    wide = torch.float32 if weight.dtype in (torch.float16, torch.bfloat16) else weight.dtype
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    kept = indices != padding_idx if padding_idx >= 0 else torch.ones_like(indices, dtype=torch.bool)
    size = torch.zeros(bags, dtype=torch.int64, device=weight.device).scatter_add(0, bag, kept.long())
    where, spread = bag.unsqueeze(1).expand(count, width), kept.unsqueeze(1)
    zeros = torch.zeros(bags, width, dtype=wide, device=weight.device)
    none = torch.zeros_like(size)
    if mode == 2:
        low = torch.full((), -torch.inf, dtype=weight.dtype, device=weight.device)
        largest = zeros.to(weight.dtype).scatter_reduce(
            0, where, torch.where(spread, rows, low), "amax", include_self=False
        )
        # The first row of a bag that has it, for the backward pass.
        first = torch.where((rows == largest[bag]) & spread, place.unsqueeze(1), count - 1)
        chosen = torch.full((bags, width), count - 1, dtype=torch.int64, device=weight.device)
        chosen = chosen.scatter_reduce(0, where, first, "amin")
        return torch.where(size.unsqueeze(1) > 0, largest, 0), bag, size, indices[chosen]
    total = zeros.scatter_add(0, where, torch.where(spread, rows.to(wide), 0))
    if mode == 1:
        total = total / size.clamp_min(1).unsqueeze(1).to(wide)
    return total.to(weight.dtype), bag, size, none


def index_put_impl(x, indices, values, accumulate=False, unsafe=False):
    """aten.index_put; `unsafe` only says that the indices were checked."""
    return aten.index_put(x, indices, values, accumulate)


def embedding_renorm(weight, indices, max_norm, norm_type):
    """Rows of `weight` [V, D] that `indices` name and whose norm is above max_norm get that norm."""
    if weight.numel() == 0 or indices.numel() == 0:
        return weight.clone()
    indices = indices.reshape(-1).long()
    named = torch.zeros(weight.shape[0], dtype=torch.int64, device=weight.device)
    named = named.scatter(0, indices, torch.ones_like(indices)) > 0
    norm = torch.linalg.vector_norm(weight, norm_type, 1)
    long = (named & (norm > max_norm)).unsqueeze(1)
    return torch.where(long, weight * (max_norm / (norm + 1e-7)).unsqueeze(1), weight)


def masked_scatter_backward(grad, mask, sizes):
    """Gradient of the source, of the shape `sizes`: grad where `mask` is, in order; 0 for what was not taken."""
    count = math.prod(sizes)
    if grad.numel() == 0 or count == 0:
        return grad.new_zeros(sizes)
    grad, mask = torch.broadcast_tensors(grad, mask)
    mask = mask.reshape(-1)
    slot = torch.where(mask, mask.long().cumsum(0) - 1, count).clamp_max(count)
    return grad.new_zeros(count + 1).scatter(0, slot, grad.reshape(-1))[:count].reshape(sizes)
