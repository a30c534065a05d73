"""Attention as the device is asked for it (torch.nn.functional.scaled_dot_product_attention without gradients)."""

import torch


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
