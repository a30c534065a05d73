"""Complex operations that have no rule, but a decomposition of PyTorch's."""

import torch

from .retrace import is_complex, retrace
from .table import rule_of


def _decomposition(node):
    """PyTorch's own, of what has no rule."""
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return None
    if rule_of(node.target) or not is_complex(node):
        return None
    from torch._decomp import decomposition_table

    return decomposition_table.get(node.target)


class _Expander(torch.fx.Interpreter):
    def run_node(self, node):
        self.node = node
        return super().run_node(node)

    def call_function(self, target, args, kwargs):
        decomposition = _decomposition(self.node)
        if decomposition:
            result = decomposition(*args, **kwargs)
            if result is not NotImplemented:
                return result
        return super().call_function(target, args, kwargs)


_ROUNDS = 4


def expand(gm):
    for _ in range(_ROUNDS):
        if not any(_decomposition(node) for node in gm.graph.nodes):
            break
        gm = retrace(gm, _Expander(gm).run, real=False)
    return gm
