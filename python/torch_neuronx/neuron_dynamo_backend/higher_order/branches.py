"""torch.cond: both branches are computed, and the one that the predicate names is selected, so that the graph stays one
NEFF.

What can fail while it runs does not in the branch that is not taken (guards.py).
"""

import torch

from .guards import Guarded
from .refusal import Refusal


def cond(predicate, true_branch, false_branch, operands):
    """[result, ...] of a branch: `predicate` is a bool, or a tensor of one element on the operands' device."""
    if isinstance(predicate, bool):
        return (true_branch if predicate else false_branch)(*operands)
    taken = predicate.reshape(()).to(torch.bool)
    chosen = Guarded(true_branch.gm, taken)(*operands)
    others = Guarded(false_branch.gm, ~taken)(*operands)
    return tuple(_select(taken, a, b) for a, b in zip(chosen, others, strict=True))


def _select(taken, a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return torch.where(taken, a, b)
    if a is None or a == b:
        return a
    raise Refusal(f"its branches give the numbers {a} and {b}", "let them return tensors")
