"""Which ATen operations are taken apart before import, and which stay whole.

Core ATen is the base. Kept whole is what the importer has a row for and eager computes with fewer roundings than
the decomposition would (addcmul, lerp, ...), and what reads better or runs better as one operation (softmax,
layer_norm, ...).
"""

import functools

import torch

from . import decomposed

aten = torch.ops.aten

# torch 2.13's entry for aten._scaled_dot_product_flash_attention_for_cpu returns the attention weights where its
# backward expects the logsumexp: silently wrong gradients.
_BROKEN = [aten._scaled_dot_product_flash_attention_for_cpu]

_WHOLE = [
    aten._softmax,
    aten._log_softmax,
    aten.native_layer_norm,
    aten._fused_rms_norm,
    aten.gelu,
    aten.silu,
    aten.convolution,
    aten.scaled_dot_product_attention,
    aten._scaled_dot_product_attention_math,
    aten._scaled_dot_product_fused_attention_overrideable,
    # eager rounds once at the end
    aten.addcmul,
    aten.addcdiv,
    aten.lerp,
    # with beta = 0, what is added is not read
    aten.baddbmm,
    aten.addmv,
    aten.std,
    aten.std_mean,
    aten.aminmax,
    # one operation of the neuron dialect
    aten.square,
    aten.masked_fill,
    aten.clamp_min,
    aten.clamp_max,
    aten.rsub,
    aten.logsumexp,
    aten.all,
    aten.isfinite,
    aten.sgn,
    aten.threshold,
    # views and concats, where the decomposition would gather by an index
    aten.roll,
    aten.reflection_pad1d,
    aten.reflection_pad2d,
    aten.reflection_pad3d,
    aten.replication_pad1d,
    aten.replication_pad2d,
    aten.replication_pad3d,
    aten.select_scatter,
    aten.im2col,
    aten.col2im,
]

# Not in core ATen's table.
_EXTRA = [
    aten.native_dropout,
    aten.native_group_norm,
    aten.native_batch_norm,
    aten._native_batch_norm_legit,
    aten._native_batch_norm_legit_functional,
    aten._native_batch_norm_legit_no_training,
    aten.batch_norm_backward,
    aten.grid_sampler_2d,
    aten.cauchy,
    aten.log_normal,
    aten.geometric,
]


def _foreign() -> tuple:
    """The names of decomposed.FOREIGN whose operators exist by now."""

    def exists(name):
        namespace, operator = name.split("::")
        return hasattr(getattr(torch.ops, namespace), operator)

    return tuple(name for name in decomposed.FOREIGN if exists(name))


def get_decomposition_table() -> dict:
    """The table for a graph whose inputs are known."""
    return _table(_foreign())


@functools.cache
def _table(foreign) -> dict:
    from torch._decomp import core_aten_decompositions, get_decompositions

    table = dict(core_aten_decompositions())
    table.update(get_decompositions(_EXTRA))
    for packet in _BROKEN + _WHOLE:
        for name in packet.overloads():
            table.pop(getattr(packet, name), None)
    table.update(decomposed.OWN)
    for name in foreign:
        namespace, operator = name.split("::")
        table[getattr(getattr(torch.ops, namespace), operator).default] = decomposed.FOREIGN[name]
    table.update(_registered)
    return table


get_compile_decomposition_table = get_decomposition_table


def get_traced_decomposition_table() -> dict:
    """The table for a graph whose sizes may be symbols, and whose inputs may lie anywhere in their memory when it runs:
    what depends on either is taken apart later (specialize.py)."""
    table = dict(get_decomposition_table())
    table.pop(aten.as_strided_scatter.default, None)
    for op in decomposed.OF_KNOWN_SIZES:
        if op not in _registered:
            table[op] = _of_known_sizes(table[op])
    return table


def _of_known_sizes(decomposition):
    def function(*args, **kwargs):
        tensors = [value for value in args if isinstance(value, torch.Tensor)]
        if any(isinstance(size, torch.SymInt) for tensor in tensors for size in tensor.shape):
            return NotImplemented
        return decomposition(*args, **kwargs)

    return function


def get_eager_decomposition_table() -> dict:
    """The table for one operation of the device: that of graphs, and PyTorch's decompositions of what is taken apart
    before it reaches a compiler."""
    return _eager_table(_foreign())


@functools.cache
def _eager_table(foreign) -> dict:
    from torch._decomp import decomposition_table

    from .. import _C

    rows = {target for target, _ in _C.aten_rows()}
    # PyTorch's write into views of what they make; pairs/ has rules.
    rows |= {"aten.complex.default", "aten.complex.out", "aten.polar.default", "aten.polar.out"}
    return {op: fn for op, fn in decomposition_table.items() if str(op) not in rows} | _table(foreign)


def forget_tables():
    """After a change of what they are made from."""
    _table.cache_clear()
    _eager_table.cache_clear()


_registered: dict = {}


def register_decomposition(ops):
    """Adds a decomposition of one overload or of several, for all later compilations."""

    def register(fn):
        for op in ops if isinstance(ops, (list, tuple)) else [ops]:
            overloads = [getattr(op, name) for name in op.overloads()] if hasattr(op, "overloads") else [op]
            for overload in overloads:
                _registered[overload] = fn
        forget_tables()
        return fn

    return register


def has_registered() -> bool:
    """Whether a user has added decompositions in this process."""
    return bool(_registered)
