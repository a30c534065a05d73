"""Sums of products."""

import torch


def trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    """The product of three tensors, which get dimensions of 1 at `expand1`, `expand2` and `expand3`, summed over
    `sumdim`: products of matrices, as in eager."""
    del unroll_dim
    rank = i1.dim() + len(expand1)
    letters = [chr(ord("a") + dim) for dim in range(rank)]
    terms = ["".join(c for dim, c in enumerate(letters) if dim not in e) for e in (expand1, expand2, expand3)]
    out = "".join(c for dim, c in enumerate(letters) if dim not in sumdim)
    if rank > 26 or not set(letters) <= set("".join(terms)):
        return NotImplemented
    return torch.einsum(f"{','.join(terms)}->{out}", i1, i2, i3)
