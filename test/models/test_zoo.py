"""Known architectures, small: one graph, one NEFF a pass, at most twice eager's error, forward and backward.

NEURON_MODELS=full tests all of them, NEURON_MODELS=NAME,NAME these; without it a part, the same every time.
"""

import os
import random

import measure
import pytest
import torch
from models_expected import EXPECTED
from zoo import MODALITIES, ZOO

PART = 12


def _part():
    """As many of each modality as its share is, but one at least."""
    draw = random.Random(348)
    for rows in MODALITIES.values():
        yield from draw.sample(sorted(rows), max(1, round(PART * len(rows) / len(ZOO))))


WANTED = os.environ.get("NEURON_MODELS", "")
NAMES = list(ZOO) if WANTED == "full" else WANTED.split(",") if WANTED else list(_part())
PASSES = {"inference": 1, "training": 2}


@pytest.mark.parametrize(
    ("step", "dtype"),
    [("inference", "float32"), ("inference", "bfloat16"), ("training", "float32")]
    + [("training", "bfloat16")] * (WANTED == "full"),
)
@pytest.mark.parametrize("name", NAMES)
def test_architecture(name, step, dtype, request):
    if dtype not in ZOO[name].dtypes:
        pytest.skip("eager has not all of its operations in this dtype")
    if why := EXPECTED.get((name, step, dtype)):
        request.applymarker(pytest.mark.xfail(reason=why, strict=True))
    found = measure.measure(*ZOO[name].example(), getattr(torch, dtype), getattr(measure, step))
    assert found.graphs == 1
    assert found.executions == PASSES[step], "NEFFs were executed"
    assert found.ratio <= 1, f"{found.where}: {found.ratio:.2f} times the error that is allowed"
