"""Generation: eager's tokens; with transformers' StaticCache in two compilations, one execution a token.

NEURON_MODELS=full tests all that transformers' generate() is tried for; without it a part.
"""

import os

import generation
import networks
import pytest
import torch

STEPS = 10


@pytest.mark.filterwarnings("ignore:`past_key_values` is deprecated")
@torch.no_grad()
@pytest.mark.parametrize("kind", generation.DECODERS)
def test_static_cache(kind):
    from torch_neuronx import metrics

    model = generation.decoder(kind)
    prompt = networks.tokens(97, 2, 9) + 3
    tokens, logits = generation.greedy(model, model, prompt, STEPS)
    assert len(tokens.unique()) > 1

    def executions():
        return metrics.get_counter_value("Executor.NeffExecutions") or 0

    torch._dynamo.utils.counters.clear()
    before = executions()
    call = torch.compile(model, backend="neuron", fullgraph=True, dynamic=False)
    got, got_logits = generation.greedy(model, call, prompt, STEPS)
    assert torch.equal(got, tokens)
    torch.testing.assert_close(got_logits, logits, rtol=1e-4, atol=1e-5)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2, "one for the prompt, one for a token"
    assert executions() - before == STEPS


PART = ["beams", "sliding window"]
WAYS = list(generation.GENERATE) if os.environ.get("NEURON_MODELS") == "full" else PART


@torch.no_grad()
@pytest.mark.parametrize("name", WAYS)
def test_generate(name, monkeypatch):
    """One graph for the prompt, one for a further token; where sizes grow, one more with symbolic sizes."""
    kind, configuration, options = generation.GENERATE[name]
    model = generation.decoder(kind, configuration, strength=8)  # a decoder behind an encoder saturates with 12
    prompt = networks.tokens(97, 2, 9) + 3
    tokens = generation.generate(model, prompt, 8, **options)
    assert len(tokens.unique()) > 5
    torch._dynamo.utils.counters.clear()
    monkeypatch.setattr(model, "forward", torch.compile(model.forward, backend="neuron"))
    assert torch.equal(generation.generate(model, prompt, 8, **options), tokens)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] <= 3
