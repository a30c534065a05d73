"""Assignments by a mask in Dynamo's graph, before autograd sees them.

The gradient of `x[mask] = values` for the values is grad[mask], of a shape that depends on data. As a choice among
elements it has a gradient of known shape.
"""

import operator

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from .decomposed import masks


def _indices(index):
    """A mask alone or with full slices, as index_put takes it; None for anything else."""
    index = index if isinstance(index, tuple) else (index,)
    if not all(isinstance(part, torch.Tensor) or part == slice(None) for part in index):
        return None
    return [part if isinstance(part, torch.Tensor) else None for part in index]


def index_put(x, indices, values, accumulate=False):
    """torch.index_put."""
    new = masks.index_put(x, indices, values, accumulate)
    return torch.index_put(x, indices, values, accumulate) if new is NotImplemented else new


def index_put_(x, indices, values, accumulate=False):
    """torch.Tensor.index_put_."""
    return x.copy_(index_put(x, indices, values, accumulate))


def setitem(x, index, value):
    """operator.setitem."""
    indices = _indices(index)
    new = NotImplemented
    if indices and isinstance(value, torch.Tensor) and not free_unbacked_symbols(value):
        while value.ndim > 1 and value.shape[0] == 1:  # as assignments drop them
            value = value[0]
        new = masks.index_put(x, indices, value.to(x.dtype))
    return operator.setitem(x, index, value) if new is NotImplemented else x.copy_(new)


_OURS = {
    ("call_function", operator.setitem): setitem,
    ("call_function", torch.index_put): index_put,
    ("call_method", "index_put"): index_put,
    ("call_method", "index_put_"): index_put_,
}

# For AOTAutograd's cache, whose key has a digest of these sources (backend._cache_tag).
CACHEABLE = {f"{function.__module__}.{function.__name__}": "" for function in _OURS.values()}


def _by_mask(node):
    """Whether any index of an assignment is a mask."""
    parts = []
    torch.fx.map_arg(node.args[1:2], parts.append)
    values = (part.meta.get("example_value") for part in parts)
    return any(isinstance(value, torch.Tensor) and value.dtype in (torch.bool, torch.uint8) for value in values)


def rewrite(gm):
    """Replaces assignments by a mask in a graph of Dynamo's and in those within."""
    for part in gm.modules():
        if not isinstance(part, torch.fx.GraphModule):
            continue
        changed = False
        for node in part.graph.nodes:
            ours = _OURS.get((node.op, node.target))
            if ours and len(node.args) > 1 and _by_mask(node):
                node.op, node.target, changed = "call_function", ours, True
        if changed:
            part.recompile()
