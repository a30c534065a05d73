"""while_loop: how often it runs is decided by the numbers, so the graph is split there.

What is before, the condition, the body, and what is behind are a NEFF each. The host asks the condition's result after
every step, and decides with it; all else is computed on the device. Counter: WhileLoop.Steps.
"""

import operator

import torch

from ... import metrics
from ..artifact import NotCached
from .refusal import Refusal

_LOOP = torch.ops.higher_order.while_loop
_STACKED = getattr(torch.ops.higher_order, "while_loop_stack_output", None)


def has_loops(gm) -> bool:
    return any(node.target in (_LOOP, _STACKED) for node in gm.graph.nodes if node.op == "call_function")


def _check(node):
    """Refuses what the driver cannot do."""
    if node.target is _STACKED:
        raise Refusal(
            "gradients through while_loop need all its intermediate values, in a number that only the loop knows",
            "use scan with a fixed number of steps, or torch.no_grad() around the loop",
        )
    for value in (*node.args[2], *node.args[3]):
        if not isinstance(value, torch.fx.Node) or not isinstance(value.meta.get("val"), torch.Tensor):
            raise Refusal("it carries a Python number", "carry a tensor without dimensions instead")


def _memory(tensor):
    return tensor.untyped_storage()._cdata


class _Loop:
    """A while_loop: compiled condition and body."""

    def __init__(self, node, condition, body):
        self.condition, self.body = condition, body
        self.carried = [value.name for value in node.args[2]]
        self.captured = [value.name for value in node.args[3]]
        self.reads = {*self.carried, *self.captured}
        self.outputs = {user.name: user.args[1] for user in node.users}

    def run(self, values):
        captured = [values[name] for name in self.captured]
        first = carried = [values[name] for name in self.carried]
        while self.condition([*carried, *captured])[0].item():
            carried = list(self.body([*carried, *captured]))
            metrics.count("WhileLoop.Steps")
        # Memory that no step replaced is the inputs', and the results have their own.
        given = {_memory(tensor) for tensor in (*first, *captured)}
        carried = [value.clone() if _memory(value) in given else value for value in carried]
        values.update((name, carried[index]) for name, index in self.outputs.items())


class _Piece:
    """A stretch of the graph without loops."""

    def __init__(self, compiled, inputs, outputs):
        self.compiled, self.inputs, self.outputs = compiled, inputs, outputs
        self.reads = set(inputs)

    def run(self, values):
        results = self.compiled([values[name] for name in self.inputs])
        values.update(zip(self.outputs, results, strict=True))


class LoopedGraph(NotCached):
    """A graph with while_loops, as a list of pieces and loops."""

    def __init__(self, steps, placeholders, results):
        super().__init__()
        self.steps, self.placeholders, self.results = steps, placeholders, results
        # What nothing reads any more is freed.
        later, self.dead = {value for value in results if isinstance(value, str)}, []
        for step in reversed(steps):
            self.dead.append(step.reads - later)
            later |= step.reads
        self.dead.reverse()

    def __call__(self, inputs):
        values = dict(zip(self.placeholders, inputs, strict=True))
        inputs.clear()
        for step, dead in zip(self.steps, self.dead, strict=True):
            step.run(values)
            for name in dead:
                values.pop(name, None)
        return [values[item] if isinstance(item, str) else item for item in self.results]


class _Splitter:
    """One graph on its way to a LoopedGraph. `compile` is called with a graph and gives a boxed function."""

    def __init__(self, gm, compile):
        self.gm, self.compile = gm, compile
        self.nodes = [node for node in gm.graph.nodes if node.op == "call_function"]
        self.steps = []

    def _value(self, node):
        return operator.attrgetter(node.target)(self.gm)

    def _piece(self, nodes):
        """Compiles `nodes` with what they need as inputs and what others read as outputs."""
        if not nodes:
            return
        inside, graph, copies, attributes = set(nodes), torch.fx.Graph(), {}, {}
        needed = dict.fromkeys(value for node in nodes for value in node.all_input_nodes if value not in inside)
        inputs = [value for value in needed if value.op != "get_attr"]
        for value in inputs:
            copies[value] = graph.placeholder(value.name)
            copies[value].meta = dict(value.meta)
        for value in needed:
            if value.op == "get_attr":
                attributes[value.target] = self._value(value)
                copies[value] = graph.node_copy(value)
        for node in nodes:
            copies[node] = graph.node_copy(node, copies.__getitem__)
        read = [node for node in nodes if any(user not in inside for user in node.users)]
        graph.output(tuple(copies[node] for node in read))
        compiled = self.compile(torch.fx.GraphModule(attributes, graph))
        self.steps.append(_Piece(compiled, [value.name for value in inputs], [node.name for node in read]))

    def _pieces(self):
        """Nodes by the number of loops before them; what is taken from a result of several stands with its source."""
        number, place = 0, {}
        for node in self.nodes:
            if node.target is _LOOP:
                number += 1
            elif node.target is not operator.getitem:
                place[node] = number
            elif node.args[0].target is not _LOOP:
                place[node] = place[node.args[0]]
        return [[node for node in place if place[node] == index] for index in range(number + 1)]

    def run(self):
        first, *behind = self._pieces()
        self._piece(first)
        loops = [node for node in self.nodes if node.target is _LOOP]
        for loop, nodes in zip(loops, behind, strict=True):
            self.steps.append(_Loop(loop, *(self.compile(self._value(graph)) for graph in loop.args[:2])))
            self._piece(nodes)
        placeholders = [node.name for node in self.gm.graph.nodes if node.op == "placeholder"]
        (results,) = next(node for node in self.gm.graph.nodes if node.op == "output").args
        if isinstance(results, torch.fx.Node):
            results = [results]
        named = [value.name if isinstance(value, torch.fx.Node) else value for value in results]
        return LoopedGraph(self.steps, placeholders, named)


def check(gm):
    """Raises Refusal, with `.node`, for a loop that the driver cannot run."""
    for node in gm.graph.nodes:
        if node.target in (_LOOP, _STACKED):
            try:
                _check(node)
            except Refusal as refusal:
                refusal.node = node
                raise


def split(gm, compile):
    """The graph as compiled pieces and loops; `compile` makes a boxed function of a graph."""
    return _Splitter(gm, compile).run()
