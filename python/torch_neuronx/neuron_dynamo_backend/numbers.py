"""Elements of tensors that a graph uses as numbers (`x * y.item()`): what is done with them is done with tensors.

AOTAutograd's graph has aten._local_scalar_dense, Python's operators on what that gives, and operations that take the
result as a number. The device knows no such number before the graph runs, but an operation can take a tensor of no
dimensions in its place, converted as PyTorch converts a number. As a size it cannot be known.
"""

import math
import operator

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from .higher_order.refusal import Refusal

aten = torch.ops.aten

ELEMENT = aten._local_scalar_dense.default
_HALVES = (torch.float16, torch.bfloat16)
_CLASS = {torch.bool: True, torch.int64: 1, torch.float64: 1.0}


class Number:
    """A number of Python's, as a tensor of no dimensions: bool, int64 or float64."""

    def __init__(self, tensor):
        wide = torch.float64 if tensor.dtype.is_floating_point else torch.int64
        self.tensor = tensor.reshape(()).to(tensor.dtype if tensor.dtype == torch.bool else wide)

    def beside(self, x):
        """The tensor that it is in an operation with the tensor x."""
        return self.tensor.to(torch.result_type(x, _CLASS[self.tensor.dtype]))


def _assert(number, message):
    aten._assert_async.msg(number.tensor, message)


def _tensor(value):
    """A tensor to do arithmetic with, as Python does it."""
    if isinstance(value, Number):
        return value.tensor.long() if value.tensor.dtype == torch.bool else value.tensor
    return torch.full((), value, dtype=torch.float64 if isinstance(value, float) else torch.int64)


def _on_tensors(function):
    return lambda *values: Number(function(*map(_tensor, values)))


def _checked(function):
    """Arithmetic of integers that Python has no bounds for: asserted to stay within those of int64."""

    def call(*values):
        tensors = [_tensor(value) for value in values]
        result = Number(function(*tensors))
        if result.tensor.dtype == torch.int64:
            _within(function(*(tensor.double() for tensor in tensors)))
        return result

    return call


def _whole(function):
    """A float to an integer."""

    def call(a):
        tensor = _tensor(a)
        if tensor.dtype == torch.float64:
            _within(tensor)
        return Number(function(tensor).long())

    return call


def _within(wide):
    holds = Number(wide.abs() < 2.0**63)
    _assert(holds, "a number made of an element of a tensor is NaN or beyond int64, in which the device computes it")


def _refuse():
    reason = "uses an element of a tensor as a number, which is known only when the graph runs"
    raise Refusal(reason, "compute with the tensor, or in a graph break (fullgraph=False)")


def _power(a, b):
    """Of integers only by one that is known: by a negative one it is no integer."""
    if isinstance(b, int) and b >= 0:
        return _checked(lambda a: a**b)(a)
    if isinstance(b, float) or (isinstance(b, Number) and b.tensor.dtype == torch.float64):
        return Number(_tensor(a).double() ** _tensor(b))
    return _refuse()


_PYTHON = {
    **{op: _checked(op) for op in (operator.add, operator.sub, operator.mul, operator.neg, operator.abs)},
    **{op: _on_tensors(op) for op in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)},
    operator.pow: _power,
    pow: _power,
    round: lambda a, digits=None: _whole(torch.round)(a) if digits is None else _refuse(),
    torch.sym_ite: lambda condition, a, b: Number(torch.where(condition.tensor, _tensor(a), _tensor(b))),
    operator.truediv: _on_tensors(lambda a, b: a.double() / b.double()),
    operator.floordiv: _on_tensors(torch.floor_divide),
    operator.mod: _on_tensors(torch.remainder),
    operator.and_: _on_tensors(torch.logical_and),
    operator.or_: _on_tensors(torch.logical_or),
    torch.sym_not: _on_tensors(torch.logical_not),
    torch.sym_float: _on_tensors(torch.Tensor.double),
    torch.sym_int: _whole(torch.trunc),
    torch.sym_max: _on_tensors(torch.maximum),
    torch.sym_min: _on_tensors(torch.minimum),
    math.trunc: _whole(torch.trunc),
    math.floor: _whole(torch.floor),
    math.ceil: _whole(torch.ceil),
}


def _beside(function, wide=True):
    """`function` of a tensor and a number, in either order; `wide`: eager computes halves with a number in float32."""

    def call(node, a, b, **kwargs):
        if any(isinstance(value, Number) for value in kwargs.values()):
            _refuse()
        x = b if isinstance(a, Number) else a
        common = torch.result_type(x, _CLASS[(a if x is b else b).tensor.dtype])
        inside = torch.float32 if wide and common in _HALVES else common
        a, b = (value.tensor.to(inside) if isinstance(value, Number) else value.to(inside) for value in (a, b))
        return function(a, b, **kwargs).to(node.meta["val"].dtype)

    return call


