"""Shared by the tests of the Python side: a cache and a debug directory of their own."""

import process_limits  # noqa: F401  before torch: bounds memory and threads
import pytest
import torch
from opinfo_summary import pytest_terminal_summary  # noqa: F401  a hook

process_limits.single_thread()


@pytest.fixture(autouse=True)
def own_directories(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_NEURONX_NEFF_CACHE_DIR", str(tmp_path / "neff_cache"))
    monkeypatch.setenv("TORCH_NEURONX_DEBUG_DIR", str(tmp_path / "debug"))
    # The interpreter checks what hardware would not tell.
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", "interpreter")
    torch._dynamo.reset()
    with torch.compiler.config.patch(cache_key_tag=str(tmp_path)):
        yield
