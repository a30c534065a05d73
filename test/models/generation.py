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


def decoder(kind, configuration=None, strength=12):
    """Its layers, of `strength` times the usual weights, outweigh what the embedding says of the last token, which would
    be repeated."""
    import transformers

    def make():
        config = transformers.AutoConfig.for_model(kind, **(configuration or DECODERS[kind]))
        head = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
        model = getattr(transformers, head).from_config(config)
        embeddings = {id(model.get_input_embeddings().weight), id(model.get_output_embeddings().weight)}
        for parameter in model.parameters():
            if parameter.dim() > 1 and id(parameter) not in embeddings:
                parameter.data *= strength
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


# transformers' own generate(): (model type, its configuration, how it generates)
_STATIC, _WINDOW = {"cache_implementation": "static"}, {**_GROUPED, "sliding_window": 6}
_BART = {
    **{f"{side}_{size}": value for side in ("encoder", "decoder")
       for size, value in (("layers", 2), ("attention_heads", 4), ("ffn_dim", 128))},
    "d_model": 64, "vocab_size": 100, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "decoder_start_token_id": 1, "forced_eos_token_id": None,
}
GENERATE = {
    "beams": ("llama", _GROUPED, {"num_beams": 3, **_STATIC}),
    "a cache that grows": ("llama", _GROUPED, {}),
    "sampling": ("llama", _GROUPED, {"do_sample": True, "top_k": 5, "temperature": 0.7, **_STATIC}),
    "sliding window": ("mistral", _WINDOW, _STATIC),
    "some windows": ("gemma2", _WINDOW, _STATIC),
    "windows and experts": ("gpt_oss", {**_WINDOW, "num_local_experts": 4, "num_experts_per_tok": 2}, _STATIC),
    "state space": (
        "mamba", {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 100, "state_size": 8, "pad_token_id": 0}, {},
    ),
    "encoder and decoder": ("bart", _BART, _STATIC),
    "encoder and beams": ("bart", _BART, {"num_beams": 2}),
}  # fmt: skip


def generate(model, prompt, tokens, **options):
    """`tokens` more tokens behind (of an encoder-decoder: for) the prompt; random numbers are the same every time."""
    torch.manual_seed(1)
    # What is compiled is the caller's business.
    settings = {"do_sample": False, "disable_compile": True, "max_new_tokens": tokens, "min_new_tokens": tokens}
    return model.generate(prompt, attention_mask=torch.ones_like(prompt), **{**settings, **options})
