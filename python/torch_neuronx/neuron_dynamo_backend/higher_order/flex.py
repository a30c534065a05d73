"""flex_attention as PyTorch's own dense mathematics, whose softmax and products the compiler fuses like any attention.

PyTorch's block mask only says which blocks need not be computed; the mask itself is part of the scores.
"""


def forward(query, key, value, score_mod, block_mask, scale, options, score_buffers=(), mask_buffers=()):
    """(output [B, H, L, E], logsumexp and maximum of the scores [B, H, L], divided by log(2))."""
    from torch._higher_order_ops.flex_attention import math_attention

    return math_attention(
        query, key, value, score_mod, tuple(block_mask), scale, options, tuple(score_buffers), tuple(mask_buffers)
    )


def backward(*args):
    """(grad query, grad key, grad value, (grad of each captured tensor, or None))."""
    from torch._higher_order_ops.flex_attention import sdpa_dense_backward

    # PyTorch's looks at requires_grad, which tensors in a graph do not have; gradients that nobody reads cost nothing.
    *args, buffers, mask_buffers = args
    buffers = tuple(b.detach().requires_grad_() if b.is_floating_point() else b for b in buffers)
    return sdpa_dense_backward(*args, buffers, tuple(mask_buffers))
