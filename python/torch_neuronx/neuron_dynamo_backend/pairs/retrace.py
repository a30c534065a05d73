"""Tracing a graph once more, and what of it is complex."""

import torch
from torch.utils import _pytree as pytree

from ..tracing import traced, without_memory
from .pair import REAL


def values_of(node):
    return [value for value in pytree.tree_leaves(node.meta.get("val")) if isinstance(value, torch.Tensor)]


def is_complex(node):
    """Whether a node makes or takes complex numbers."""
    makes = any(value.is_complex() for value in values_of(node))
    takes = any(value.is_complex() for source in node.all_input_nodes for value in values_of(source))
    return makes or takes or any(isinstance(arg, complex) for arg in pytree.tree_leaves((node.args, node.kwargs)))


def has_complex(gm):
    """Whether there is anything to rewrite: complex tensors, or a real one that is read negated."""

    def counts(value, node):
        if isinstance(value, torch.Tensor):  # first: this is asked of every node of every graph
            return value.dtype.is_complex or (node.op != "placeholder" and value.is_neg())
        return isinstance(value, (list, tuple, dict)) and any(counts(item, node) for item in pytree.tree_leaves(value))

    return any(counts(node.meta.get("val"), node) for node in gm.graph.nodes)


def _fake_inputs(gm, real):
    """Tensors without memory for the placeholders; `real`: the memory of complex ones."""
    inputs = []
    for node in gm.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            shape, strides, dtype = list(value.shape), list(value.stride()), value.dtype
            offset = value.storage_offset()
            if real and dtype in REAL:
                shape, strides, dtype = [*shape, 2], [2 * step for step in strides] + [1], REAL[dtype]
                offset *= 2
            span = offset + 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
            fake = torch.empty(span if 0 not in shape else offset, dtype=dtype, device=value.device)
            fake = fake.as_strided(shape, strides, offset)
            value = fake.conj() if value.is_conj() and not real else fake
        inputs.append(value)
    return inputs


def retrace(gm, run, *, real):
    """The graph of what `run` does with the inputs of `gm`; `real`: with the memory of complex ones."""
    from ..decompositions import get_decomposition_table

    with without_memory():
        return traced(run, _fake_inputs(gm, real), get_decomposition_table())
