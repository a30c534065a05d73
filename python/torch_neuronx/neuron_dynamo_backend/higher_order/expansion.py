"""Graphs without higher-order operations: each is traced as what it means, and stands in the graph in its place.

All else of the graph stays as it is, so that one graph stays one NEFF.
"""

import operator

import torch
import torch._dynamo._trace_wrapped_higher_order_op  # defines flex_lib
from torch.func import functionalize
from torch.utils import _pytree as pytree

from ..decompositions import get_decomposition_table
from ..diagnostics import compilation_error
from ..exceptions import NEFFCompilationError
from ..tracing import like, traced, without_memory
from . import function_of
from .loops import MOST_OPERATIONS
from .refusal import Refusal
from .subgraph import Subgraph
from .while_loops import has_loops

#: Custom operations that vmap has to see as they are: whoever calls the graph that has them may map it.
_MAPPED = {torch.ops.flex_lib.zeros_and_scatter.default}


def _is_apart(node, whole):
    """Whether a node of the whole graph, or else of one among the arguments of an operation, is to be taken apart."""
    if node.op != "call_function" or (not whole and node.target in _MAPPED):
        return False
    return function_of(node.target) is not None


def _module_of(gm, node):
    """The graph that a get_attr node names, or None."""
    value = operator.attrgetter(node.target)(gm) if node.op == "get_attr" else None
    return value if isinstance(value, torch.fx.GraphModule) else None


def _writes(node):
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _functional(function, fakes):
    """The graph of a call, without writes into tensors."""
    table = get_decomposition_table()
    # On fake tensors themselves: whoever asks functionalize's for their numbers gets some.
    graph = traced(function, fakes, table)
    if any(map(_writes, graph.graph.nodes)):
        graph = traced(functionalize(torch.fx.Interpreter(graph).run), fakes, table)
    return graph


class _Position(int):
    """Stands for a tensor among the arguments."""


def trace(function, args, kwargs):
    """(graph, nodes that it takes) of a call whose arguments are nodes with tensors and anything else."""
    nodes = []

    def position(value):
        if isinstance(value, torch.fx.Node) and isinstance(value.meta.get("val"), torch.Tensor):
            if value not in nodes:
                nodes.append(value)
            return _Position(nodes.index(value))
        if isinstance(value, torch.fx.Node):
            kind = type(value.meta.get("val")).__name__
            raise Refusal(f"argument {value.name} is a {kind}, not a tensor", "make it a tensor")
        return value

    positions = pytree.tree_map(position, (args, kwargs))

    def call(*tensors):
        resolved = pytree.tree_map(lambda v: tensors[v] if isinstance(v, _Position) else v, positions)
        return function(*resolved[0], **resolved[1])

    with without_memory():
        return _functional(call, [like(node.meta["val"]) for node in nodes]), nodes


class _Expansion:
    """One graph on its way to another."""

    def __init__(self, gm, options, whole):
        self.gm, self.options, self.whole = gm, options, whole
        self.graph, self.attributes, self.values = torch.fx.Graph(), {}, {}

    def run(self):
        refused = []
        for node in self.gm.graph.nodes:
            if _is_apart(node, self.whole):
                try:
                    self.values[node] = self._expand(node)
                except Refusal as refusal:
                    refused.append((node, refusal.reason, refusal.hint))
                    self.values[node] = None
            elif refused:
                self.values[node] = None  # only looking for what else is refused
            else:
                self.values[node] = self._copy(node)
        if refused:
            raise compilation_error(self.gm, refused, self.options)
        return torch.fx.GraphModule(self.attributes, self.graph)

    def _copy(self, node):
        if node.op == "get_attr":
            if _module_of(self.gm, node) is not None and all(_is_apart(user, self.whole) for user in node.users):
                return None
            self.attributes[node.target] = operator.attrgetter(node.target)(self.gm)
        if node.target is operator.getitem and isinstance(self.values[node.args[0]], tuple):
            return self.values[node.args[0]][node.args[1]]
        return self.graph.node_copy(node, self.values.__getitem__)

    def _expand(self, node):
        def argument(value):
            module = _module_of(self.gm, value)
            if module is None:
                return value
            flat = expand(module, self.options, whole=False)
            if has_loops(flat):
                raise Refusal(
                    "a while_loop within another graph would have to be computed with it",
                    "call while_loop at the top of the compiled function, or within another while_loop",
                )
            return Subgraph(flat)

        try:
            args, kwargs = torch.fx.map_arg((node.args, node.kwargs), argument)
            with torch.fx.traceback.preserve_node_meta(), torch.fx.traceback.set_current_meta(node):
                graph, taken = trace(function_of(node.target), args, kwargs)
        except (Refusal, NEFFCompilationError):
            raise
        except Exception as error:
            raise Refusal(
                f"it cannot be traced as ATen operations: {type(error).__name__}: {error}",
                "its graphs and body may only call operations of PyTorch on tensors",
            ) from error
        graph = expand(graph, self.options, self.whole)
        return self._inline(node, graph, [self.values[other] for other in taken])

    def _inline(self, node, expanded, inputs):
        if len(expanded.graph.nodes) > MOST_OPERATIONS:
            raise Refusal(
                f"it becomes {len(expanded.graph.nodes)} operations, and {MOST_OPERATIONS} at most are compiled",
                "do less in one compiled function",
            )
        values, inputs = {}, iter(inputs)
        for inner in expanded.graph.nodes:
            if inner.op == "placeholder":
                values[inner] = next(inputs)
            elif inner.op == "output":
                result = torch.fx.map_arg(inner.args[0], values.__getitem__)
            elif inner.op == "get_attr":
                name = f"{node.name}{inner.target}"
                self.attributes[name] = operator.attrgetter(inner.target)(expanded)
                values[inner] = self.graph.get_attr(name)
                values[inner].meta = dict(inner.meta)
            else:
                values[inner] = self.graph.node_copy(inner, values.__getitem__)
                if not values[inner].stack_trace:
                    values[inner].stack_trace = node.stack_trace
        return self._as_promised(result, node.meta.get("val"))

    def _as_promised(self, value, promised):
        """The result of an operation with the strides that it promised, which later nodes were traced with; and never
        an input of the graph itself, for it promised new memory."""
        if isinstance(value, (tuple, list)):
            known = promised if isinstance(promised, (tuple, list)) else [None] * len(value)
            return tuple(map(self._as_promised, value, known))
        if not isinstance(value, torch.fx.Node):
            return value
        given = value.meta["val"]
        if promised is None:
            promised = given
        if (given.shape, given.dtype) != (promised.shape, promised.dtype):
            raise Refusal(
                f"it promises {promised.dtype} of {list(promised.shape)}, and gives {given.dtype} of "
                f"{list(given.shape)}",
                "its fake implementation and its body have to agree",
            )
        if given.stride() == promised.stride() and value.op == "call_function":
            return value
        clone = self.graph.call_function(torch.ops.aten.clone.default, (value,))
        clone.meta = dict(value.meta, val=promised)
        return clone


def expand(gm, options, whole=True):
    """The graph without the higher-order operations that this package knows, those within others as well.

    Raises NEFFCompilationError, with the places of all that cannot be taken apart."""
    if not any(_is_apart(node, whole) for node in gm.graph.nodes):
        return gm
    return _Expansion(gm, options, whole).run()