def _filled(node, *args):
    """The number in the dtype of the node's result, on its device."""
    value = next(value for value in args if isinstance(value, Number))
    made = node.meta["val"]
    return value.tensor.to(made.device, made.dtype)


def _is_returned(node):
    """Whether AOTAutograd may take what the graph returns for a view of an input, which has to be one then."""
    views = [n for n in node.users if isinstance(n.target, torch._ops.OpOverload) and n.target.is_view]
    return any(n.op == "output" for n in node.users) or any(map(_is_returned, views))


def _selected(node, x, dim, number):
    if _is_returned(node):
        _refuse()
    place = torch.where(number.tensor < 0, number.tensor + x.shape[dim], number.tensor)
    return x.index_select(dim, place.reshape(1)).squeeze(dim)


def _clamp(node, x, low=None, high=None):
    x = x.to(node.meta["val"].dtype)
    low, high = (b.tensor.to(x.dtype) if isinstance(b, Number) else b for b in (low, high))
    for bound, function, scalar in ((low, torch.maximum, torch.clamp_min), (high, torch.minimum, torch.clamp_max)):
        x = x if bound is None else function(x, bound) if isinstance(bound, torch.Tensor) else scalar(x, bound)
    return x


_ATEN = {
    **{op: _beside(torch.add) for op in (aten.add.Tensor, aten.add.Scalar)},
    **{op: _beside(torch.sub) for op in (aten.sub.Tensor, aten.sub.Scalar)},
    **{op: _beside(torch.mul) for op in (aten.mul.Tensor, aten.mul.Scalar)},
    **{op: _beside(torch.div) for op in (aten.div.Tensor, aten.div.Scalar)},
    **{op: _beside(torch.div) for op in (aten.div.Tensor_mode, aten.div.Scalar_mode)},
    **{op: _beside(torch.pow) for op in (aten.pow.Tensor_Scalar, aten.pow.Scalar)},
    **{op: _beside(torch.remainder) for op in (aten.remainder.Tensor, aten.remainder.Scalar)},
    **{op: _beside(torch.fmod) for op in (aten.fmod.Tensor, aten.fmod.Scalar)},
    aten.rsub.Scalar: _beside(lambda x, number: number - x),
    **{
        getattr(getattr(aten, name), overload): _beside(getattr(torch, name), wide=False)
        for name in ("eq", "ne", "lt", "le", "gt", "ge", "bitwise_and", "bitwise_or", "bitwise_xor")
        for overload in ("Tensor", "Scalar")
    },
    aten.scalar_tensor.default: lambda node, number, **_: _filled(node, number).clone(),
    aten.full.default: lambda node, size, number, **_: _filled(node, number).expand(size).clone(),
    aten.full_like.default: lambda node, x, number, **_: torch.where(
        torch.ones_like(x, dtype=torch.bool), _filled(node, number), 0
    ),
    aten.select.int: _selected,
    aten.masked_fill.Scalar: lambda node, x, mask, number: torch.where(mask, number.tensor.to(x.dtype), x),
    aten.clamp.default: _clamp,
    aten.clamp_min.default: _clamp,
    aten.clamp_max.default: lambda node, x, high: _clamp(node, x, None, high),
}


def _assert_range(number, *, min=None, max=None):
    for bound, holds in ((min, operator.ge), (max, operator.le)):
        if bound is not None:
            _assert(Number(holds(number.tensor, bound)), f"a number is {holds.__name__} {bound}")


_ASSERTIONS = {
    aten._assert_scalar.default: _assert,
    aten.sym_constrain_range.default: _assert_range,
    aten.sym_constrain_range_for_size.default: _assert_range,
}


def is_number(value) -> bool:
    """Whether a symbol stands for what is known only when another graph has run."""
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) and bool(free_unbacked_symbols(value))


def are_used(gm) -> bool:
    """Whether a graph does more with elements of tensors than to assert something of them."""
    known = set()
    for node in gm.graph.nodes:
        if node.target is ELEMENT:
            known.add(node)
        elif not known.isdisjoint(node.all_input_nodes) and node.target not in _ASSERTIONS:
            if isinstance(node.target, torch._ops.OpOverload) or node.op == "output":
                return True
            known.add(node)
    return False


def call(node, args, kwargs):
    """The result of a node with a Number among its arguments; raises Refusal."""
    if node.target in _PYTHON:
        return _PYTHON[node.target](*args)
    if node.target in _ASSERTIONS:
        return _ASSERTIONS[node.target](*args, **kwargs)
    lists = [value for value in (*args, *kwargs.values()) if isinstance(value, (list, tuple))]  # sizes and the like
    if node.target not in _ATEN or any(isinstance(item, Number) for items in lists for item in items):
        _refuse()
    return _ATEN[node.target](node, *args, **kwargs)
