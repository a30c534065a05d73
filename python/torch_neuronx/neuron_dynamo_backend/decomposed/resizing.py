"""Resizes of a dimension for which eager does not heed the scale that it was given: linear ones to its own size,
nearest ones to its own or to twice its size. PyTorch's decompositions heed it.
"""

import torch

aten = torch.ops.aten


def _is_heeded(op, size, out):
    return size != out and not ("nearest" in op and out == 2 * size)


def _of(op):
    """PyTorch's decomposition of `op`, without the scales that eager does not heed."""

    def resize(x, output_size, *rest, **named):
        from torch._decomp import decomposition_table

        names = [argument.name for argument in op._schema.arguments]
        values = dict(zip(names[2:], rest, strict=False)) | named
        scales = [name for name in names if name.startswith("scales")]
        for name, size, out in zip(scales, x.shape[2:], output_size, strict=True):
            if not _is_heeded(op.name(), size, out):
                values[name] = None
        return decomposition_table[op](x, output_size, *[values.get(name) for name in names[2:]])

    return resize


_NAMES = (
    *("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"),
    *("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"),
)
TABLE = {op: _of(op) for op in (getattr(aten, name).default for name in _NAMES)}


def _of_interpolate(packet):
    """Of the overload that torch.nn.functional.interpolate calls: a size, or a scale for each dimension."""

    def resize(x, output_size, *rest):
        from torch._decomp.decompositions import upsample_compute_output_size

        *flags, factors = rest
        size = upsample_compute_output_size(x.size(), output_size, factors)
        return TABLE[packet.default](x, size, *flags, *(factors or [None] * len(size)))

    return resize


#: PyTorch takes these apart before autograd, and so before a table is asked; see first.py.
FIRST = {getattr(aten, name).vec: _of_interpolate(getattr(aten, name)) for name in _NAMES}
