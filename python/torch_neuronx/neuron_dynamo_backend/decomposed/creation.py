"""Ranges."""

import torch

aten = torch.ops.aten


def linspace(start, end, steps, *, dtype=None, **rest):
    """[steps] of `dtype`. Of integers the ends are integers too, as in eager: 4.3 is 4."""
    from torch._decomp import decomposition_table

    if dtype is not None and not dtype.is_floating_point and not dtype.is_complex:
        start, end = (x.to(dtype) if isinstance(x, torch.Tensor) else int(x) for x in (start, end))
    return decomposition_table[aten.linspace.Tensor_Tensor](start, end, steps, dtype=dtype, **rest)


def fftfreq(n, d=1.0, **settings):
    """The frequencies of a transform of n numbers that are d apart, the negative ones last."""
    settings["dtype"] = settings.get("dtype") or torch.get_default_dtype()
    number = torch.arange(n, **settings)
    return torch.where(number < (n + 1) // 2, number, number - n) * (1 / (n * d))


def rfftfreq(n, d=1.0, **settings):
    """Those that are not negative, and the middle one."""
    settings["dtype"] = settings.get("dtype") or torch.get_default_dtype()
    return torch.arange(n // 2 + 1, **settings) * (1 / (n * d))


def zeros(size, **settings):
    """Zeros that take memory: eager's efficient ones, of which gradients are made, take none."""
    return torch.zeros(size, **settings)
