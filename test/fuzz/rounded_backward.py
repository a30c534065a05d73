"""Operations whose backward subtracts nearly equal terms, as formulas whose gradients are rounded on the way.

The gradient of layer_norm over two elements, of rms_norm or softmax over one, of softsign of a large number, or of the
scores of attention over one key, is what is left of terms of the size of the gradient that comes in, times
1 / deviation or times a value. In one kernel of float64 nothing of that shows: here every intermediate gradient can be
moved by a rounding.
"""

from __future__ import annotations

import functools

import torch
from reference import layer_norm
from torch.overrides import TorchFunctionMode


class Functional:
    """torch.nn.functional, with some functions as formulas. `error(bound)` is a rounding of sums of terms: what it
    returns is at most `bound`, the sum of their magnitudes, times a few roundings."""

    def __init__(self, error):
        self.layer_norm = layer_norm
        self.rms_norm = _rms_norm
        self.softsign = _softsign
        self.scaled_dot_product_attention = functools.partial(_attention, error)

    def __getattr__(self, name):
        return getattr(torch.nn.functional, name)


class RoundedGradients(TorchFunctionMode):
    """`moved(gradient)` replaces the gradient of everything that is computed inside."""

    def __init__(self, moved):
        super().__init__()
        self.moved = moved

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in (torch.div, torch.true_divide) and not kwargs:
            with self:
                return args[0] * torch.reciprocal(torch.as_tensor(args[1]))
        if function in FORMULAS:
            with self:
                return FORMULAS[function](*args, **(kwargs or {}))
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.grad_fn is not None and result.is_floating_point():
            result.register_hook(self.moved)
        return result


def _rms_norm(x, shape, weight=None, *, eps):
    y = x * (x.square().mean(tuple(range(-len(shape), 0)), keepdim=True) + eps).rsqrt()
    return y if weight is None else y * weight


def _softsign(x):
    return x * torch.reciprocal(x.abs() + 1)


def _powers(x, dim):
    """x without the largest of `dim`, and its exponentials; where that is infinite, eager's NaN come of themselves."""
    below = x - x.detach().amax(dim, keepdim=True) if x.numel() else x
    return below, below.exp()


def _softmax(x, dim):
    powers = _powers(x, dim)[1]
    return powers / powers.sum(dim, keepdim=True)


def _log_softmax(x, dim):
    below, powers = _powers(x, dim)
    return below - powers.sum(dim, keepdim=True).log()


FORMULAS = {torch.softmax: _softmax, torch.log_softmax: _log_softmax}


def _attention(
    error, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):  # noqa: PLR0913  the signature is PyTorch's
    assert dropout_p == 0
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(groups, -3) for x in (key, value))
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    largest = scores.detach().amax(-1, keepdim=True)
    powers = (scores - largest.where(largest.isfinite(), 0)).exp()
    total = powers.sum(-1, keepdim=True)
    total = total.where(total != 0, 1)  # of a row that is all -inf
    result = powers / total @ value
    if not result.requires_grad:
        return result
    products = []  # of the gradient and the values, by key: their magnitudes

    def remember(gradient):
        products.append(gradient.abs() @ value.detach().abs().transpose(-2, -1))

    def of_total(gradient):
        """The sum over keys and the products of each key are added up apart."""
        terms = (products[-1] * powers.detach()).sum(-1, keepdim=True) / total.detach() ** 2
        return gradient + error(terms)

    result.register_hook(remember)
    if total.requires_grad:
        total.register_hook(of_total)
    return result
