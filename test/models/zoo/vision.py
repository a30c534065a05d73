"""Encoders of images."""

from . import rows

WIDTHS = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
PATCHES = {**WIDTHS, "image_size": 32, "patch_size": 8}
PYRAMID = {"hidden_sizes": [8, 16, 32, 64], "depths": [1, 1, 1, 1]}


def _row(kind, size, batch=1, **config):
    """Batch norms need a batch: of few values, their gradients are made of roundings."""
    return rows.transformers(kind, rows.image(size, batch), **config)


ROWS = {
    "vit": _row("ViT", 32, **PATCHES),
    "deit": _row("DeiT", 32, **PATCHES),
    "beit": _row("Beit", 32, **PATCHES, use_relative_position_bias=True, use_shared_relative_position_bias=True),
    "dinov2": _row("Dinov2", 32, **{k: v for k, v in PATCHES.items() if k != "intermediate_size"}, mlp_ratio=2),
    "swin": _row(
        "Swin", 32, image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4
    ),
    "swin v2": _row(
        "Swinv2", 32, image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4
    ),
    "convnext": _row("ConvNext", 64, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1], image_size=64),
    "convnext v2": _row("ConvNextV2", 64, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 2, 1], image_size=64),
    "resnet, bottlenecks": _row("ResNet", 64, 4, depths=[1, 1, 1, 1], hidden_sizes=[32, 64, 96, 128], embedding_size=16),
    "regnet": _row("RegNet", 64, 4, depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 48, 64], embedding_size=16, groups_width=8),
    "mobilenet v1": _row("MobileNetV1", 64, 4, image_size=64, depth_multiplier=0.25, min_depth=8),
    "mobilenet v2": _row("MobileNetV2", 64, 4, image_size=64, depth_multiplier=0.25),
    "efficientnet": _row(
        "EfficientNet", 64, 4, image_size=64, width_coefficient=0.25, depth_coefficient=0.3, hidden_dim=320,
        kernel_sizes=[3, 5], in_channels=[32, 16], out_channels=[16, 24], strides=[1, 2], num_block_repeats=[1, 1],
        expand_ratios=[1, 6], depthwise_padding=[],
    ),
    "mobilevit": _row(
        "MobileViT", 64, 4, image_size=64, hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 24, 32, 40, 64],
        num_attention_heads=4,
    ),
    "pvt v2": _row(
        "PvtV2", 64, image_size=64, hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 4],
        mlp_ratios=[2, 2, 2, 2],
    ),
    "poolformer": _row("PoolFormer", 64, **PYRAMID),
    "focalnet": _row("FocalNet", 32, image_size=32, patch_size=2, embed_dim=16, depths=[1, 1], focal_levels=[2, 2],
                     focal_windows=[3, 3]),
}
