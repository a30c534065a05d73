"""One ATen graph, operation by operation, on the device and in eager.

Eager's values come from the CPU. The device computes each operation twice: alone, with eager's arguments, and in the
graph with every intermediate value as an output more. The latter are the numbers of the compiled graph only in so far
as storing a value changes nothing: what is stored is rounded, and kernels end where a value is stored; see
docs/debugging.md.
"""

import operator

import torch
from torch.utils import _pytree as pytree

from .. import _C
from ..neuron_dynamo_backend.compile import compile_graph
from ..neuron_dynamo_backend.decompositions import get_decomposition_table
from ..neuron_dynamo_backend.diagnostics import describe_node, user_frame
from ..neuron_dynamo_backend.exceptions import NEFFCompilationError, NeuronError
from ..neuron_dynamo_backend.tracing import like, traced, without_memory
from .report import Row
from .tolerance import MOVES, compare

_HALVES = (torch.float16, torch.bfloat16, torch.float32)


def _tensors(tree):
    return [t for t in pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def _mapped(function, tree):
    return pytree.tree_map(lambda v: function(v) if isinstance(v, torch.Tensor) else v, tree)


def _on_cpu(tree):
    """Arguments of an operation for the CPU."""

    def move(value):
        if isinstance(value, torch.Tensor):
            return value.cpu()
        return torch.device("cpu") if isinstance(value, torch.device) else value

    return pytree.tree_map(move, tree)


def _doubled(tree):
    """Arguments in float64, dtypes that are asked for as well."""

    def widen(value):
        if isinstance(value, torch.Tensor):
            return value.double() if value.dtype in _HALVES else value
        return torch.float64 if value in _HALVES else value

    return pytree.tree_map(widen, tree)


def _draws(target):
    return isinstance(target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in target.tags


def _moves(target):
    return isinstance(target, torch._ops.OpOverload) and target.overloadpacket.__name__ in MOVES


class _Eager(torch.fx.Interpreter):
    """Keeps the value of every node, of eager and in float64."""

    def __init__(self, gm):
        super().__init__(gm, garbage_collect_values=False)
        self.values, self.exact, self.alone = {}, {}, {}

    def run_node(self, node):
        result = super().run_node(node)
        self.values[node] = result
        if node.op == "placeholder":
            self.exact[node] = _doubled(result)
        elif node.op == "get_attr":
            self.exact[node] = _doubled(result)
        return result

    def call_function(self, target, args, kwargs):
        args, kwargs = _on_cpu((args, kwargs))
        return super().call_function(target, args, kwargs)

    def get_attr(self, target, args, kwargs):
        return _on_cpu(super().get_attr(target, args, kwargs))


def _exactly(node, values):
    """The node's result in float64 from `values` of its arguments; None where it cannot be had."""
    try:
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), values.__getitem__)
        return node.target(*_doubled(_on_cpu(args)), **_doubled(_on_cpu(kwargs)))
    except Exception:  # not defined for float64, or of mixed dtypes
        return None


def _traced(function, inputs):
    """An ATen graph, as torch.compile would take it apart, of a function of tensors."""
    with without_memory():
        return traced(function, [like(t) for t in inputs], get_decomposition_table())


