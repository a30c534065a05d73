"""Operations that have graphs among their arguments (torch.cond, scan, map, flex_attention, ...), and custom operations
with a body in Python: they become ATen operations before the importer sees them. while_loop alone stays; see
while_loops.py.

Each row is a function of the operation's arguments, with fake tensors for tensors and callables for graphs. What it
does is traced.
"""

import torch

from . import branches, custom, flex, loops, mutation, nested

hops = torch.ops.higher_order

TABLE = {
    hops.cond: branches.cond,
    hops.scan: loops.scan,
    hops.map_impl: loops.map_each,
    hops.associative_scan: loops.associative_scan,
    hops.flex_attention: flex.forward,
    hops.flex_attention_backward: flex.backward,
    hops.invoke_subgraph: nested.invoke_subgraph,
    hops.out_dtype: nested.out_dtype,
    hops.auto_functionalized_v2: mutation.auto_functionalized,
}


def function_of(target):
    """How to take an operation apart, or None for one that the importer is to see."""
    if isinstance(target, torch._ops.HigherOrderOperator):
        return TABLE.get(target)
    return custom.function_of(target)
