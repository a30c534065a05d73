"""Attention as the device is asked for it (torch.nn.functional.scaled_dot_product_attention without gradients)."""

import torch

from .windows import wide


def fused(query, key, value, attn_bias=None, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    """[B, H, L, D] queries, [B, G, S, D] keys and values. Only the first of the results is computed: the others are
    for a backward pass, which is never asked for (see runtime/device/eager/Composites.cpp)."""
    if dropout_p or return_debug_mask:
        return NotImplemented
    out, _ = torch.ops.aten._scaled_dot_product_attention_math(
        query, key, value, attn_bias, 0.0, is_causal, None, scale=scale, enable_gqa=query.shape[1] != key.shape[1]
    )
    none = [torch.empty(0, device=query.device) for _ in range(6)]
    return out, none[0], none[1], none[2], query.shape[2], key.shape[2], none[3], none[4], none[5]


def _causal(length, source, device):
    """Whether a query [L, 1] sees a key [S]."""
    return torch.arange(length, device=device).unsqueeze(1) >= torch.arange(source, device=device)


def flash_backward(grad, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask=None, scale=None):
    """Gradients of query [B, H, L, D], key and value [B, G, S, D], from `out` [B, H, L, D] and `logsumexp` [B, H, L]
    of the scores. Halves are computed in float32."""
    if dropout_p or query.numel() == 0 or key.numel() == 0:
        return NotImplemented
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    times = query.shape[1] // key.shape[1]
    g, q, k, v, o = (wide(t) for t in (grad, query, key, value, out))
    if times > 1:
        k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
    scores = q @ k.transpose(-2, -1) * scale
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = torch.where(attn_mask, scores, -torch.inf)
        else:
            scores = scores + attn_mask.to(scores.dtype)
    if is_causal:
        scores = torch.where(_causal(query.shape[2], key.shape[2], query.device), scores, -torch.inf)
    # A key that is not seen has no weight, also where no key is and the sum is 0.
    weight = torch.where(scores == -torch.inf, 0, (scores - logsumexp.to(scores.dtype).unsqueeze(-1)).exp())
    grad_weight = g @ v.transpose(-2, -1) - (g * o).sum(-1, keepdim=True)
    grad_scores = weight * grad_weight * scale
    grads = [grad_scores @ k, grad_scores.transpose(-2, -1) @ q, weight.transpose(-2, -1) @ g]
    if times > 1:
        grads[1:] = [t.unflatten(1, (-1, times)).sum(2) for t in grads[1:]]
    return tuple(t.to(query.dtype) for t in grads)
