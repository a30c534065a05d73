"""Where the user wrote what can fail while it runs.

AOTAutograd's cache keeps what was compiled, and its key knows no lines: the program may have been edited between two
processes, or be another file with an equal graph. Dynamo's graph, though, is traced in each process, and there is a
hit only if it equals the one that was compiled. So a place is kept as a number of a node of Dynamo's graph, and file
and line are read from the current graph when an artifact comes from the cache.
"""

import contextlib
import contextvars
import dataclasses
import re

import torch

from .diagnostics import describe_node, source_excerpt, user_frame

# Operations that numbers can make fail: by an index, by an integer division, or by what is asserted.
_MAY_FAIL = re.compile(r"index|gather|scatter|embedding|put|div|remainder|fmod|assert")

_traced = contextvars.ContextVar("nodes of the graph that Dynamo traced", default=())


def _nodes_of(gm):
    """The nodes of a graph and then of those in it, in an order that equal graphs share."""
    graphs = [module.graph for module in gm.modules() if isinstance(module, torch.fx.GraphModule)]
    return [node for graph in graphs for node in graph.nodes]


@contextlib.contextmanager
def traced(gm):
    """While it lasts, places are numbers of nodes of `gm`, the graph that Dynamo gave the backend."""
    token = _traced.set(_nodes_of(gm) if isinstance(gm, torch.fx.GraphModule) else ())
    try:
        yield
    finally:
        _traced.reset(token)


@dataclasses.dataclass
class Place:
    """An operation as text, and the frame (file, line, function) that wrote it, or None."""

    what: str
    frame: tuple | None
    node: int | None  # of Dynamo's graph; None: not known

    def __str__(self):
        return f"  {self.what}\n{source_excerpt(self.frame, '    ')}".rstrip()


def _origin(node, nodes, numbers):
    """The number of the node of Dynamo's graph that an ATen node comes from, or None."""
    source = (node.meta.get("from_node") or [None])[-1]
    while source is not None and source.from_node:
        source = source.from_node[-1]
    if source is not None and source.name in numbers:
        return numbers[source.name]
    # Nodes of a backward have only the text of their forward's place, and perhaps more behind it.
    trace = node.stack_trace or ""
    same = (i for i, other in enumerate(nodes) if other.stack_trace and trace.startswith(other.stack_trace))
    return next(same, None)


def places(nodes, locations):
    """{location id: Place} of what can fail while it runs; `locations` has the index in `nodes` of each id."""
    current, found = _traced.get(), {}
    numbers = {node.name: i for i, node in reversed(list(enumerate(current)))}
    for number, index in enumerate(locations):
        node = nodes[index]
        if _MAY_FAIL.search(str(node.target)):
            found[number] = Place(describe_node(node), user_frame(node), _origin(node, current, numbers))
    return found


def renew(kept):
    """Gives the places of an artifact from the cache the lines of the graph that Dynamo has traced now."""
    current = _traced.get()
    for place in kept.values():
        known = place.node is not None and place.node < len(current)
        place.frame = user_frame(current[place.node]) if known else None
