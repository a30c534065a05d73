"""What the backend's part of compiling costs as a network gets deeper.

    python benchmarks/layers.py

GPT-2's shape with 12 and with 48 equal layers; Dynamo's and AOTAutograd's parts are not
in it. Every compile is from nothing. Prints CPU seconds (medians) and their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import torch  # noqa: E402  after the environment is set
from peers import neuron_time  # noqa: E402


def backend_seconds(layers: int, width: int) -> float:
    """CPU seconds of one compile of a network with so many layers."""
    import networks  # by the path that workloads.py sets
    import transformers

    config = transformers.GPT2Config(
        n_layer=layers, n_embd=width, n_head=width // 64, vocab_size=512, n_positions=128, use_cache=False
    )
    network = networks.seeded(lambda: networks.Output(transformers.GPT2LMHeadModel(config), "logits"))
    torch.compiler.reset()
    with tempfile.TemporaryDirectory() as cache, torch.no_grad(), neuron_time() as cpu:
        os.environ["NEURON_MLIR_CACHE_DIR"] = cache
        compiled = torch.compile(network, backend="neuron", fullgraph=True, options={"disable_cache": True})
        compiled(networks.tokens(512, 1, 64))
    return cpu.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs=2, default=[12, 48])
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    backend_seconds(1, options.width)  # loads libraries
    seconds = {layers: [] for layers in options.layers}
    for _ in range(options.rounds):
        for layers in options.layers:
            seconds[layers].append(backend_seconds(layers, options.width))
    few, many = (statistics.median(seconds[layers]) for layers in options.layers)
    for layers, median in zip(options.layers, (few, many), strict=True):
        print(f"{layers:3} layers: {median:.3f} CPU seconds in the backend")
    print(f"ratio: {many / few:.2f}")


if __name__ == "__main__":
    main()
