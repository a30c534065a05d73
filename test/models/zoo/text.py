"""Encoders and decoders of text."""

from . import rows

WIDTHS = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
TEXT = {**WIDTHS, "vocab_size": 100, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
DECODER = {**TEXT, "use_cache": False}
GROUPED = {**DECODER, "num_key_value_heads": 2}
HEADS = {**GROUPED, "head_dim": 16}
EXPERTS = {**GROUPED, "num_experts_per_tok": 2, "moe_intermediate_size": 32}


def _row(kind, **config):
    return rows.transformers(kind, rows.text(), **config)


ROWS = {
    "bert": _row("Bert", **TEXT),
    "roberta": _row("Roberta", **TEXT),
    "albert": _row("Albert", **TEXT, embedding_size=32),
    "electra": _row("Electra", **TEXT, embedding_size=32),
    "deberta": _row("Deberta", **TEXT, relative_attention=True, pos_att_type=["c2p", "p2c"]),
    "deberta v2": _row(
        "DebertaV2", **TEXT, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=8,
        norm_rel_ebd="layer_norm", share_att_key=True,
    ),
    "distilbert": _row("DistilBert", dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=100),
    "mpnet": _row("MPNet", **TEXT),
    "roformer": _row("RoFormer", **TEXT, embedding_size=64),
    # Fourier transforms, which eager has not of bfloat16
    "fnet": _row(
        "FNet", hidden_size=64, num_hidden_layers=2, intermediate_size=128, vocab_size=100, dtypes=("float32",)
    ),
    "modernbert": _row("ModernBert", **TEXT, cls_token_id=1, sep_token_id=2, local_attention=8),
    "xlnet": _row("XLNet", vocab_size=100, d_model=64, n_layer=2, n_head=4, d_inner=128),
    "gpt2": _row("GPT2", n_embd=64, n_layer=2, n_head=4, vocab_size=100, n_positions=64, use_cache=False),
    "gpt-j": _row(
        "GPTJ", n_embd=64, n_layer=2, n_head=4, rotary_dim=8, vocab_size=100, n_positions=64, use_cache=False
    ),
    "gpt-neo": _row(
        "GPTNeo", hidden_size=64, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=4,
        vocab_size=100, max_position_embeddings=64, use_cache=False,
    ),
    "gpt-neox": _row("GPTNeoX", **DECODER),
    "opt": _row(
        "OPT", hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=128, vocab_size=100,
        word_embed_proj_dim=64, use_cache=False,
    ),
    "bloom": _row("Bloom", hidden_size=64, n_layer=2, n_head=4, vocab_size=100, use_cache=False),
    "falcon": _row(
        "Falcon", **{k: v for k, v in DECODER.items() if k != "intermediate_size"}, multi_query=True,
        new_decoder_architecture=False,
    ),
    "mpt": _row("Mpt", d_model=64, n_layers=2, n_heads=4, expansion_ratio=2, vocab_size=100, use_cache=False),
    "llama": _row("Llama", **GROUPED),
    "mistral": _row("Mistral", **GROUPED, sliding_window=4),
    "qwen2": _row("Qwen2", **GROUPED),
    "qwen3": _row("Qwen3", **HEADS),
    "gemma": _row("Gemma", **HEADS),
    "gemma 2": _row("Gemma2", **HEADS, sliding_window=4, query_pre_attn_scalar=16),
    "gemma 3": _row("Gemma3Text", **HEADS, sliding_window=4, query_pre_attn_scalar=16),
    "phi": _row("Phi", **DECODER),
    "phi 3": _row("Phi3", **GROUPED),
    "olmo": _row("Olmo", **DECODER),
    "olmo 2": _row("Olmo2", **GROUPED),
    "cohere": _row("Cohere", **GROUPED),
    "stablelm": _row("StableLm", **GROUPED),
    "starcoder 2": _row("Starcoder2", **GROUPED),
    "glm 4": _row("Glm4", **HEADS),
    "mixtral": _row("Mixtral", **GROUPED, num_local_experts=4, num_experts_per_tok=2),
    "qwen3 with experts": _row("Qwen3Moe", **EXPERTS, head_dim=16, num_experts=4),
    "olmo with experts": _row("Olmoe", **GROUPED, num_experts=4, num_experts_per_tok=2),
    "gpt-oss": _row(
        "GptOss", **HEADS, num_local_experts=4, num_experts_per_tok=2, sliding_window=4
    ),
    "deepseek v3": _row(
        "DeepseekV3", **{**EXPERTS, "num_key_value_heads": 4}, n_routed_experts=4, n_shared_experts=1, n_group=2,
        topk_group=1, first_k_dense_replace=1, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8,
        qk_nope_head_dim=16, v_head_dim=16,
    ),
    "mamba": _row("Mamba", hidden_size=32, num_hidden_layers=2, vocab_size=100, state_size=8, use_cache=False),
    "mamba 2": _row(
        "Mamba2", hidden_size=32, num_hidden_layers=2, vocab_size=100, state_size=8, num_heads=4, head_dim=16,
        n_groups=2, chunk_size=4, use_cache=False,
    ),
    "rwkv": _row(
        "Rwkv", hidden_size=32, attention_hidden_size=32, num_hidden_layers=2, intermediate_size=64, vocab_size=100,
        use_cache=False,
    ),
}
