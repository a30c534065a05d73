"""Functions of tensors as graphs of ATen operations, traced on tensors without memory."""

import contextlib

import torch
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily
from torch.fx.experimental.proxy_tensor import make_fx


@contextlib.contextmanager
def without_memory():
    """While it lasts, what is made has no memory; AOTAutograd's own mode, which is on while it compiles, is not."""
    with unset_fake_temporarily(), FakeTensorMode(allow_non_fake_inputs=True):
        yield


def like(value):
    """A new tensor that lies as `value` does in its memory; of anything else, itself."""
    if not isinstance(value, torch.Tensor):
        return value
    if not value.storage_offset():
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
    # as_strided counts from the start of the memory, and may reach all of it.
    elements = value.untyped_storage().nbytes() // value.element_size()
    memory = torch.empty(elements, dtype=value.dtype, device=value.device)
    return memory.as_strided(value.shape, value.stride(), value.storage_offset())


def traced(function, inputs, table=None):
    """The graph of `function` for `inputs`, by the decompositions of `table`. Its nodes keep lines and the like."""

    def run(*args):
        with torch.fx.traceback.preserve_node_meta():
            return function(*args)

    with torch.no_grad():
        return make_fx(run, decomposition_table=table, tracing_mode="real", _allow_non_fake_inputs=True)(*inputs)
