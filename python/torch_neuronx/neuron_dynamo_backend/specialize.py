"""From a graph with symbolic sizes to one with the sizes of some inputs."""

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
)

from .exceptions import NEFFCompilationError
from .tracing import like, traced, without_memory


def is_dynamic(gm) -> bool:
    """Whether any input or any size in the graph is not a number.

    What is computed from an element of a tensor (aten._local_scalar_dense) is no such thing: the importer sees it.
    """

    def symbolic(value):
        if isinstance(value, torch.Tensor):
            return value._has_symbolic_sizes_strides
        if isinstance(value, (list, tuple)):
            return any(symbolic(item) for item in value)
        return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))

    def sized(value):
        return value if isinstance(value, (torch.Tensor, list, tuple)) else None

    return any(
        symbolic(value if node.op == "placeholder" else sized(value))
        for node in gm.graph.nodes
        for value in [node.meta.get("val")]
    )


def specialize(gm, inputs):
    """The graph for inputs of these sizes; numbers among the inputs become constants."""

    with without_memory():
        fakes = [like(value) for value in inputs]
    try:
        return traced(torch.fx.Interpreter(gm).run, fakes)
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        reason = "what it gives depends on the numbers in a tensor, which are known only when the graph runs"
        failure = NEFFCompilationError(
            f"1 operation of this graph cannot be compiled for the device:\n\n  1. {error.func}\n     {reason}\n"
            "     hint: compute it outside the compiled function, or in a graph break (fullgraph=False)\n"
        )
        failure.unsupported = [(str(error.func), reason)]
        raise failure from error
