"""Networks through the compiler: ./dev demo shows them behind the row kernels.

Of each: one graph, one NEFF, its error against float64 beside eager's, and the device
time that the simulator predicts. A trained one hears the pitch of tones.
"""

import copy
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import crepe
import torch
from accuracy import allowed_error, converted
from torch_neuronx.demo.report import Checks, heading, print_device_time
from torch_neuronx.demo.session import run

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_networks import NETWORKS

TITLES = {
    "gpt2": "GPT-2's shape: 4 layers of width 256, 2 x 48 tokens, peaked attention",
    "llama": "A Llama block: rotary embedding, grouped queries",
    "vit": "A vision transformer, 2 layers",
    "resnet18": "ResNet-18 on an image of 64 x 64",
    "lstm": "An LSTM cell over 6 steps, unrolled",
    "unet": "A UNet block: down, up, skip",
    "mlp": "LayerNorm and a GELU MLP with its residual",
}
TONES = [110.0, 220.0, 440.0, 880.0, 1760.0]


def compiled_and_checked(check, model, args, dtype, directory):
    exact, limit = allowed_error(model, args, dtype)
    network = torch.compile(copy.deepcopy(model).to(dtype), backend="neuron", fullgraph=True)
    result = run(network, tuple(converted(arg, dtype) for arg in args), directory)
    check(result.neffs_made == 1 and result.dispatches == 1,
          f"NEFFs made: {result.neffs_made}, of {result.kernels} kernels; times dispatched: {result.dispatches}")
    error = float((result.outputs[0].double() - exact).abs().max())
    check(error <= float(limit), f"largest error against float64: {error:.2e}; allowed, twice eager's own: {limit:.2e}")
    print_device_time(check, result)
    return result


def main() -> int:
    directory = Path(sys.argv[1])
    check = Checks()
    for name, title in TITLES.items():
        for dtype in (torch.float32, torch.bfloat16):
            heading(f"{title}, {str(dtype).removeprefix('torch.')}")
            torch._dynamo.reset()
            model, args = NETWORKS[name]()
            compiled_and_checked(check, model, args, dtype, directory / f"{name}_{dtype}")

    heading("CREPE tiny, trained: the pitch of generated tones")
    result = compiled_and_checked(check, crepe.load(), (crepe.tones(TONES),), torch.float32, directory / "crepe")
    heard = 10 * 2 ** (crepe.cents(result.outputs[0]) / 1200)
    off = (crepe.cents(result.outputs[0]) - crepe.cents_of(TONES)).abs()
    for tone, hears, cents in zip(TONES, heard.tolist(), off.tolist(), strict=True):
        check(cents <= 20, f"a tone of {tone:.0f} Hz: hears {hears:.1f} Hz, {cents:.1f} cents off; allowed: 20")
    print(f"\nEvery level of every graph is below {directory}")
    if check.failed:
        print(f"{check.failed} checks FAILED")
    return bool(check.failed)


if __name__ == "__main__":
    with torch.no_grad():
        sys.exit(main())
