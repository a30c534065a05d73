"""Programs that compile one graph again."""

import torch

_TEMPLATE = '''"""Compiles one graph for the neuron device; written by torch_neuronx when that failed."""
import torch
import torch.fx as fx
from math import inf, nan
from torch import device
from torch.nn import *


{module}

inputs = [
{inputs}
]
from torch_neuronx.neuron_dynamo_backend.repro import run
run(Repro(), inputs, options={options!r})
'''


def _input(value):
    if isinstance(value, torch.Tensor):
        shape, strides = tuple(map(int, value.shape)), tuple(map(int, value.stride()))
        return f"torch.empty_strided({shape}, {strides}, dtype={value.dtype}, device='{value.device}').zero_()"
    return repr(int(value)) if isinstance(value, (int, torch.SymInt)) else repr(None)


def program(gm, options):
    """The text of a program that compiles `gm`."""
    from torch._dynamo.debug_utils import NNModuleToString

    inputs = [_input(node.meta.get("val")) for node in gm.graph.nodes if node.op == "placeholder"]
    return _TEMPLATE.format(
        module=NNModuleToString.convert(gm),
        inputs="\n".join(f"    {text}," for text in inputs),
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
