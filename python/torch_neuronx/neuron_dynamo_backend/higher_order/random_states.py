"""Random numbers that are drawn in the forward and drawn again in the backward: activation checkpointing.

AOTAutograd saves the state of a generator before a draw, and draws again from it. Our draws follow from keys, one or
two for each call of a graph (compiler/import/SequenceRows.cpp), so what is saved is a call's keys, 16 bytes at most. On
the device the graphs get generators instead, one for each call and pass, which give equal keys as long as they are
asked in turn.
"""

import dataclasses
import functools

import torch
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily

from ... import _C

_prims = torch.ops.higher_order
_SAVED, _GIVEN, _GENERATOR = (
    _prims.run_and_save_rng_state,
    _prims.run_with_rng_state,
    _prims.graphsafe_run_with_rng_state,
)
#: Of a normal number two keys are used, one after the other; of all others one.
_NORMAL = {"randn", "randn_like", "normal", "normal_functional"}


@functools.cache
def _random_targets():
    return {target for target, op in _C.aten_rows() if op == "random"}


def _count(operation) -> int:
    return 2 if operation.overloadpacket.__name__ in _NORMAL else 1


@dataclasses.dataclass
class Keys:
    """Where the keys of a graph's draws come from, and where they go."""

    counts: list = dataclasses.field(default_factory=list)  # for each call: how many keys it uses
    sources: list = dataclasses.field(default_factory=list)  # for each call: the input that has its state, or None
    saved: dict = dataclasses.field(default_factory=dict)  # output -> the call whose keys it is

    def draw(self, inputs, device):
        """[int64[count], ...] for each call: those of states, of generators, or new ones of the default generator."""
        calls = []
        for count, source in zip(self.counts, self.sources, strict=True):
            state = None if source is None else inputs[source]
            if not isinstance(state, torch.Tensor):
                high = torch.iinfo(torch.int64).max
                state = torch.randint(0, high, (count,), device=device, generator=state)
            calls.append(state)
        return calls


def has_states(gm) -> bool:
    return any(node.target in (_SAVED, _GIVEN, _GENERATOR) for node in gm.graph.nodes)


def _call(node):
    """(operation, arguments, named arguments, node of the state or None) of a draw."""
    kwargs = dict(node.kwargs)
    if node.target is _GIVEN:
        return node.args[1], node.args[2:], kwargs, node.args[0]
    return node.args[0], node.args[1:], kwargs, kwargs.pop("rng_state", None)


def _value(node, operation, args, kwargs):
    """What a draw gives, without memory. AOTAutograd does not say it of those with a generator."""
    value = node.meta.get("val")
    if value is not None:
        return value[1] if node.target is _SAVED else value

    def fake(other):
        value = other.meta["val"]
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)

    with unset_fake_temporarily(), FakeTensorMode():
        args, kwargs = torch.fx.map_arg((args, kwargs), fake)
        return operation(*args, **kwargs)


def take(gm):
    """(graph with plain draws, Keys). Outputs that are states are None."""
    graph, values, keys, states, sources = torch.fx.Graph(), {}, Keys(), {}, {}
    placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
    for node in gm.graph.nodes:
        if node.target in (_SAVED, _GIVEN, _GENERATOR):
            operation, args, kwargs, state = _call(node)
            value = _value(node, operation, args, kwargs)
            args, kwargs = torch.fx.map_arg((args, kwargs), values.__getitem__)
            drawn = graph.call_function(operation, tuple(args), kwargs)
            drawn.meta = dict(node.meta, val=value)
            sources[drawn] = state and placeholders.index(state)
            values[node] = (None, drawn) if node.target is _SAVED else drawn
            states[node] = drawn
            if node.target is _GIVEN:
                values[state].meta["val"] = value.new_empty((_count(operation),), dtype=torch.int64)
        elif node.args and node.args[0] in states and node.args[0].target is _SAVED:  # a getitem
            values[node] = values[node.args[0]][node.args[1]]
            states[node] = states[node.args[0]]
        elif node.op == "output":
            for position, value in enumerate(node.args[0]):
                if isinstance(value, torch.fx.Node) and values[value] is None:
                    keys.saved[position] = states[value]
            graph.output(torch.fx.map_arg(node.args[0], values.__getitem__))
        else:
            values[node] = graph.node_copy(node, values.__getitem__)
    draws = [node for node in graph.nodes if node.op == "call_function" and str(node.target) in _random_targets()]
    keys.counts = [_count(node.target) for node in draws]
    keys.sources = [sources.get(node) for node in draws]
    keys.saved = {position: draws.index(node) for position, node in keys.saved.items()}
    taken = {node.target: getattr(gm, node.target) for node in graph.nodes if node.op == "get_attr"}
    return torch.fx.GraphModule(taken, graph), keys


def with_keys_as_input(plan):
    """The plan of a graph whose keys the caller gives, as an input more: as many as the graph has room for."""
    tensor = {"dtype": "int64", "shape": (plan["random_keys"],), "strides": (1,), "offset": 0}
    where = next((item["device"] for item in (*plan["placeholders"], *plan["results"]) if "device" in item), "cpu")
    # Arguments name the keys by the number behind the last placeholder.
    placeholders = [*plan["placeholders"], {**tensor, "name": "random_keys", "device": where}]
    return {**plan, "placeholders": placeholders, "random_keys": 0}
