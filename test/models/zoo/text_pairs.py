"""Encoders of text with decoders of text."""

from . import rows

T5 = {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": 100, "use_cache": False}
BART = {
    **{f"{side}_{size}": value for side in ("encoder", "decoder")
       for size, value in (("layers", 2), ("attention_heads", 4), ("ffn_dim", 128))},
    "d_model": 64, "vocab_size": 100, "max_position_embeddings": 64, "use_cache": False,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}
SPECIAL = {"pad_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 0}


def _inputs():
    return {"input_ids": rows.tokens(9), "decoder_input_ids": rows.tokens(7)}


def _row(kind, **config):
    return rows.transformers(kind, _inputs, "last_hidden_state encoder_last_hidden_state", **config)


ROWS = {
    "t5": _row("T5", **T5, **SPECIAL),
    "t5, encoder": rows.transformers("T5", rows.text(), model="EncoderModel", **T5, **SPECIAL),
    "umt5": _row("UMT5", **T5, **SPECIAL, feed_forward_proj="gated-gelu"),
    "bart": _row("Bart", **BART),
    "mbart": _row("MBart", **BART),
    "pegasus": _row("Pegasus", **BART),
    "marian": _row("Marian", **BART),
}
