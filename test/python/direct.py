"""Compiles a function without Dynamo and AOTAutograd, and compares with float64."""

import torch
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend.compile import compile_static
from torch_neuronx.neuron_dynamo_backend.decompositions import get_decomposition_table


def compiled(fn, *args, **options):
    """Its graph on these arguments, as a function of a list of tensors to a list of tensors."""
    with torch.no_grad():
        graph = torch.fx.experimental.proxy_tensor.make_fx(
            fn, decomposition_table=get_decomposition_table(), tracing_mode="fake"
        )(*args)
    return compile_static(graph, "inference", _C.Options(options))


def data(*shape, dtype=torch.float32):
    """The same random numbers every time."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(dtype)


def assert_near_float64(fn, *args, units):
    """One output: no further from float64 than twice eager, or `units` roundings of the largest element."""
    (got,) = compiled(fn, *args)(list(args))
    eager, exact = fn(*args), fn(*(arg.double() for arg in args))
    assert got.dtype == eager.dtype and got.shape == eager.shape
    unit = torch.finfo(eager.dtype).eps * exact.abs().max()
    assert (got.double() - exact).abs().max() <= 2 * (eager.double() - exact).abs().max() + units * unit
