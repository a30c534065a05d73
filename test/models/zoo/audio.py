"""Networks of waves and spectra."""

from . import rows
from .vision import WIDTHS

WAVES = {
    **WIDTHS, "vocab_size": 32, "conv_dim": (32, 32, 32), "conv_stride": (5, 2, 2), "conv_kernel": (10, 3, 3),
    "num_feat_extract_layers": 3, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4,
    "mask_time_prob": 0.0, "apply_spec_augment": False, "layerdrop": 0.0,
}
WHISPER = {
    "d_model": 64, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 128, "decoder_layers": 2,
    "decoder_attention_heads": 4, "decoder_ffn_dim": 128, "vocab_size": 100, "max_source_positions": 50,
    "max_target_positions": 16, "num_mel_bins": 20, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "decoder_start_token_id": 1, "use_cache": False,
}


def _wave():
    return {"input_values": rows.normal(1, 2000)}


def _row(kind, **config):
    return rows.transformers(kind, _wave, **{**WAVES, **config})


ROWS = {
    "whisper": rows.transformers(
        "Whisper", lambda: {"input_features": rows.normal(1, 20, 100), "decoder_input_ids": rows.tokens(7, 1)},
        "last_hidden_state encoder_last_hidden_state", **WHISPER,
    ),
    "wav2vec2": _row("Wav2Vec2"),
    "wav2vec2, conformer": _row("Wav2Vec2Conformer"),
    "hubert": _row("Hubert"),
    "wavlm": _row("WavLM"),
    "unispeech": _row("UniSpeech"),
    "audio spectrogram transformer": rows.transformers(
        "AST", lambda: {"input_values": rows.normal(1, 32, 16)}, **WIDTHS, patch_size=8, frequency_stride=8,
        time_stride=8, max_length=32, num_mel_bins=16,
    ),
}
