"""Distances between rows."""

import math

import torch


def _norm(difference, p):
    if difference.shape[-1] == 0:
        return difference.sum(-1)
    return torch.linalg.vector_norm(difference, p, -1)


def cdist(x1, x2, p, compute_mode=None):
    """[..., P, M] and [..., R, M] to [..., P, R], of the differences. (For many rows torch.cdist takes a product of
    matrices before it comes here.)"""
    return _norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


def pdist(x, p=2.0):
    """[N, M] to [N (N - 1) / 2]: of the pairs i < j, in row-major order."""
    if x.shape[0] < 2:
        return torch.zeros(0, dtype=x.dtype, device=x.device)
    i, j = torch.triu_indices(x.shape[0], x.shape[0], 1, device=x.device)
    return _norm(x[i] - x[j], p)


def _slope(difference, grad, distance, p):
    """Of the norm of `difference` [..., M], times grad [...]; 0 where the distance is."""
    grad, distance = grad.unsqueeze(-1), distance.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(difference * grad)
    if p == 1:
        return difference.sign() * grad
    size = difference.abs()
    if p == math.inf:
        return torch.where(size == distance, difference.sign() * grad, 0)
    if p == 2:
        slope = difference * grad / distance
    else:
        slope = difference.sign() * size.pow(p - 1) * grad / distance.pow(p - 1)
    nothing = distance == 0
    if p < 1:
        nothing = nothing | (difference == 0)
    return torch.where(nothing, 0, slope)


def cdist_backward(grad, x1, x2, p, cdist):
    """Gradient of x1 [..., P, M] for grad [..., P, R] of the distances to x2 [..., R, M]"""
    return _slope(x1.unsqueeze(-2) - x2.unsqueeze(-3), grad, cdist, p).sum(-2)


def pdist_backward(grad, x, p, pdist):
    """Gradient of x [N, M] for grad [N (N - 1) / 2]"""
    if x.shape[0] < 2 or x.numel() == 0:
        return torch.zeros_like(x)
    i, j = torch.triu_indices(x.shape[0], x.shape[0], 1, device=x.device)
    slope = _slope(x[i] - x[j], grad, pdist, p)
    return torch.zeros_like(x).index_add(0, i, slope).index_add(0, j, slope, alpha=-1)
