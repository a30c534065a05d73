"""From a graph with complex tensors to one with real tensors alone."""

import operator

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils import _pytree as pytree

from .boundary import Boundary
from .expand import expand
from .pair import REAL, Pair, interleave
from .retrace import is_complex, retrace, values_of
from .table import rule_of
from .views import BY_STRIDES

aten = torch.ops.aten

_HINT = "compute it outside the compiled function, or in a graph break (fullgraph=False)"
_DTYPE_HINT = "supported are complex64 and complex128"


def _is_view(node):
    if node.target is operator.getitem:
        return _is_view(node.args[0])
    schema = getattr(node.target, "_schema", None)
    return schema is not None and any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)


def _addressed(gm):
    """Nodes whose memory is seen: what is returned, and what is read by strides."""
    seen = list(gm.graph.output_node().all_input_nodes)
    return seen + [
        node.args[0] for node in gm.graph.nodes if getattr(node.target, "overloadpacket", None) in BY_STRIDES
    ]


def _in_memory(gm):
    """(complex nodes that need memory because it is seen, or that of a view of them; the views)"""
    bases, views = set(), set()
    for node in _addressed(gm):
        while node.op == "call_function" and _is_view(node):
            views.add(node)
            node = node.args[0]
        if any(value.is_complex() for value in values_of(node)):
            bases.add(node)
    return bases, views


