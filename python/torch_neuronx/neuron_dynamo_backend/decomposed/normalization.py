"""Normalizations that are not in core ATen's table."""

import torch

aten = torch.ops.aten


def batch_norm_with_update(*args):
    """As PyTorch takes it apart: (out, mean, rstd, reserve, running mean, running variance)."""
    from torch._decomp import decomposition_table

    return decomposition_table[aten._batch_norm_with_update_functional.default](*args)
