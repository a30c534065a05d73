"""Architectures of `transformers`, small, with seeded random weights: name -> (model, arguments)."""

import networks

WIDTHS = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
TEXT = {**WIDTHS, "vocab_size": 100}
DECODER = {**TEXT, "use_cache": False}
GROUPED = {**DECODER, "num_key_value_heads": 2}
IMAGES = {**WIDTHS, "image_size": 32, "patch_size": 8}


def _make(kind, model="Model", part=lambda model: model, **config):
    """A `kind` of transformers, or the `part` of it that a function gives."""
    import transformers

    def make():
        configuration = getattr(transformers, f"{kind}Config")(**config)
        return networks.Output(part(getattr(transformers, f"{kind}{model}")(configuration)), "last_hidden_state")

    return networks.seeded(make)


def _tokens():
    return (networks.tokens(97, 2, 17) + 3,)


def _image(size):
    return lambda: (networks.image(1, 3, size, size),)


ZOO = {
    "bert": (lambda: _make("Bert", **TEXT), _tokens),
    "roberta": (lambda: _make("Roberta", **TEXT), _tokens),
    "distilbert": (
        lambda: _make("DistilBert", dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=100), _tokens,
    ),
    "mistral": (lambda: _make("Mistral", **GROUPED), _tokens),
    "qwen2": (lambda: _make("Qwen2", **GROUPED), _tokens),
    "gemma": (lambda: _make("Gemma", **GROUPED, head_dim=16), _tokens),
    "phi": (lambda: _make("Phi", **DECODER), _tokens),
    "gpt-neox": (lambda: _make("GPTNeoX", **DECODER), _tokens),
    "opt": (
        lambda: _make("OPT", hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=128, vocab_size=100,
                      word_embed_proj_dim=64, use_cache=False),
        _tokens,
    ),
    "mamba": (
        lambda: _make("Mamba", hidden_size=32, num_hidden_layers=2, vocab_size=100, state_size=8, use_cache=False),
        lambda: (networks.tokens(97, 2, 9) + 3,),
    ),
    "t5 encoder": (
        lambda: _make("T5", "EncoderModel", d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=100),
        _tokens,
    ),
    "whisper encoder": (
        lambda: _make("Whisper", part=lambda model: model.encoder, d_model=64, encoder_layers=2,
                      encoder_attention_heads=4, encoder_ffn_dim=128, decoder_layers=1, decoder_attention_heads=4,
                      decoder_ffn_dim=128, vocab_size=100, max_source_positions=50, num_mel_bins=20, pad_token_id=0,
                      bos_token_id=1, eos_token_id=2, decoder_start_token_id=1),
        lambda: (networks.image(1, 20, 100),),
    ),
    "wav2vec2": (
        lambda: _make("Wav2Vec2", **WIDTHS, vocab_size=32, conv_dim=(32, 32, 32), conv_stride=(5, 2, 2),
                      conv_kernel=(10, 3, 3), num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
                      mask_time_prob=0.0),
        lambda: (networks.image(1, 2000),),
    ),
    "clip vision": (lambda: _make("CLIPVision", **IMAGES), _image(32)),
    "deit": (lambda: _make("DeiT", **IMAGES), _image(32)),
    "swin": (
        lambda: _make("Swin", image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4],
                      window_size=4),
        _image(32),
    ),
    "convnext": (
        lambda: _make("ConvNext", hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1], image_size=64), _image(64),
    ),
    "segformer": (
        lambda: _make("Segformer", hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1],
                      num_attention_heads=[1, 2, 2, 4]),
        _image(64),
    ),
    "resnet, bottlenecks": (
        lambda: _make("ResNet", depths=[1, 1, 1, 1], hidden_sizes=[32, 64, 96, 128], embedding_size=16), _image(64),
    ),
}


def example(name):
    model, arguments = ZOO[name]
    return model(), arguments()
