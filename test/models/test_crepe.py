"""A trained network does its work: CREPE hears the pitch of tones."""

import crepe
import torch
from accuracy import check, compiled

FREQUENCIES = [110.0, 220.0, 330.0, 440.0, 587.33, 880.0, 1318.51, 1760.0]


def test_pitch_within_20_cents():
    with torch.no_grad():
        got, executions = compiled(crepe.load(), (crepe.tones(FREQUENCIES),), torch.float32)
    assert executions == 1
    assert (crepe.cents(got) - crepe.cents_of(FREQUENCIES)).abs().max() <= 20


def test_agrees_with_float64():
    with torch.no_grad():
        check(crepe.load(), (crepe.tones(FREQUENCIES[:2]),), torch.float32)
