"""python -m torch_neuronx.demo [DIRECTORY]: see the package's documentation."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import torch

from . import functions
from .experiment import __main__ as experiment
from .report import Checks, block, check_error, check_one_dispatch, describe_neff, heading, print_device_time
from .session import eager, run


def bf16(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.bfloat16)


def check_against_float64(check, function, arguments, result) -> None:
    exact = eager(function, tuple(argument.double() for argument in arguments))
    check_error(check, result.outputs[0], eager(function, arguments)[0], exact[0])


def step_by_step(check: Checks, directory: Path) -> None:
    """RMSNorm, with everything there is to see."""
    heading("RMSNorm, written out, on randn(4, 512) in bfloat16")
    arguments = bf16(4, 512), bf16(512)
    result = run(functions.rms_norm, arguments, directory)
    block("ATen graph, as AOTAutograd gives it to the compiler", result.text("fx_graphs"))
    block("fused: what runs without going back to HBM", result.text("fused"))
    block("NEFF", describe_neff(result))
    print("\n-- run\n")
    check_one_dispatch(check, result)
    check_against_float64(check, functions.rms_norm, arguments, result)
    print_device_time(check, result)


def in_short(check: Checks, title: str, function, arguments, directory: Path) -> None:
    heading(title)
    result = run(function, arguments, directory)
    check_one_dispatch(check, result)
    check_against_float64(check, function, arguments, result)
    print_device_time(check, result)


def digits(check: Checks, directory: Path) -> None:
    """A real table: scikit-learn's 1797 handwritten digits of 8x8 pixels."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("the demo's last part needs scikit-learn: pip install scikit-learn")
    images = torch.from_numpy(load_digits().data).float()
    heading(f"Brightest pixel and entropy of {len(images)} handwritten digits, two outputs of one kernel")
    arguments = images, torch.full((images.shape[1],), 2.0)
    result = run(functions.brightest_pixel, arguments, directory)
    check_one_dispatch(check, result)

    (pixel, entropy), (eager_pixel, eager_entropy) = result.outputs, eager(functions.brightest_pixel, arguments)
    exact = eager(functions.brightest_pixel, tuple(argument.double() for argument in arguments))
    # Pixels are integers, so two of a row are equal (and stay so, the first wins) or well apart.
    same = int((pixel == eager_pixel).sum())
    check(same == len(images), f"brightest pixel: {same} of {len(images)} as eager's")
    check_error(check, entropy, eager_entropy, exact[1], terms=images.shape[1])
    print_device_time(check, result)
    print(f"\n  the first five: pixels {pixel[:5].tolist()}, entropies {[round(x, 3) for x in entropy[:5].tolist()]}")


def main() -> int:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="neuron-demo-"))
    torch.manual_seed(0)
    check = Checks()
    step_by_step(check, directory / "rms_norm")
    in_short(check, "LayerNorm", functions.layer_norm, (bf16(4, 512), bf16(512), bf16(512)), directory / "layer_norm")
    in_short(check, "Softmax", functions.softmax, (bf16(4, 512),), directory / "softmax")
    in_short(check, "Bias and GELU", functions.bias_gelu, (bf16(4, 512), bf16(512)), directory / "bias_gelu")
    digits(check, directory / "digits")
    heading("Three profiles of RMSNorm on the device: written out, torch.rms_norm, compiled")
    runs = experiment.run_all(directory / "experiment")
    print(experiment.report(runs))
    for script in experiment.SCRIPTS[1:]:
        ratio = runs["naive", "device"][1] / runs[script, "device"][1]
        check(ratio > 4, f"{script} takes {ratio:.2f} times less of the device than six dispatches")
    print(f"\nEvery level of every graph is below {directory}")
    if check.failed:
        print(f"{check.failed} checks FAILED")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
