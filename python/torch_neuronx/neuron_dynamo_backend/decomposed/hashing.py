"""Hashes of tensors."""

import torch


def _xor(bits, dim):
    """The exclusive or of all elements along `dim`, which stays with size 1: halves meet, so in log2(size) steps."""
    size = bits.shape[dim]
    if size == 0:
        shape = list(bits.shape)
        shape[dim] = 1
        return bits.new_zeros(shape)
    while size > 1:
        half = size // 2
        met = bits.narrow(dim, 0, half) ^ bits.narrow(dim, half, half)
        bits = torch.cat([met, bits.narrow(dim, 2 * half, 1)], dim) if size % 2 else met
        size = bits.shape[dim]
    return bits


def hash_tensor(x, dim=(), *, keepdim=False, mode=0):
    """uint64: the exclusive or along `dim`, or of all, of x's elements; of floats, the bits of these in float64."""
    if mode != 0:
        return NotImplemented
    bits = x.double().view(torch.int64) if x.dtype.is_floating_point else x.to(torch.int64)
    dims = sorted({d % x.dim() for d in dim}) if dim and x.dim() else range(x.dim())
    for d in dims:
        bits = _xor(bits, d)
    if not keepdim:
        bits = bits.squeeze(tuple(dims))
    return bits.view(torch.uint64)
