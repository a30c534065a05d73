"""Greedy generation with a static cache: one graph reads the prompt, one makes every further token."""

from __future__ import annotations

import networks
import torch

LENGTH = 24  # of the cache

_TEXT = {
    "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}
_GROUPED = {**_TEXT, "num_key_value_heads": 2, "head_dim": 16}

# model type of transformers -> its configuration
DECODERS = {
    "gpt2": {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100, "n_positions": 64},
    "gpt_neox": _TEXT,
    "opt": {
        "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 128, "vocab_size": 100,
        "word_embed_proj_dim": 64,
    },
    "bloom": {"hidden_size": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100},
    "phi": _TEXT,
    "llama": _GROUPED,
    "qwen3": _GROUPED,
    "gemma": _GROUPED,
    "mixtral": {**_GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2},
}


def decoder(kind):
    """Its layers outweigh what the embedding says of the last token, which would be repeated."""
    import transformers

    def make():
        configuration = transformers.AutoConfig.for_model(kind, **DECODERS[kind])
        model = transformers.AutoModelForCausalLM.from_config(configuration)
        embeddings = {id(model.get_input_embeddings().weight), id(model.get_output_embeddings().weight)}
        for parameter in model.parameters():
            if parameter.dim() > 1 and id(parameter) not in embeddings:
                parameter.data *= 12
        return model

    return networks.seeded(make)


def greedy(model, call, prompt, steps):
    """(tokens [batch, steps], their logits [batch, steps, vocabulary]); `call` computes `model`."""
    from transformers import StaticCache

    config = model.config
    cache = StaticCache(config=config, max_cache_len=LENGTH)
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    # A cache that is made while the prompt is traced would be another graph's constant.
    cache.early_initialization(
        batch_size=len(prompt), num_heads=heads, head_dim=size, dtype=model.dtype, device=prompt.device
    )
    chosen, logits = [], []
    positions, tokens = torch.arange(prompt.shape[1]), prompt
    for _ in range(steps):
        out = call(input_ids=tokens, position_ids=positions[None], past_key_values=cache, use_cache=True)
        logits.append(out.logits[:, -1])
        tokens = logits[-1].argmax(-1, keepdim=True)
        chosen.append(tokens)
        positions = positions[-1:] + 1
    return torch.cat(chosen, 1), torch.stack(logits, 1)
