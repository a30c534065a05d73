"""Cells of recurrent networks, from the two products of their gates."""

import torch


def _sum(input_gates, hidden_gates, input_bias, hidden_bias):
    x = input_gates if input_bias is None else input_gates + input_bias
    h = hidden_gates if hidden_bias is None else hidden_gates + hidden_bias
    return x, h


def lstm(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    """[B, 4H] gates and [B, H] state: the new hidden state, the new state, and the activated gates for backward."""
    x, h = _sum(input_gates, hidden_gates, input_bias, hidden_bias)
    i, f, g, o = (x + h).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def lstm_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
    """Gradients of the gates, of the state, and of a bias."""
    i, f, g, o = workspace.chunk(4, 1)
    tanh = cy.tanh()
    grad_cell = torch.zeros_like(cy) if grad_cy is None else grad_cy
    if grad_hy is not None:
        grad_cell = grad_cell + grad_hy * o * (1 - tanh * tanh)
        grad_o = grad_hy * tanh
    else:
        grad_o = torch.zeros_like(cy)
    gates = [
        grad_cell * g * i * (1 - i),
        grad_cell * cx * f * (1 - f),
        grad_cell * i * (1 - g * g),
        grad_o * o * (1 - o),
    ]
    grad_gates = torch.cat(gates, 1)
    return grad_gates, grad_cell * f, grad_gates.sum(0) if has_bias else grad_gates.new_empty(0)


def gru(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    """[B, 3H] gates and [B, H] state: the new state, and what backward needs."""
    x, h = _sum(input_gates, hidden_gates, input_bias, hidden_bias)
    xr, xz, xn = x.chunk(3, 1)
    hr, hz, hn = h.chunk(3, 1)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    n = (xn + r * hn).tanh()
    return n + z * (hx - n), torch.cat([r, z, n, hx, hn], 1)


def gru_backward(grad_hy, workspace, has_bias):
    """Gradients of the gates of the input, of those of the state, of the state, and of both biases."""
    r, z, n, hx, hn = workspace.chunk(5, 1)
    grad_n = grad_hy * (1 - z) * (1 - n * n)
    grad_z = grad_hy * (hx - n) * z * (1 - z)
    grad_r = grad_n * hn * r * (1 - r)
    grad_input = torch.cat([grad_r, grad_z, grad_n], 1)
    grad_hidden = torch.cat([grad_r, grad_z, grad_n * r], 1)
    none = grad_input.new_empty(0)
    return (
        grad_input,
        grad_hidden,
        grad_hy * z,
        grad_input.sum(0) if has_bias else none,
        grad_hidden.sum(0) if has_bias else none,
    )
