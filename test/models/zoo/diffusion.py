"""Networks that take noise away, and the codecs of images around them."""

import torch

from . import rows

SMALL = {"block_out_channels": (16, 32), "layers_per_block": 1, "norm_num_groups": 8}


def _noisy(channels, **more):
    return lambda: {"sample": rows.normal(1, channels, 16, 16), "timestep": torch.tensor([7]), **more}


def _latent(channels, name="hidden_states", **more):
    return lambda: {name: rows.normal(1, channels, 8, 8), "timestep": torch.tensor([7]), **more}


ROWS = {
    "unet": rows.diffusers(
        "UNet2DModel", _noisy(3), sample_size=16, in_channels=3, out_channels=3, attention_head_dim=8, **SMALL,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    ),
    "unet with text": rows.diffusers(
        "UNet2DConditionModel", _noisy(4, encoder_hidden_states=rows.normal(1, 7, 32)), sample_size=16, in_channels=4,
        out_channels=4, cross_attention_dim=32, attention_head_dim=8, **SMALL,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
    ),
    "autoencoder kl": rows.diffusers(
        "AutoencoderKL", lambda: {"sample": rows.normal(1, 3, 16, 16)}, in_channels=3, out_channels=3,
        latent_channels=4, **SMALL, down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    ),
    "dit": rows.diffusers(
        "DiTTransformer2DModel", _latent(4, class_labels=torch.tensor([3])), num_attention_heads=4,
        attention_head_dim=8, in_channels=4, out_channels=4, num_layers=2, sample_size=8, patch_size=2,
        num_embeds_ada_norm=10, norm_num_groups=8,
    ),
    "pixart": rows.diffusers(
        "PixArtTransformer2DModel",
        _latent(4, encoder_hidden_states=rows.normal(1, 5, 24), added_cond_kwargs={"resolution": None, "aspect_ratio": None}),
        num_attention_heads=4, attention_head_dim=8, in_channels=4, out_channels=8, num_layers=2, sample_size=8,
        cross_attention_dim=32, caption_channels=24, use_additional_conditions=False,
    ),
    "stable diffusion 3": rows.diffusers(
        "SD3Transformer2DModel",
        _latent(4, encoder_hidden_states=rows.normal(1, 5, 24), pooled_projections=rows.normal(1, 40)),
        sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=4,
        joint_attention_dim=24, caption_projection_dim=32, pooled_projection_dim=40, out_channels=4,
        pos_embed_max_size=8,
    ),
    "flux": rows.diffusers(
        "FluxTransformer2DModel",
        lambda: {
            "hidden_states": rows.normal(1, 16, 16), "encoder_hidden_states": rows.normal(1, 5, 24),
            "pooled_projections": rows.normal(1, 40), "timestep": torch.tensor([0.7]),
            "img_ids": torch.arange(48.0).view(16, 3), "txt_ids": torch.zeros(5, 3),
        },
        patch_size=1, in_channels=16, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=24, pooled_projection_dim=40, axes_dims_rope=(4, 4, 8), guidance_embeds=False,
    ),
}
