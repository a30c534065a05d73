"""A training step of whole networks - forward, loss, backward - in eager, Inductor and neuron.

    python benchmarks/training.py [PART OF A NAME]

Side by side in one process, on one thread unless OMP_NUM_THREADS says otherwise, in float32. A step ends with the
gradients of all parameters; no optimizer is in it. Compile seconds are the backend's own (peers.py says what that
is), forward and backward. Prints a table, and JSON as the last line.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
os.environ["NEURON_MLIR_DISABLE_CACHE"] = "1"  # of host code
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "test/models")]

import clock  # noqa: E402  after the environment is set
import networks  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from peers import inductor_backend, neuron_time  # noqa: E402

ROUNDS = 5


def _gpt2_small():
    """GPT-2 small, 2 x 256 tokens; the loss of the next token as a function of the network and its inputs."""
    import transformers

    config = transformers.GPT2Config(use_cache=False, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    network = networks.seeded(lambda: networks.Output(transformers.GPT2LMHeadModel(config), "logits"))
    tokens = networks.tokens(config.vocab_size, 2, 256)

    def loss(network, tokens):
        logits = network(tokens)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())

    return network, loss, (tokens,)


def _resnet18():
    """ResNet-18, 4 images of 224 x 224, statistics of the batch."""
    network = networks.resnet18().train()
    images, classes = networks.image(4, 3, 224, 224), torch.tensor([1, 0, 1, 1])
    return network, lambda network, images, classes: F.cross_entropy(network(images), classes), (images, classes)


STEPS = {"gpt2 small 2x256": _gpt2_small, "resnet18 4x3x224x224": _resnet18}


class Step:
    """One peer's copy of the network, and how it goes a step."""

    def __init__(self, network: torch.nn.Module, loss: Callable, inputs: tuple, compiled: Callable = lambda f: f):
        self.network, self.inputs = copy.deepcopy(network).requires_grad_(True), inputs
        self.loss = compiled(lambda *inputs: loss(self.network, *inputs))

    def __call__(self) -> None:
        self.network.zero_grad(set_to_none=True)
        self.loss(*self.inputs).backward()

    def gradients(self) -> list[torch.Tensor]:
        self()
        return [parameter.grad for parameter in self.network.parameters() if parameter.grad is not None]


def _inductor(cpu: clock.CpuTime) -> Callable:
    return lambda function: torch.compile(function, backend=inductor_backend(cpu), fullgraph=True)


def _neuron(function: Callable) -> Callable:
    return torch.compile(function, backend="neuron", fullgraph=True, options={"disable_cache": True})


def _error(found: list[torch.Tensor], exact: list[torch.Tensor]) -> float:
    """The difference's length over the exact gradients', of all parameters together."""
    difference = sum(float((one.double() - other).square().sum()) for one, other in zip(found, exact, strict=True))
    return (difference / sum(float(other.square().sum()) for other in exact)) ** 0.5


def measure(name: str) -> dict:
    given, cpu = STEPS[name](), clock.CpuTime()
    eager, inductor, neuron = Step(*given), Step(*given, _inductor(cpu)), Step(*given, _neuron)
    eager_gradients, _ = eager.gradients(), inductor()
    with neuron_time() as ours:
        gradients = neuron.gradients()
    error, allowed = _check(given, gradients, eager_gradients)
    seconds = clock.alternate({"eager": eager, "inductor": inductor, "neuron": neuron}, ROUNDS, 0.1)
    better = min(seconds["eager"], seconds["inductor"])
    return {
        "name": name,
        "milliseconds": {peer: round(value * 1e3, 1) for peer, value in seconds.items()},
        "ratio_to_the_better": round(seconds["neuron"] / better, 3),
        "backend_cpu_seconds": {"inductor": round(cpu.seconds, 3), "neuron": round(ours.seconds, 3)},
        "error": error,
        "allowed": allowed,
    }


def _check(given: tuple, gradients: list[torch.Tensor], eager_gradients: list[torch.Tensor]) -> tuple[float, float]:
    """No time is worth anything for a wrong result: at most twice eager's error against float64."""
    network, loss, inputs = given
    wide = tuple(value.double() if value.is_floating_point() else value for value in inputs)
    exact = Step(copy.deepcopy(network).double(), loss, wide).gradients()
    error, allowed = _error(gradients, exact), 2 * _error(eager_gradients, exact)
    if not error <= allowed:
        raise RuntimeError(f"wrong by {error:.2e}, allowed is {allowed:.2e}")
    return error, allowed


def main() -> None:
    names = [name for name in STEPS if not sys.argv[1:] or sys.argv[1] in name]
    print(f"{'':22}  eager ms  Inductor ms  neuron ms  ratio to the better  compile s  Inductor's s")
    rows = []
    for name in names:
        row = measure(name)
        rows.append(row)
        times, compiling = row["milliseconds"], row["backend_cpu_seconds"]
        print(
            f"{name:22}  {times['eager']:8.1f}  {times['inductor']:11.1f}  {times['neuron']:9.1f}  "
            f"{row['ratio_to_the_better']:19.2f}  {compiling['neuron']:9.2f}  {compiling['inductor']:12.2f}",
            flush=True,
        )
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
