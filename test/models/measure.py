"""One network forward, or forward and backward: its results on the device and in eager, both against float64.

Weights and inputs are rounded to the dtype first, so that float64 computes with the same numbers. A training step is
done in the mode of evaluation, so that nothing is drawn, but batch norms take the batch's statistics.
"""

from __future__ import annotations

import copy
import dataclasses
import statistics
import time

import torch
from accuracy import LAST_PLACE, converted


@dataclasses.dataclass
class Found:
    """What compare() says, and what it took."""

    graphs: int  # of Dynamo
    executions: int  # of NEFFs
    seconds: float  # of CPU: tracing, compiling, executing once
    ratio: float
    error: float
    eager: float
    where: str  # the result that is nearest to its bound, or beyond it


def in_dtype(model, arguments, dtype, wide=False):
    """The network and its arguments rounded to `dtype`; `wide`: as float64 of the same values."""
    model = copy.deepcopy(model).to(dtype)
    arguments = {name: converted(value, dtype) for name, value in arguments.items()}
    if wide:
        model = model.double()
        arguments = {name: converted(value, torch.float64) for name, value in arguments.items()}
        one_expert_after_another(model)
    return model, arguments


def one_expert_after_another(model):
    """The grouped products of `transformers`' experts do not know float64."""
    for module in model.modules():
        config = getattr(module, "config", None)
        if hasattr(config, "_experts_implementation"):
            config._experts_implementation = "eager"


def inference(model, call, arguments):
    with torch.no_grad():
        return {str(index): result for index, result in enumerate(call(**arguments))}


def training(model, call, arguments):
    """The gradients of the parameters, for given random gradients of the results."""
    model.requires_grad_(True)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.train()
    results = [result for result in call(**arguments) if result.requires_grad]
    generator = torch.Generator().manual_seed(2)
    # bfloat16, so that every dtype is given the same.
    given = [torch.randn(result.shape, generator=generator).bfloat16().to(result.dtype) for result in results]
    torch.autograd.backward(results, given)
    return {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


def compiled(model, arguments, dtype, step, backend="neuron"):
    """(results, graphs, executions, seconds)"""
    from torch_neuronx import metrics

    def executions():
        return metrics.get_counter_value("Executor.NeffExecutions") or 0

    model, arguments = in_dtype(model, arguments, dtype)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    before, begun = executions(), time.process_time()
    got = step(model, torch.compile(model, backend=backend, fullgraph=True, dynamic=False), arguments)
    seconds = time.process_time() - begun
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    return got, graphs, executions() - before, seconds


def measure(model, arguments, dtype, step) -> Found:
    wide, wide_arguments = in_dtype(model, arguments, dtype, wide=True)
    exact = step(wide, wide, wide_arguments)
    narrow, narrow_arguments = in_dtype(model, arguments, dtype)
    eager = step(narrow, narrow, narrow_arguments)
    got, graphs, executions, seconds = compiled(model, arguments, dtype, step)
    return Found(graphs, executions, seconds, *compare(got, eager, exact, dtype, step is training))


def compare(got, eager, exact, dtype, gradients=False):
    """(largest error over what is allowed, largest error, eager's, the result with the first).

    Of results, errors are the largest of an element's, and allowed is twice eager's and one unit in the last place of
    the largest element, as in accuracy.py. The two errors are over the largest element of all results.

    Gradients are a hundred tensors, some of few elements, in one of which eager may happen to be exact, and others are
    zero but for roundings (of a bias of keys). So errors are root mean squares, their measure is the largest gradient of
    the same module, and eager's error counts as its median in all gradients at least.
    """
    assert got.keys() == eager.keys() == exact.keys()
    for name, x in exact.items():
        assert got[name].dtype == eager[name].dtype and got[name].shape == eager[name].shape == x.shape, name
        assert eager[name].isfinite().all() and x.isfinite().all(), f"{name} is not finite in eager"
    scales, errors, owns = {}, {}, {}
    for name in [name for name, x in exact.items() if x.numel()]:
        x = exact[name].flatten()
        parts = (x, got[name].double().flatten() - x, eager[name].double().flatten() - x)
        scales[name], errors[name], owns[name] = (_size(t, gradients) for t in parts)
    if not scales:
        return 0.0, 0.0, 0.0, ""
    largest = max(scales.values()) or 1.0
    usual = 0.0
    if gradients:
        scales = {name: max(scales[other] for other in scales if _module(other) == _module(name)) for name in scales}
        usual = statistics.median(owns[name] / scales[name] if scales[name] else 0.0 for name in scales)

    def ratio(name):
        allowed = 2 * max(owns[name], usual * scales[name]) + LAST_PLACE[dtype] * scales[name]
        found = errors[name] / allowed if allowed else float(errors[name] != 0)
        return found if found == found else float("inf")

    where = max(scales, key=ratio)
    return ratio(where), max(errors.values()) / largest, max(owns.values()) / largest, where


def _size(elements, mean):
    return float(elements.square().mean().sqrt() if mean else elements.abs().max())


def _module(name):
    return name.rpartition(".")[0]
