"""Architectures of `transformers` and `diffusers`, small, with seeded random weights: name -> Row, by modality."""

from . import audio, diffusion, text, text_pairs, vision, vision_tasks

MODALITIES = {
    "text": text.ROWS,
    "text to text": text_pairs.ROWS,
    "vision": vision.ROWS,
    "vision: detection, segmentation, text": vision_tasks.ROWS,
    "audio": audio.ROWS,
    "diffusion": diffusion.ROWS,
}
ZOO = {name: row for rows in MODALITIES.values() for name, row in rows.items()}
