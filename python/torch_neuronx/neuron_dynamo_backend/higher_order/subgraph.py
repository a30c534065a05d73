"""A graph among the arguments of a higher-order operation, as a function."""

import torch


class Subgraph:
    """Calls a flat graph of ATen operations node by node, so that what is traced keeps the lines of its nodes."""

    def __init__(self, gm):
        self.gm = gm

    def __call__(self, *args):
        result = torch.fx.Interpreter(self.gm).run(*args)
        return list(result) if isinstance(result, list) else result  # fx's lists are of a type of their own

    @property
    def size(self) -> int:
        """How many operations it has."""
        return sum(node.op == "call_function" for node in self.gm.graph.nodes)
