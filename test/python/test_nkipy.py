"""nkipy's runtime bindings (github.com/aws-neuron/nkipy, folder spike) over our library.

They are a client of the NRT API that we did not write: built from their sources against our
headers, linked to our libnrt.so. NKIPY_SOURCE is a checkout; without it, and without what the
build needs (nanobind, ml_dtypes), these tests are skipped. On the branch feat/spike-async the
bindings schedule their requests (nrta_*), and have tests for that.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NEURON_MLIR_BUILD", ROOT / "build"))
SOURCE = os.environ.get("NKIPY_SOURCE", "")

pytestmark = [
    pytest.mark.skipif(not SOURCE, reason="NKIPY_SOURCE names no checkout of nkipy"),
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("nanobind", "ml_dtypes")),
        reason="nkipy's bindings need nanobind and ml_dtypes",
    ),
]

CLIENT = """
import json, os, sys
import numpy as np
from spike import SpikeModel, SpikeTensor

model = SpikeModel.load_from_neff(sys.argv[1])
x = np.random.default_rng(0).standard_normal((256, 64)).astype(np.float32)
inputs = {"a": SpikeTensor.from_numpy(x, "a"), "b": SpikeTensor.from_numpy(x + 1, "b")}
outputs = model(inputs, save_trace=True, ntff_name=sys.argv[2])
assert list(outputs) == ["out"]
assert np.array_equal(outputs["out"].numpy(), x + (x + 1))
device = model.benchmark(inputs, outputs, warmup_iter=1, benchmark_iter=3, mode="device")
host = model.benchmark(inputs, outputs, warmup_iter=1, benchmark_iter=3, mode="host")
info = {name: [tensor.dtype, list(tensor.shape)] for name, tensor in model.input_tensors_info.items()}
print(json.dumps({"durations": device.durations_ms, "host": host.mean_ms, "inputs": info}))
"""

# What their asynchronous tests run, from neuronx-cc; ours takes its place.
PRODUCT = """
func.func @main(%x: tensor<128x256xf16> {neuron.name = "x"}, %y: tensor<256x128xf16> {neuron.name = "y"})
    -> (tensor<128x128xf16> {neuron.name = "output0"}) {
  %0 = neuron.matmul %x, %y batch 0 contract 1 : tensor<128x256xf16>, tensor<256x128xf16> -> tensor<128x128xf16>
  return %0 : tensor<128x128xf16>
}
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Builds the bindings as their CMakeLists.txt says, and finds them for Python."""
    folder = tmp_path_factory.mktemp("nkipy")
    # The build writes into its sources.
    sources = shutil.copytree(pathlib.Path(SOURCE) / "spike", folder / "spike")
    neuron = folder / "neuron"
    neuron.mkdir()
    (neuron / "lib").symlink_to(BUILD / "lib")
    (neuron / "include").symlink_to(ROOT / "runtime" / "include")
    for command in (
        ["cmake", "-G", "Ninja", "-S", sources, "-B", folder / "build", f"-DPython_EXECUTABLE={sys.executable}"]
        + [f"-DNEURON_ROOT={neuron}"],
        ["ninja", "-C", folder / "build", "_spike"],
    ):
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
    (module,) = (folder / "build").glob("_spike*.so")
    shutil.copy(module, sources / "src" / "spike")
    path = os.pathsep.join([str(sources / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "NEURON_MLIR_SIMULATOR": "interpreter", "SPIKE": str(sources)}


def run(environment, *arguments):
    result = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False, env=environment
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_runs_our_neff(environment, tmp_path):
    neff, ntff = tmp_path / "add.neff", tmp_path / "add.ntff"
    subprocess.run([BUILD / "bin" / "make-sample", "add", neff], check=True)
    told = json.loads(run(environment, "-c", CLIENT, neff, ntff))
    assert told["inputs"] == {"a": ["float32", [256, 64]], "b": ["float32", [256, 64]]}
    assert ntff.read_bytes().startswith(b"\x0a\x1aneuron-mlir device profile")
    # The device's own time: that of the prediction, each time the same.
    text = subprocess.run(
        [BUILD / "bin" / "neuron-run", neff, "--predict"], capture_output=True, text=True, check=True
    ).stdout
    predicted = float(text.split(" us")[0].split()[-1])
    assert len(told["durations"]) == 3
    for duration in told["durations"]:
        assert duration * 1000 == pytest.approx(predicted, abs=1e-3)
    assert told["host"] > 0


def test_its_own_tests_pass(environment, tmp_path):
    tests = pathlib.Path(environment["SPIKE"]) / "tests"
    product = tests / "artifacts" / "matmul_small.neff"
    if product.exists():
        (tmp_path / "product.mlir").write_text(PRODUCT)
        subprocess.run([BUILD / "bin" / "neuron-compile", tmp_path / "product.mlir", "-o", product], check=True)
    text = run(environment, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests)
    assert " passed" in text
    assert "skipped" not in text
