"""From a graph with symbolic sizes, or that reads its inputs' memory, to one for some inputs."""

import torch
import torch.utils._pytree as pytree
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    unset_fake_temporarily,
)
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing

from . import diagnostics, numbers
from .decompositions import get_decomposition_table
from .higher_order.refusal import Refusal
from .tracing import like, traced, without_memory

aten = torch.ops.aten
_LARGEST = 1 << 20  # elements of what is computed while a graph is specialized

_REASON = "what it gives depends on the numbers in a tensor, which are known only when the graph runs"
_HINT = "compute it outside the compiled function, or in a graph break (fullgraph=False)"


def is_dynamic(gm) -> bool:
    """Whether any input or any size in the graph is not a number.

    What is computed from an element of a tensor (aten._local_scalar_dense) is no such thing; see numbers.py.
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


_BY_STRIDES = {aten.as_strided.default, aten.as_strided_copy.default}


def reads_memory(gm) -> bool:
    """Whether what the graph computes depends on where in its memory an input lies, or on how large that memory is.

    as_strided counts from the start of the memory, and no guard of Dynamo and no key of AOTAutograd's cache knows where
    an input lies. Of arguments that share memory AOTAutograd passes that memory as a whole, and reads it by as_strided:
    it may be larger than when the graph was traced.
    """

    def origin(node):
        while isinstance(node.target, torch._ops.OpOverload) and node.target.is_view:
            node = node.args[0]
        return node.op

    return any(
        node.target is aten.as_strided_scatter.default  # left whole for this, see decompositions.py
        or (node.target in _BY_STRIDES and origin(node.args[0]) == "placeholder")
        for node in gm.graph.nodes
    )


class _Specializer(torch.fx.Interpreter):
    """Runs a graph on tensors without memory, but knows what follows from its sizes and constants alone: elements
    (`torch.arange(n).max() + 1`, of which a graph makes a size), and which elements a constant mask selects. Other
    elements are tensors still, see numbers.py."""

    def __init__(self, gm):
        super().__init__(gm)
        self.node = None  # the one that runs
        self.known = {}  # node -> its real tensor
        self.wanted = _ancestors(node for node in gm.graph.nodes if node.target is numbers.ELEMENT or _is_sized(node))
        self.returned = []  # positions of the outputs that are numbers, known when the graph has run

    def run_node(self, node):
        self.node = node
        if node.target is numbers.ELEMENT and node.args[0] in self.known:
            return self.known[node.args[0]].item()
        if _is_sized(node):
            self._learn(node)
            if node in self.known:
                return self.known[node]  # a constant of the graph
        result = super().run_node(node)
        if node in self.wanted and isinstance(result, torch.Tensor) and result.numel() <= _LARGEST:
            self._learn(node)
        return result

    def placeholder(self, target, args, kwargs):
        value = super().placeholder(target, args, kwargs)
        return numbers.Number(value) if numbers.is_number(self.node.meta.get("val")) else value

    def call_function(self, target, args, kwargs):
        if target is numbers.ELEMENT:
            return numbers.Number(*args)
        if any(isinstance(value, numbers.Number) for value in pytree.tree_leaves((args, kwargs))):
            return numbers.call(self.node, args, kwargs)
        if target is aten.index.Tensor:
            args = (args[0], self._places(self.node.args[1], args[1]))
        return super().call_function(target, args, kwargs)

    def output(self, target, args, kwargs):
        (values,) = args
        self.returned = [index for index, value in enumerate(values) if isinstance(value, numbers.Number)]
        return [value.tensor if isinstance(value, numbers.Number) else value for value in values]

    def _places(self, nodes, indices):
        """The indices of aten.index, with the places that a known mask selects instead of it."""
        places = []
        for node, index in zip(nodes, indices, strict=True):
            if node in self.known and index.dtype in (torch.bool, torch.uint8):
                with unset_fake_temporarily(), disable_proxy_modes_tracing():
                    places += self.known[node].nonzero().unbind(1)
            else:
                places.append(index)
        return places

    def _learn(self, node):
        """Computes the tensor of a node of whose tensors all are known."""
        if node.op == "get_attr":
            self.known[node] = self.fetch_attr(node.target)
            return
        parts = [part for part in node.all_input_nodes if isinstance(self.env[part], torch.Tensor)]
        if node.op != "call_function" or not all(part in self.known for part in parts):
            return
        if any(isinstance(self.env[part], numbers.Number) for part in node.all_input_nodes):
            return
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            return
        with unset_fake_temporarily(), disable_proxy_modes_tracing():
            args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda part: self.known.get(part, self.env[part]))
            self.known[node] = node.target(*args, **kwargs)


def _is_sized(node):
    """Whether the numbers in a tensor say how large the result is (nonzero, unique, a mask as an index)."""
    tagged = torch.Tag.dynamic_output_shape in getattr(node.target, "tags", ())
    return tagged or (node.target is aten.index.Tensor and node.meta["val"]._has_symbolic_sizes_strides)


def _ancestors(nodes):
    found, left = set(), list(nodes)
    while left:
        for part in left.pop().all_input_nodes:
            if part not in found:
                found.add(part)
                left.append(part)
    return found


def specialize(gm, inputs, options):
    """(the graph for inputs that lie in memory as these do, with numbers among the inputs as constants; which of its
    outputs are to be read as numbers)"""
    specializer = _Specializer(gm)
    try:
        with without_memory():  # what the graph creates has no memory, too
            fakes = [like(value) for value in inputs]
            # What could not be taken apart for symbolic sizes can be now.
            return traced(specializer.run, fakes, get_decomposition_table()), specializer.returned
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise diagnostics.compilation_error(gm, [(specializer.node, _REASON, _HINT)], options) from error
    except Refusal as refusal:
        unsupported = [(specializer.node, refusal.reason, refusal.hint)]
        raise diagnostics.compilation_error(gm, unsupported, options) from None
