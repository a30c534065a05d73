"""How rules are written: a rule takes what an ATen overload takes, with Pairs for complex tensors, and returns what it
returns. It computes in real tensors alone. One that `wants_result` also gets the complex dtype of its result, or None.
"""

import functools

import torch

from .pair import COMPLEX, REAL, Pair, parts_of


def tree(value, function):
    """`function` of a value, or of those in a list."""
    if isinstance(value, (list, tuple)):
        return [tree(item, function) for item in value]
    return function(value)


def real_dtype(value):
    """complex64 -> float32; anything else as it is."""
    return REAL.get(value, value) if isinstance(value, torch.dtype) else value


def _joined(re, im):
    if isinstance(re, (list, tuple)):
        return [_joined(*both) for both in zip(re, im, strict=True)]
    return Pair(re, im)


def _leading(args):
    """The Pair that says in which dtype several are compared: the widest of those with dimensions."""
    pairs = [arg for arg in args if isinstance(arg, Pair)]
    return max(pairs, key=lambda pair: (pair.ndim > 0, pair.real_dtype.itemsize), default=None)


def linear(op, *positions):
    """The same operation on the real parts and on the imaginary parts of the arguments at `positions` (the first, if
    none is given); all others are the same for both."""
    positions = positions or (0,)

    def rule(*args, result, **kwargs):
        dtype = REAL[result]
        kwargs = {key: real_dtype(value) for key, value in kwargs.items()}

        def real(value):
            if isinstance(value, Pair):
                return value.re.to(dtype)
            if isinstance(value, torch.Tensor):
                return value.to(dtype)
            return value.real if isinstance(value, (int, float, complex)) else value

        def imaginary(value):
            if isinstance(value, Pair):
                return value.im.to(dtype)
            if isinstance(value, torch.Tensor):
                return torch.zeros_like(value, dtype=dtype)
            return value.imag if isinstance(value, (int, float, complex)) else value

        def half(part):
            return op(*[tree(arg, part) if i in positions else arg for i, arg in enumerate(args)], **kwargs)

        return _joined(half(real), half(imaginary))

    rule.wants_result = True
    return rule


def elementwise(function):
    """`function` of Pairs of one dtype: real tensors and numbers among the arguments become Pairs."""

    @functools.wraps(function)
    def rule(*args, result, **kwargs):
        like = _leading(args)
        if like is None or (result is not None and result != like.dtype):
            device = next(arg for arg in args if isinstance(arg, (torch.Tensor, Pair))).device
            dtype = REAL[result] if result is not None else torch.get_default_dtype()
            like = Pair(*[torch.empty((), dtype=dtype, device=device)] * 2)
        return function(*[parts_of(arg, like).to(COMPLEX[like.real_dtype]) for arg in args], **kwargs)

    rule.wants_result = True
    return rule


def nonzero(value):
    """Which elements are not 0."""
    if isinstance(value, Pair):
        return (value.re != 0) | (value.im != 0)
    return value != 0
