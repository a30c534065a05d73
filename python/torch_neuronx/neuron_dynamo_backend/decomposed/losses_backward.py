"""The backward passes of losses and of activations that PyTorch does not take apart."""

import torch

_MEAN = 1


def shrink(grad, x, lambd):
    """Of hardshrink and softshrink."""
    return torch.where((x >= -lambd) & (x <= lambd), 0, grad)


def multi_margin_loss(grad, x, target, p, margin, weight=None, reduction=_MEAN):
    """x [N, C], [C] or [], and its classes [N] or []"""
    if x.numel() == 0:
        return NotImplemented
    rows, target = x.reshape(-1, x.shape[-1] if x.dim() else 1), target.reshape(-1, 1)
    count, classes = rows.shape
    z = margin - rows.gather(1, target) + rows
    part = torch.ones_like(z) if p == 1 else 2 * z
    other = torch.arange(classes, device=x.device) != target
    part = torch.where((z > 0) & other, part, 0)
    if weight is not None:
        part = part * weight[target]
    part = part / (classes * count if reduction == _MEAN else classes)
    part = torch.where(other, part, -part.sum(1, keepdim=True))
    return (part * grad.reshape(-1, 1)).reshape(x.shape)


def multilabel_margin_loss(grad, x, target, reduction, is_target):
    """x [N, C], [C] or []; the classes of each row are those before the first -1 in target, which is_target marks"""
    if x.numel() == 0:
        return NotImplemented
    rows = x.reshape(-1, x.shape[-1] if x.dim() else 1)
    target = target.reshape(rows.shape)
    count, classes = rows.shape
    valid = (target < 0).long().cumsum(1) == 0
    place = torch.where(valid, target, 0)
    z = 1 - rows.gather(1, place).unsqueeze(2) + rows.unsqueeze(1)  # [N, target, class]
    other = (is_target.reshape(count, 1, classes) == 0) & valid.unsqueeze(2)
    hit = ((z > 0) & other).to(x.dtype)
    part = hit.sum(1).scatter_add(1, place, -hit.sum(2))
    part = part / (classes * count if reduction == _MEAN else classes)
    return (part * grad.reshape(-1, 1)).reshape(x.shape)
