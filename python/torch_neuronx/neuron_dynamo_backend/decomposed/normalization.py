"""Normalizations that are not in core ATen's table."""

import torch

aten = torch.ops.aten


def batch_norm_with_update(*args):
    """As PyTorch takes it apart: (out, mean, rstd, reserve, running mean, running variance)."""
    from torch._decomp import decomposition_table

    return decomposition_table[aten._batch_norm_with_update_functional.default](*args)


def weight_norm_backward(grad, v, g, norms, dim):
    """Gradients of v and g for w = v g / norms, whose norms [as g] are over all dimensions of v but `dim`."""
    others = [d for d in range(v.dim()) if d != dim]
    along = (grad * v).sum(others, keepdim=True)
    return g / norms * (grad - v * (along / norms.square())), along / norms
