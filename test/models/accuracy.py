"""How near a compiled network is to float64, beside eager."""

import copy

import torch

# Eager may happen to be exact where a tensor is small; one unit in the last place of
# the largest element is always allowed.
LAST_PLACE = {torch.float32: 2.0**-23, torch.bfloat16: 2.0**-8}


def converted(value, dtype):
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.to(dtype) if floating else value


def outputs(model, args, dtype):
    model = copy.deepcopy(model).to(dtype)
    return model(*(converted(arg, dtype) for arg in args))


def allowed_error(model, args, dtype):
    """(exact output, largest error that passes)."""
    exact = outputs(model, args, torch.float64)
    eager = outputs(model, args, dtype).double()
    return exact, 2 * (eager - exact).abs().max() + LAST_PLACE[dtype] * exact.abs().max()


def error(got, exact):
    assert got.shape == exact.shape
    return (got.double() - exact).abs().max()


def compiled(model, args, dtype):
    """The output, and how many NEFFs were made and executed for it."""
    from torch_neuronx import metrics

    def count(name):
        return metrics.get_counter_value(name) or 0

    torch._dynamo.reset()
    model = copy.deepcopy(model).to(dtype)
    before = count("Executor.NeffExecutions")
    got = torch.compile(model, backend="neuron", fullgraph=True)(*(converted(arg, dtype) for arg in args))
    return got, count("Executor.NeffExecutions") - before


def check(model, args, dtype):
    exact, limit = allowed_error(model, args, dtype)
    got, executions = compiled(model, args, dtype)
    assert got.dtype == outputs(model, args, dtype).dtype  # some keep a residual in float32
    assert executions == 1, f"{executions} NEFFs were executed"
    found = error(got, exact)
    assert found <= limit, f"error {found:.3g}, allowed {limit:.3g}"
