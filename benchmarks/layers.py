"""What the backend's part of compiling costs as a network gets deeper.

    python benchmarks/layers.py

GPT-2's shape with 12 and with 48 equal layers; Dynamo's and AOTAutograd's parts are not
in it. Every compile is from nothing, in a process of its own that has loaded its libraries
with a smaller network. Prints CPU seconds (medians) and their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
os.environ["NEURON_MLIR_DISABLE_CACHE"] = "1"  # of host code
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
    with torch.no_grad(), neuron_time() as cpu:
        compiled = torch.compile(network, backend="neuron", fullgraph=True, options={"disable_cache": True})
        compiled(networks.tokens(512, 1, 64))
    return cpu.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs=2, default=[12, 48])
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        backend_seconds(1, options.width // 2)
        print(backend_seconds(options.one, options.width))
        return
    seconds = {layers: [] for layers in options.layers}
    for _ in range(options.rounds):
        for layers in options.layers:
            command = [sys.executable, __file__, "--one", str(layers), "--width", str(options.width)]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            seconds[layers].append(float(output.split()[-1]))
    few, many = (statistics.median(seconds[layers]) for layers in options.layers)
    for layers, median in zip(options.layers, (few, many), strict=True):
        print(f"{layers:3} layers: {median:.3f} CPU seconds in the backend")
    print(f"ratio: {many / few:.2f}")


if __name__ == "__main__":
    main()
