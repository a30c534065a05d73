"""Variables of TorchNeuron that do nothing here are said to."""

import os
import subprocess
import sys

import pytest

COMPILES = """
import torch
torch.compile(lambda x: x + 1, backend="neuron")(torch.ones(2))
"""
STARTS = """
import torch
torch.ones(2, device="neuron")
torch.neuron.init()
torch.neuron.init()
"""


def warnings_of(program, **variables):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, **variables}
    )
    return [line for line in done.stderr.splitlines() if "has no effect" in line]


@pytest.mark.parametrize("program", [COMPILES, STARTS])
def test_what_is_ignored_is_said_once(program):
    (line,) = warnings_of(program, NEURON_CC_FLAGS="-O3", TORCH_NEURONX_ENABLE_CONCATENATION="0")
    assert "NEURON_CC_FLAGS=-O3 has no effect: there is no neuronx-cc" in line


def test_nothing_is_said_of_what_is_not_set():
    assert warnings_of(COMPILES, NEURON_CC_FLAGS="") == []
