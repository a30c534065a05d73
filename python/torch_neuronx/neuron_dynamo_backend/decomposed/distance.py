"""Distances between rows."""

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
