"""Decompositions of ours in place of those that PyTorch applies before it asks a backend's table.

Some overloads have a decomposition of PyTorch's at the dispatch keys of autograd (OpOverload.py_impl), so that no table
sees them. While a graph of ours is traced, ours stand there; for other backends nothing changes.
"""

import contextlib
import threading

import torch

from .decomposed.resizing import FIRST

_KEYS = (torch._C.DispatchKey.CompositeImplicitAutograd, torch._C.DispatchKey.Autograd)
_lock = threading.RLock()


@contextlib.contextmanager
def ours():
    """While it lasts, the decompositions of FIRST are applied."""
    with _lock:
        before = {op: dict(op.py_kernels) for op in FIRST}
        try:
            for op, function in FIRST.items():
                op.py_kernels.update(dict.fromkeys(_KEYS, function))
                op._dispatch_cache.clear()
            yield
        finally:
            for op, kernels in before.items():
                op.py_kernels.clear()
                op.py_kernels.update(kernels)
                op._dispatch_cache.clear()
