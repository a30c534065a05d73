"""Branches that are computed though they may not be taken: what the numbers in them could make fail does not fail.

An operation that has an index gets index 0 in place of the one that may be out of bounds, a division of integers the
divisor 1, and an assertion holds. What they compute then is not selected.
"""

import re

import torch

from ..places import MAY_FAIL
from .refusal import Refusal

aten = torch.ops.aten


def _index(taken, index):
    if isinstance(index, (list, tuple)):
        return [_index(taken, item) for item in index]
    return index if index is None else torch.where(taken, index, 0)


def _divisor(taken, divisor):
    if isinstance(divisor, torch.Tensor) and not divisor.is_floating_point():
        return torch.where(taken, divisor, 1)
    return divisor


def _condition(taken, condition):
    if not isinstance(condition, torch.Tensor):
        raise Refusal(
            "a branch asserts something of an element as a Python number", "use torch._assert_async on a tensor"
        )
    return condition.reshape(()).to(torch.bool) | ~taken


def _mask(taken, mask):
    return mask & taken


#: What of an operation decides whether it fails: (position of the argument, what it becomes where it is not taken).
_GUARDS = {
    aten.index: (1, _index),
    aten._unsafe_index: (1, _index),
    aten.index_put: (1, _index),
    aten._unsafe_index_put: (1, _index),
    aten.embedding: (1, _index),
    aten.take: (1, _index),
    aten.put: (1, _index),
    aten.gather: (2, _index),
    aten.index_select: (2, _index),
    aten.index_reduce: (2, _index),
    aten.scatter: (2, _index),
    aten.scatter_add: (2, _index),
    aten.scatter_reduce: (2, _index),
    aten.masked_scatter: (1, _mask),
    aten.div: (1, _divisor),
    aten.floor_divide: (1, _divisor),
    aten.fmod: (1, _divisor),
    aten.remainder: (1, _divisor),
    aten._assert_async: (0, _condition),
    aten._functional_assert_async: (0, _condition),
    aten._assert_scalar: (0, _condition),
}
#: Named like those, and failing for shapes alone.
_HARMLESS = re.compile(r"true_divide|(select|slice|diagonal|as_strided)_scatter|_assert_tensor_metadata|constant")


class Guarded(torch.fx.Interpreter):
    """Runs a graph of ATen operations; where `taken`, a bool tensor without dimensions, is false, nothing fails."""

    def __init__(self, gm, taken):
        super().__init__(gm)
        self.taken = taken

    def __call__(self, *args):
        return self.run(*args)

    def call_function(self, target, args, kwargs):
        if MAY_FAIL.search(str(target)) and isinstance(target, torch._ops.OpOverload):
            args = self._guard(target, args)
        return super().call_function(target, args, kwargs)

    def _guard(self, target, args):
        if target.overloadpacket not in _GUARDS:
            if _HARMLESS.search(str(target)):
                return args
            raise Refusal(
                f"{target} in a branch may fail though the branch is not taken",
                "compute it before torch.cond, or choose the branch in Python, outside the compiled function",
            )
        position, guard = _GUARDS[target.overloadpacket]
        if guard is _index and isinstance(args[0], torch.Tensor) and args[0].numel() == 0:
            raise Refusal(
                f"{target} in a branch takes elements of an empty tensor, which fails though the branch is not taken",
                "choose the branch in Python, by the tensor's shape",
            )
        args = list(args)
        args[position] = guard(self.taken, args[position])
        return tuple(args)
