"""Where the user wrote what a program does: for errors while it runs, and for profiles.

AOTAutograd's cache keeps what was compiled, and its key knows no lines: the program may have been edited between two
processes, or be another file with an equal graph. Dynamo's graph, though, is traced in each process, and there is a
hit only if it equals the one that was compiled. So a place is kept as a number of a node of Dynamo's graph, and file
and line are read from the current graph when an artifact comes from the cache.
"""

import contextlib
import contextvars
import dataclasses
import functools
import re

import torch

from .diagnostics import describe_node, source_excerpt, user_frame

# Operations that numbers can make fail: by an index, by an integer division, or by what is asserted.
MAY_FAIL = re.compile(r"index|gather|scatter|embedding|put|div|remainder|fmod|assert")


@functools.cache  # making an operator's name takes microseconds
def _name(target):
    return str(target)


@functools.cache
def _may_fail(target):
    return bool(MAY_FAIL.search(_name(target)))


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


class _Origins:
    """Which node of Dynamo's graph an ATen node comes from."""

    def __init__(self, nodes):
        self.nodes, self.names = nodes, {}
        for number, node in enumerate(nodes):
            self.names.setdefault(node.name, number)

    @functools.cached_property
    def traces(self):
        numbers = {}
        for number, node in enumerate(self.nodes):
            if node.stack_trace:
                numbers.setdefault(node.stack_trace, number)
        return numbers

    def of(self, node):
        """Its number, or None."""
        source = (node.meta.get("from_node") or [None])[-1]
        while source is not None and source.from_node:
            source = source.from_node[-1]
        if source is not None and source.name in self.names:
            return self.names[source.name]
        return self._by_trace(node.stack_trace or "")

    def _by_trace(self, trace):
        # Nodes of a backward have only the text of their forward's place, and perhaps more behind it.
        if trace not in self.traces:
            ends = [match.start() for match in re.finditer("\n", trace)]
            prefixes = (trace[:end] for place in reversed(ends) for end in (place + 1, place))
            number = next((self.traces[prefix] for prefix in prefixes if prefix in self.traces), None)
            self.traces[trace] = number
        return self.traces[trace]


@dataclasses.dataclass
class Places:
    """Of each location id of a program, from 0: where it comes from."""

    ops: list  # "aten.mul.Tensor"
    nodes: list  # the number in Dynamo's graph, or None
    frames: list  # (file, line, function), or None
    what: dict  # the operation as text, of those that numbers can make fail

    @staticmethod
    def of(nodes, locations):
        """`locations` has the index in `nodes`, those of a graph of ATen operations, of each id."""
        origins = _Origins(_traced.get())
        located = [nodes[index] for index in locations]
        return Places(
            [_name(node.target) for node in located],
            [origins.of(node) for node in located],
            [user_frame(node) for node in located],
            {i: describe_node(node) for i, node in enumerate(located) if _may_fail(node.target)},
        )

    def renew(self):
        """Takes the lines of the graph that Dynamo has traced now, for an artifact from the cache."""
        current = _traced.get()
        known = [number is not None and number < len(current) for number in self.nodes]
        self.frames = [
            user_frame(current[number]) if there else None for number, there in zip(self.nodes, known, strict=True)
        ]

    def texts(self):
        """{location id: operation, file, line and excerpt} of what numbers can make fail"""
        return {i: f"  {what}\n{source_excerpt(self.frames[i], '    ')}".rstrip() for i, what in self.what.items()}

    def lines(self):
        """[(operation, file, line)], "" and 0 where these are not known"""
        return [(op, *(frame or ("", 0))[:2]) for op, frame in zip(self.ops, self.frames, strict=True)]
