"""The tests of whole networks; caches and limits are those of test/python."""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import process_limits  # noqa: E402, F401  before torch: bounds memory and threads
import pytest  # noqa: E402
import torch  # noqa: E402

process_limits.single_thread()


@pytest.fixture(autouse=True)
def own_directories(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_NEURONX_NEFF_CACHE_DIR", str(tmp_path / "neff_cache"))
    monkeypatch.setenv("TORCH_NEURONX_DEBUG_DIR", str(tmp_path / "debug"))
    torch._dynamo.reset()
    with torch.compiler.config.patch(cache_key_tag=str(tmp_path)):
        yield
