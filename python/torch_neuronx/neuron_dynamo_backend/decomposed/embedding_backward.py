"""The backward pass of embedding bags (indexing.embedding_bag)."""

import torch

from .windows import wide

_SUM, _MEAN, _MAX = 0, 1, 2


def _bags(offsets, offset2bag, indices):
    """The bag of each index; eager leaves it out where its forward pass needs none."""
    if offset2bag.numel() == indices.numel():
        return offset2bag.long()
    place = torch.arange(indices.numel(), device=indices.device)
    return (place.unsqueeze(1) >= offsets.long()).long().sum(1) - 1


def backward(
    grad,
    indices,
    offsets,
    offset2bag,
    bag_size,
    maximum_indices,
    num_weights,
    scale_grad_by_freq,
    mode,
    sparse,
    per_sample_weights,
    padding_idx=-1,
):
    """Gradient [num_weights, D] of the rows for grad [bags, D]"""
    if sparse or indices.numel() == 0 or grad.numel() == 0:
        return NotImplemented
    given = wide(grad)
    total = torch.zeros(num_weights, grad.shape[1], dtype=given.dtype, device=grad.device)
    if mode == _MAX:
        given = torch.where(bag_size.unsqueeze(1) > 0, given, 0)
        return total.scatter_add(0, maximum_indices.long(), given).to(grad.dtype)
    indices, bag = indices.long(), _bags(offsets, offset2bag, indices)
    rows = given[bag]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(rows.dtype).unsqueeze(1)
    if mode == _MEAN:
        rows = rows / bag_size.clamp_min(1)[bag].to(rows.dtype).unsqueeze(1)
    if scale_grad_by_freq:
        often = torch.zeros(num_weights, dtype=torch.int64, device=grad.device)
        often = often.scatter_add(0, indices, torch.ones_like(indices))
        rows = rows / often[indices].to(rows.dtype).unsqueeze(1)
    if padding_idx >= 0:
        rows = torch.where((indices != padding_idx).unsqueeze(1), rows, 0)
    return total.scatter_add(0, indices.unsqueeze(1).expand(rows.shape), rows).to(grad.dtype)


def dense(
    grad,
    indices,
    offset2bag,
    bag_size,
    maximum_indices,
    num_weights,
    scale_grad_by_freq,
    mode,
    per_sample_weights,
    padding_idx=-1,
):
    """As backward; offset2bag is never left out."""
    rest = num_weights, scale_grad_by_freq, mode, False, per_sample_weights, padding_idx
    return backward(grad, indices, offset2bag, offset2bag, bag_size, maximum_indices, *rest)


def per_sample_weights(grad, weight, indices, offsets, offset2bag, mode, padding_idx=-1):
    """Gradient [count] of the weights of the indices, for grad [bags, D]"""
    if mode != _SUM or indices.numel() == 0:
        return NotImplemented
    indices, bag = indices.long(), _bags(offsets, offset2bag, indices)
    product = (wide(grad)[bag] * wide(weight)[indices]).sum(1)
    return torch.where(indices != padding_idx, product, 0).to(grad.dtype)
