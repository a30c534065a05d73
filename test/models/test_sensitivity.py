"""The check of GPT-2 is one that mistakes do not pass: each, made on purpose, fails it."""

import measure
import networks
import pytest
import torch
from accuracy import allowed_error, error, outputs
from torch import nn

TOKENS = (networks.tokens(512, 2, 48),)


def attention(change):
    """Attention with a mistake, in place of PyTorch's."""

    def sdpa(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        scores = query @ key.transpose(-1, -2)
        if change != "scale":
            scores = scores / query.shape[-1] ** 0.5
        if change == "product":
            scores = torch.zeros_like(scores)
        if change != "mask":
            seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
            scores = scores.masked_fill(~seen, float("-inf"))
        return torch.softmax(scores, -1) @ value

    return sdpa


def changed(model, change):
    if change == "activation":
        for block in model.model.transformer.h:
            block.mlp.act = nn.GELU()
    if change == "eps":
        for module in model.modules():
            if isinstance(module, nn.LayerNorm):
                module.eps = 1e-3
    return model


@pytest.mark.parametrize("change", ["mask", "scale", "product", "activation", "eps"])
def test_mistakes_are_seen(change, monkeypatch):
    model = networks.gpt2()
    exact, limit = allowed_error(model, TOKENS, torch.float32)
    if change in ("mask", "scale", "product"):
        monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", attention(change))
    wrong = outputs(changed(model, change), TOKENS, torch.float32)
    assert error(wrong, exact) > limit


def test_the_written_out_attention_without_a_mistake_passes(monkeypatch):
    model = networks.gpt2()
    exact, limit = allowed_error(model, TOKENS, torch.float32)
    monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", attention("none"))
    assert error(outputs(model, TOKENS, torch.float32), exact) <= limit


@pytest.mark.parametrize("change", ["none", "eps", "factor", "missing"])
def test_mistakes_are_seen_in_gradients(change):
    """The bounds of a training step: what is 5 % off in one parameter of many is beyond them in bfloat16 too."""
    for dtype in (torch.float32, torch.bfloat16):
        model, arguments = networks.mlp(), {"x": networks.image(5, 30, 96)}

        def gradients(wide=False, change="none", model=model, arguments=arguments, dtype=dtype):
            network, inputs = measure.in_dtype(model, arguments, dtype, wide)
            if change == "eps":
                network.norm.eps = 0.1
            return measure.training(network, lambda x: (network(x),), inputs)

        wrong = gradients(change=change)
        if change == "factor":
            wrong["down.bias"] = wrong["down.bias"] * 1.05
        if change == "missing":
            wrong["up.bias"] = torch.zeros_like(wrong["up.bias"])
        ratio = measure.compare(wrong, gradients(), gradients(wide=True), dtype, gradients=True)[0]
        assert ratio <= 1 if change == "none" else ratio > 1
