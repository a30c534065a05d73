"""Programs that compile one graph again."""

import torch

_TEMPLATE = '''"""Compiles one graph for the neuron device and runs it; written by torch_neuronx.

To compare each of its operations with eager: python -m torch_neuronx.debug FILE
"""
import torch
import torch.fx as fx
from math import inf, nan
from torch import device
from torch.nn import *
from torch_neuronx.neuron_dynamo_backend.repro import run, sample


{module}

inputs = [
{inputs}
]
places = [  # of its operations
{places}
]
if __name__ == "__main__":
    run(Repro(), inputs, options={options!r})
'''


def sample(shape, strides, dtype, device, seed):
    """An input: random where it is of floats; of other dtypes zeros, which are in range as indices."""
    tensor = torch.empty_strided(shape, strides, dtype=dtype, device=device).zero_()
    if not dtype.is_floating_point:
        return tensor
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return tensor.copy_(values)


def _input(value, number):
    if isinstance(value, torch.Tensor):
        shape, strides = tuple(map(int, value.shape)), tuple(map(int, value.stride()))
        return f"sample({shape}, {strides}, {value.dtype}, '{value.device}', {number})"
    return repr(int(value)) if isinstance(value, (int, torch.SymInt)) else repr(None)


def _place(node):
    from .diagnostics import user_frame

    frame = user_frame(node)
    return repr('File "{}", line {}, in {}'.format(*frame) if frame else "")


def program(gm, options):
    """The text of a program that compiles `gm`."""
    from torch._dynamo.debug_utils import NNModuleToString

    values = [node.meta.get("val") for node in gm.graph.nodes if node.op == "placeholder"]
    inputs = [_input(value, number) for number, value in enumerate(values)]
    places = [_place(node) for node in gm.graph.nodes if node.op == "call_function"]
    return _TEMPLATE.format(
        module=NNModuleToString.convert(gm),
        inputs="\n".join(f"    {text}," for text in inputs),
        places="\n".join(f"    {text}," for text in places),
        options={key: value for key, value in options.as_dict().items() if key in ("rounding", "target")},
    )


def run(module, inputs, options):
    """Compiles `module` for `inputs` and runs it once."""
    from torch.fx.experimental.proxy_tensor import make_fx

    from .. import _C
    from .compile import compile_static

    gm = make_fx(module, tracing_mode="fake")(*inputs)
    compiled = compile_static(gm, "inference", _C.Options(options))
    outputs = compiled(list(inputs))
    print(f"compiled and ran: {len(outputs)} outputs")
    return outputs
