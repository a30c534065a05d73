"""Linear resizes of a dimension to its own size, for which eager does not heed the scale that it was given.

PyTorch's decompositions heed it. Only operations on the device come here: of compiled graphs, PyTorch takes resizes
apart before it looks into a table.
"""

import torch


def _of(op):
    """PyTorch's decomposition of `op`, without the scales of dimensions that keep their size."""

    def resize(x, output_size, *rest, **named):
        from torch._decomp import decomposition_table

        names = [argument.name for argument in op._schema.arguments]
        values = dict(zip(names[2:], rest, strict=False)) | named
        scales = [name for name in names if name.startswith("scales")]
        for name, size, out in zip(scales, x.shape[2:], output_size, strict=True):
            if size == out:
                values[name] = None
        return decomposition_table[op](x, output_size, *[values.get(name) for name in names[2:]])

    return resize


aten = torch.ops.aten
linear1d = _of(aten.upsample_linear1d.default)
bilinear2d = _of(aten.upsample_bilinear2d.default)
trilinear3d = _of(aten.upsample_trilinear3d.default)
