"""Custom operations (torch.library): their body in Python is traced, with the operations of PyTorch that it calls.

A body that does anything else with the numbers (NumPy, .item(), .data_ptr()) cannot be compiled, and says so.
"""

import re

import torch
from torch.utils import _pytree as pytree

from .refusal import Refusal

# What is PyTorch's own comes from AOTAutograd as it is meant for the importer.
_OURS = {"aten", "prims", "prim", "higher_order", "_operator"}
# Where a kernel was registered, as PyTorch tells it.
_IN_PYTHON = re.compile(r"registered at (\S+\.py|<[^>]*>):\d+")
_HINT = "give it a decomposition: torch_neuronx.neuron_dynamo_backend.decompositions.register_decomposition"


def _device(arguments) -> str:
    return next((t.device.type for t in pytree.tree_leaves(arguments) if isinstance(t, torch.Tensor)), "cpu")


def _defined(definition):
    """The function under @torch.library.custom_op: the one for the device, the one for all, or the CPU's."""
    functions = definition._backend_fns

    def body(*args, **kwargs):
        kinds = (_device((args, kwargs)), None, "default", "cpu")
        function = next((functions[kind] for kind in kinds if kind in functions), definition._init_fn)
        return function(*args, **kwargs)

    return body


def _registered(operation):
    """A kernel of torch.library.impl in Python, or None: one in C++ would read memory that fake tensors do not have."""
    for key in ("CompositeExplicitAutograd", "CPU", "PrivateUse1"):
        if not torch._C._dispatch_has_kernel_for_dispatch_key(operation.name(), key):
            continue
        kernel = torch._C._dispatch_get_computed_kernel_for_dispatch_key(operation.name(), key)
        if _IN_PYTHON.search(str(kernel)):
            keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
            return lambda *args, **kwargs: kernel.call_boxed(keys, *args, **kwargs)
    return None


def body_of(operation):
    """What the operation does, as a function of its arguments, or None."""
    from torch._library.custom_ops import _maybe_get_opdef

    definition = _maybe_get_opdef(operation)
    return _registered(operation) if definition is None else _defined(definition)


def function_of(target):
    """The body of a custom operation, to be traced; None for what is PyTorch's."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace in _OURS:
        return None

    def call(*args, **kwargs):
        body = body_of(target)
        if body is None:
            raise Refusal("it is a custom operation without a body in Python", _HINT)
        try:
            return body(*args, **kwargs)
        except Exception as error:
            reason = f"its body cannot be traced as ATen operations: {type(error).__name__}: {error}"
            raise Refusal(reason, _HINT) from error

    return call
