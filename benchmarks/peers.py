"""A workload in its three forms: eager, Inductor, neuron."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import torch
from clock import CpuTime
from nrt import Model
from workloads import Workload


@dataclasses.dataclass
class Compiled:
    """A compiled function and what the backend's own part of compiling took.

    Dynamo's and AOTAutograd's parts, which both backends share, are not in it. Ours
    ends with host code ready to run.
    """

    call: Callable
    cpu_seconds: float
    outputs: torch.Tensor


def inductor_backend(cpu: CpuTime) -> Callable:
    """Inductor as a backend of torch.compile, its own part timed by `cpu`."""
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    def backend(gm, inputs):
        return compile_fx(gm, inputs, inner_compile=cpu.around(compile_fx_inner))

    return backend


def inductor(workload: Workload) -> Compiled:
    cpu = CpuTime()
    call = torch.compile(workload.callable(), backend=inductor_backend(cpu), fullgraph=True)
    return Compiled(call, outputs=call(*workload.arguments()), cpu_seconds=cpu.seconds)


@contextlib.contextmanager
def neuron_time():
    """The CPU time of neuron's part of what is compiled inside."""
    from torch_neuronx.neuron_dynamo_backend import compile as backend

    cpu = CpuTime()
    with mock.patch.object(backend, "compile_static", cpu.around(backend.compile_static)):
        yield cpu


def neuron(workload: Workload) -> tuple[Compiled, Model]:
    """Compiled from nothing, and its NEFF loaded once more with resident tensors."""
    from torch_neuronx import neff
    from torch_neuronx.neuron_dynamo_backend.artifact import NeuronOutputCode

    graph_inputs: list[torch.Tensor] = []
    execute = NeuronOutputCode.__call__

    def recorded(code, inputs):
        graph_inputs[:] = inputs
        return execute(code, inputs)

    arguments = workload.arguments()
    with tempfile.TemporaryDirectory() as cache:
        call = torch.compile(workload.callable(), backend="neuron", fullgraph=True, options={"cache_dir": cache})
        with neuron_time() as cpu, mock.patch.object(NeuronOutputCode, "__call__", recorded):
            outputs = call(*arguments)
        (path,) = Path(cache).rglob("*.neff")
        file, content = neff.read(path), path.read_bytes()

    inputs = (value for value in graph_inputs if isinstance(value, torch.Tensor))
    model = Model(
        content,
        inputs=dict(zip((tensor.name for tensor in file.inputs), inputs, strict=True)),
        outputs={file.outputs[0].name: outputs},
    )
    model.execute()
    if not torch.equal(model.read(file.outputs[0].name, like=outputs), outputs):
        raise RuntimeError(f"{workload.name}: nrt_execute and the compiled function disagree")
    return Compiled(call, cpu.seconds, outputs), model


def check(workload: Workload, outputs: torch.Tensor) -> None:
    """No time is worth anything for a wrong result: compares with float64."""
    exact = workload.callable(torch.float64)(*workload.arguments(torch.float64))
    largest = float(exact.abs().max())
    error = float((outputs.double() - exact).abs().max())
    eager_error = float((workload.callable()(*workload.arguments()).double() - exact).abs().max())
    units = 0.5 * torch.finfo(outputs.dtype).eps + torch.finfo(torch.float32).eps
    allowed = max(2 * eager_error, units * largest)
    if not error <= allowed:
        raise RuntimeError(f"{workload.name}: wrong by {error:.2e}, allowed is {allowed:.2e}")


def bytes_copied(call: Callable, arguments: tuple[torch.Tensor, ...]) -> int:
    """By one call, in and back."""
    from torch_neuronx import metrics

    metrics.clear_all()
    call(*arguments)
    if metrics.get_counter_value("Executor.NeffExecutions") != 1:
        raise RuntimeError("a call of the compiled function did not execute one NEFF")
    return sum(metrics.get_counter_value(f"Executor.BytesCopied{way}") for way in ("In", "Back"))
