"""What is put where a mask says, without asking how many places that are."""

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols


def index_put(x, indices, values, accumulate=False):
    """What x[..., mask] = values does, by a choice; values are one for all, or one for each element that is True.

    By several masks, or by numbers, is left to the importer.
    """
    given = [(dim, index) for dim, index in enumerate(indices) if index is not None]
    if len(given) != 1 or given[0][1].dtype not in (torch.bool, torch.uint8):
        return NotImplemented
    dim, mask = given[0]
    if mask.ndim == 0 or values.ndim > x.ndim - mask.ndim + 1 or free_unbacked_symbols(values) or x.numel() == 0:
        return NotImplemented
    chosen = mask.reshape(-1) != 0
    flat = x.reshape(*x.shape[:dim], -1, *x.shape[dim + mask.ndim :])
    values = values.reshape([1] * (flat.ndim - values.ndim) + list(values.shape))
    count = values.shape[dim]
    if count != 1:
        message = f"shape mismatch: {count} values are given for what a mask chooses, which are not as many"
        torch._assert_async(chosen.sum() == count, message)
    if values.numel() == 0:
        return x.clone()
    if count != 1:
        values = values.index_select(dim, (chosen.long().cumsum(0) - 1).clamp(0, count - 1))
    new = flat + values if accumulate else values
    return torch.where(chosen.reshape(-1, *[1] * (flat.ndim - dim - 1)), new, flat).reshape(x.shape)
