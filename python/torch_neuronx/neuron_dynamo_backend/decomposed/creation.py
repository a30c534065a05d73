"""Ranges whose ends are tensors."""

import torch

aten = torch.ops.aten


def linspace(start, end, steps, *, dtype=None, **rest):
    """[steps] of `dtype`. Of integers the ends are integers too, as in eager: 4.3 is 4."""
    from torch._decomp import decomposition_table

    if dtype is not None and not dtype.is_floating_point and not dtype.is_complex:
        start, end = (x.to(dtype) if isinstance(x, torch.Tensor) else int(x) for x in (start, end))
    return decomposition_table[aten.linspace.Tensor_Tensor](start, end, steps, dtype=dtype, **rest)
