"""Networks that find, cut out or describe what is in an image."""

import torch

from . import rows
from .vision import PATCHES, PYRAMID, WIDTHS

TEXT = {**WIDTHS, "vocab_size": 100, "max_position_embeddings": 16, "bos_token_id": 1, "eos_token_id": 2}
SIDES = {"text_config": TEXT, "vision_config": PATCHES}
RESNET = {
    "model_type": "resnet", "depths": [1, 1, 1, 1], "hidden_sizes": [16, 32, 48, 64], "embedding_size": 16,
    "layer_type": "basic", "out_features": ["stage4"],
}


def _both():
    return {"input_ids": rows.tokens(9), "pixel_values": rows.normal(2, 3, 32, 32)}


def _masked_image():
    return {"pixel_values": rows.normal(1, 3, 64, 64), "pixel_mask": torch.ones(1, 64, 64, dtype=torch.int64)}


ROWS = {
    "yolos": rows.transformers("Yolos", rows.image(32), "logits pred_boxes", "ForObjectDetection", **{
        **PATCHES, "image_size": [32, 32]}, num_detection_tokens=5),
    "detr": rows.transformers(
        "Detr", _masked_image, "logits pred_boxes", "ForObjectDetection", d_model=32, encoder_layers=1,
        decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, num_queries=5, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None,
        backbone_config=RESNET,
    ),
    "segformer": rows.transformers(
        "Segformer", rows.image(64), "logits", "ForSemanticSegmentation", **PYRAMID, num_attention_heads=[1, 2, 2, 4],
        decoder_hidden_size=32,
    ),
    "sam, image encoder": rows.transformers(
        "SamVision", rows.image(32), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, mlp_dim=64,
        image_size=32, patch_size=8, output_channels=16, window_size=2, global_attn_indexes=[1],
    ),
    "clip": rows.transformers("CLIP", _both, "text_embeds image_embeds", **SIDES, projection_dim=32),
    "siglip": rows.transformers("Siglip", _both, "text_embeds image_embeds", **SIDES),
    "vit mae": rows.transformers(
        "ViTMAE", lambda: {**rows.image(32)(), "noise": rows.normal(1, 16)}, **PATCHES,
        decoder_hidden_size=32, decoder_num_hidden_layers=1, decoder_num_attention_heads=4, decoder_intermediate_size=64,
    ),
}