class _Rewriter(torch.fx.Interpreter):
    """Runs a graph with Pairs for complex tensors."""

    def __init__(self, gm, constants):
        super().__init__(gm)
        self.constants = constants
        self.bases, self.seen_views = _in_memory(gm)
        self.halves = []  # (real memory that was made of a Pair, the Pair)
        self.boundary = Boundary()
        self.unsupported = []
        self.position = -1

    def run_node(self, node):
        self.node = node
        result = super().run_node(node)
        if node in self.bases and isinstance(result, Pair) and result.memory is None:
            result.memory = interleave(result, node.meta["val"].stride())
        return result

    def placeholder(self, target, args, kwargs):
        value = super().placeholder(target, args, kwargs)
        self.position += 1
        traced = self.node.meta.get("val")
        if not isinstance(traced, torch.Tensor) or traced.dtype not in REAL:
            return value
        self.boundary.inputs[self.position] = traced.is_conj()
        return Pair(memory=value, conjugated=traced.is_conj())

    def get_attr(self, target, args, kwargs):
        if target in self.constants:
            return Pair(memory=self.constants[target])
        return super().get_attr(target, args, kwargs)

    def call_function(self, target, args, kwargs):
        node = self.node
        if target is operator.getitem:
            return args[0][args[1]]
        if target is aten._neg_view.default and not isinstance(args[0], Pair):
            return -args[0]
        if target is aten.copy_.default and isinstance(args[0], Pair):
            return self._write(*args[:2])
        if target is aten.select.int and (part := self._halved(args)) is not None:
            return part
        if target in (aten.view.default, aten._unsafe_view.default) and isinstance(args[0], torch.Tensor):
            return args[0].reshape(args[1])  # a part of a Pair may lie in other strides than it was traced with
        if not is_complex(node):
            return self._of_real(node, args, kwargs)
        if other := self._other_dtype(node):
            self.unsupported.append((node, f"dtype {other} is not supported", _DTYPE_HINT))
            return self._anything(node)
        result = self._ruled(node, args, kwargs)
        if result is NotImplemented:
            return self._anything(node)
        if target is aten.view_as_real.default and args[0].memory is None:
            self.halves.append((result, args[0]))
        return result

    def _of_real(self, node, args, kwargs):
        """The operation itself, where rules may have laid out what it takes in another way than eager did."""
        if node.target is aten.view.default:
            return args[0].reshape(args[1])
        if getattr(node.target, "overloadpacket", None) in BY_STRIDES:
            strides = node.args[0].meta["val"].stride()
            if args[0].stride() != strides:
                args = (torch.ops.prims.copy_strided(args[0], strides), *args[1:])
        return super().call_function(node.target, args, kwargs)

    def _ruled(self, node, args, kwargs):
        """By the operation's rule; NotImplemented, and why in self.unsupported, if that cannot be."""
        rule, result = rule_of(node.target), NotImplemented
        try:
            if rule:
                if getattr(rule, "wants_result", False):
                    kwargs = {**kwargs, "result": self._result_dtype(node)}
                result = rule(*args, **kwargs)
            if result is not NotImplemented:
                return self._checked(node, result)
            why = "no lowering for complex numbers in this operation", _HINT
        except Exception as error:
            why = f"internal error: {type(error).__name__}: {error}".splitlines()[0], "please report it"
        self.unsupported.append((node, *why))
        return NotImplemented

    @staticmethod
    def _other_dtype(node):
        """complex32, if there are such numbers."""
        values = (value for source in (node, *node.all_input_nodes) for value in values_of(source))
        others = (value.dtype for value in values if value.is_complex() and value.dtype not in REAL)
        return str(next(others, "")).removeprefix("torch.")

    @staticmethod
    def _result_dtype(node):
        return next((value.dtype for value in values_of(node) if value.is_complex()), None)

    def _anything(self, node):
        """In place of what cannot be computed, so that all that cannot is found."""

        def empty(value):
            if not isinstance(value, torch.Tensor):
                return value
            dtype = REAL.get(value.dtype, value.dtype)
            if dtype.is_complex:
                dtype = torch.float32
            parts = [torch.zeros(value.shape, dtype=dtype, device=value.device) for _ in range(2)]
            return Pair(*parts) if value.is_complex() else parts[0]

        return pytree.tree_map(empty, node.meta.get("val"))

    def _checked(self, node, result):
        """The result in the dtype that PyTorch gives it."""
        expected = node.meta.get("val")
        if not isinstance(expected, torch.Tensor):
            return result
        if isinstance(result, Pair) != expected.is_complex() or tuple(result.shape) != tuple(expected.shape):
            raise AssertionError(f"the rule gives {result.dtype}{list(result.shape)}")
        return result if result.dtype == expected.dtype else result.to(expected.dtype)

    def _halved(self, args):
        """A part of a Pair whose memory was asked for only to take the part from it."""
        memory, dim, index = args
        if not isinstance(memory, torch.Tensor) or dim % memory.ndim != memory.ndim - 1:
            return None
        if self.node in self.seen_views:
            return None
        pair = next((pair for made, pair in self.halves if made is memory), None)
        return None if pair is None else (pair.re, pair.im)[index]

    def _write(self, target, source):
        """To the memory of an input."""
        from .movement import copy

        value = copy(target, source)
        if target.conjugated:
            value = value.conj()
        written = aten.copy_(target.memory, interleave(value, self.node.args[0].meta["val"].stride()))
        self.boundary.written += (self._index_of(self.node.args[0]),)
        return Pair(memory=written, conjugated=target.conjugated)

    def _index_of(self, placeholder):
        return [node for node in self.module.graph.nodes if node.op == "placeholder"].index(placeholder)

    def _is_taken_from_another(self, value, node):
        """Whether a real result lies in something larger, which a rule has made."""
        return is_complex(node) and node not in self.seen_views and value.stride() != node.meta["val"].stride()

    def output(self, target, args, kwargs):
        results = []
        returned, values = self.node.args[0], args[0]
        if not isinstance(returned, (list, tuple)):
            returned, values = [returned], [values]
        for position, (node, value) in enumerate(zip(returned, values, strict=True)):
            if isinstance(value, Pair):
                traced = node.meta["val"]
                conjugated = traced.is_conj()
                if value.memory is None or value.conjugated != conjugated:
                    value = Pair(memory=interleave(value.conj() if conjugated else value, traced.stride()))
                self.boundary.outputs[position] = conjugated
                value = value.memory
            elif isinstance(value, torch.Tensor) and self._is_taken_from_another(value, node):
                value = value.clone(memory_format=torch.contiguous_format)
            results.append(value)
        return results


def _constants(gm):
    """{name: memory} of the complex constants."""
    with unset_fake_temporarily():
        found = {}
        for node in gm.graph.find_nodes(op="get_attr"):
            value = operator.attrgetter(node.target)(gm)
            if isinstance(value, torch.Tensor) and value.dtype in REAL:
                found[node.target] = torch.view_as_real(value.detach().resolve_conj().resolve_neg())
        return found


def rewrite(gm):
    """(a graph of real tensors, its Boundary, [(node, reason, hint) of what cannot be rewritten])"""
    gm = expand(gm)
    rewriter = _Rewriter(gm, _constants(gm))
    real = retrace(gm, rewriter.run, real=True)
    real.graph.eliminate_dead_code()
    return real, rewriter.boundary, rewriter.unsupported