class GraphComparison:
    """Compares one graph for inputs that are known; `device`: where the device's form of it has its tensors."""

    def __init__(self, gm, role, options, device):
        self.gm, self.role, self.device = gm, role, device
        self.options = _C.Options(options or {})
        self.rows, self.notes = {}, []

    def run(self, inputs):
        """(rows, notes, eager's results)"""
        eager = _Eager(self.gm)
        with torch.no_grad():
            outputs = eager.run(*_on_cpu(list(inputs)))
            for number, node in enumerate(self._operations()):
                self._alone(number, node, eager)
            self._together(eager)
        return list(self.rows.values()), self.notes, outputs

    def _operations(self):
        return [n for n in self.gm.graph.nodes if n.op == "call_function" and n.target is not operator.getitem]

    def _there(self, tree):
        """Arguments as the device's form of the graph has them."""

        def move(value):
            if isinstance(value, torch.Tensor):
                return value.to(self.device)
            return torch.device(self.device) if isinstance(value, torch.device) else value

        return pytree.tree_map(move, tree)

    def _alone(self, number, node, eager):
        described = describe_node(node)
        name, _, result = described.partition("(")[0], *described.rpartition(" -> ")[1:]
        row = Row(number, self.role, name, result, user_frame(node), node=node.name)
        self.rows[node] = row
        expected = eager.values[node]
        if _draws(node.target):
            row.status = "random"
        elif not _tensors(expected):
            row.status = "no tensor"
        elif all(t.numel() == 0 for t in _tensors(expected)):
            row.status = "empty"
        else:
            self._compile_alone(row, node, eager)

    def _compile_alone(self, row, node, eager):
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), eager.values.__getitem__)
        args, kwargs = self._there((args, kwargs))
        inputs = _tensors((args, kwargs))

        def call(*tensors):
            given = iter(tensors)
            a, k = _mapped(lambda _: next(given), (args, kwargs))
            return tuple(_tensors(node.target(*a, **k)))

        try:
            compiled = compile_graph(_traced(call, inputs), "inference", self.options)
            got = compiled(list(inputs))
            row.isolated = self._compared(got, eager.values[node], _exactly(node, eager.values), _moves(node.target))
        except NEFFCompilationError as error:
            why = "; ".join(f"{target}: {reason}" for target, reason in getattr(error, "unsupported", []))
            row.status = f"unsupported: {why or str(error).splitlines()[0]}"
        except (NeuronError, RuntimeError) as error:
            row.status = f"failed: {type(error).__name__}: {str(error).splitlines()[0]}"

    @staticmethod
    def _compared(got, expected, exact, moves):
        """The worst of the tensors of a result."""
        wanted, precise = _tensors(expected), _tensors(exact)
        if len(precise) != len(wanted):
            precise = [None] * len(wanted)
        comparisons = [compare(g.detach().cpu(), e, p, moves) for g, e, p in zip(got, wanted, precise, strict=True)]
        return max(comparisons, key=lambda c: (not c.ok, c.ratio))

    def _together(self, eager):
        """The graph as one NEFF, with all intermediate values as outputs. What the device cannot compute, or draws, it
        is given."""
        given = [n for n in self.gm.graph.nodes if n.op == "placeholder" and isinstance(eager.values[n], torch.Tensor)]
        given += [n for n, row in self.rows.items() if row.status and _tensors(eager.values[n])]
        inputs = [self._there(t) for n in given for t in _tensors(eager.values[n])]
        shown = [n for n, row in self.rows.items() if not row.status]

        def call(*tensors):
            taken, values = iter(tensors), {}
            for node in given:
                values[node] = _mapped(lambda _: next(taken), eager.values[node])
            for node in self.gm.graph.nodes:
                if node in values or node.op == "output":
                    continue
                if node.op != "call_function" or not _tensors(eager.values[node]):
                    values[node] = self._there(eager.values[node])
                    continue
                args, kwargs = torch.fx.map_arg((node.args, node.kwargs), values.__getitem__)
                with torch.fx.traceback.set_current_meta(node):
                    values[node] = node.target(*self._there(args), **self._there(kwargs))
            return tuple(t for node in shown for t in _tensors(values[node]))

        if not shown:
            return
        try:
            got = iter(compile_graph(_traced(call, inputs), "inference", self.options)(list(inputs)))
        except (NeuronError, RuntimeError) as error:
            self.notes.append(f"the {self.role} graph as a whole: {type(error).__name__}: {str(error).splitlines()[0]}")
            return
        for node in self.gm.graph.nodes:
            if node not in eager.exact and node.op == "call_function":
                eager.exact[node] = self._exact(node, eager)
        for node in shown:
            count = len(_tensors(eager.values[node]))
            results = [next(got) for _ in range(count)]
            # Even what only moves numbers moves others here.
            self.rows[node].accumulated = self._compared(results, eager.values[node], eager.exact[node], False)

    def _exact(self, node, eager):
        if node.target is operator.getitem:
            whole = eager.exact[node.args[0]]
            return None if whole is None else whole[node.args[1]]
        if node in self.rows and self.rows[node].status and _tensors(eager.values[node]):
            return _doubled(eager.values[node])
        if any(eager.exact.get(n) is None for n in node.all_input_nodes):
            return None
        return _exactly(node, eager.exact)
