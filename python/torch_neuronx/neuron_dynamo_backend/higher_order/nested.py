"""Operations that call one graph, or one operation, as it is."""

import torch


def invoke_subgraph(subgraph, identifier, *operands):
    """The results of a region that the user marked (torch.compiler.nested_compile_region). It is compiled in place: the
    compiler finds equal kernels by itself."""
    del identifier
    return tuple(subgraph(*operands))


def invoke_quant(subgraph, *operands, scheme=None, quant_options=None):
    """The results of a region that the user marked as one of quantization (torch._higher_order_ops.InvokeQuant). The
    name of the scheme and the options are for pattern matchers of Inductor."""
    del scheme, quant_options
    return tuple(subgraph(*operands))


def out_dtype(operation, dtype, *args):
    """`operation` with its result in `dtype`, without overflow in between."""
    from torch._higher_order_ops.out_dtype import out_dtype_dense

    return out_dtype_dense(operation, dtype, *(a if isinstance(a, torch.Tensor) else a for a in args))
