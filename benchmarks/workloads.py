"""What is measured: functions as users write them, on shapes small to large, and networks."""

from __future__ import annotations

import copy
import dataclasses
import functools
import sys
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.append(str(Path(__file__).resolve().parent.parent / "test/models"))


def rms_norm(x, weight):
    """The formula of the profiling experiment, written out."""
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


def layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


def softmax(x):
    return torch.softmax(x, -1)


def bias_gelu(x, bias):
    return F.gelu(x + bias)


def matmul(x, y):
    return x @ y


def gelu_mlp(x, up, down):
    """The two products of a transformer's MLP, weights as nn.Linear keeps them."""
    return F.linear(F.gelu(F.linear(x, up)), down)


def attention(query, key, value):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def column_sum(x):
    """What the gradient of a bias is."""
    return x.sum(0)


@dataclasses.dataclass(frozen=True)
class Workload:
    """One row of the table: a function of tensors, or a network that `make_network` makes."""

    label: str
    dtype: torch.dtype
    make_arguments: Callable[[], tuple[torch.Tensor, ...]]
    function: Callable | None = None
    make_network: Callable[[], torch.nn.Module] | None = None

    @property
    def name(self) -> str:
        return f"{self.label} {str(self.dtype).removeprefix('torch.')}"

    def arguments(self, dtype: torch.dtype | None = None) -> tuple[torch.Tensor, ...]:
        """The same random numbers every time; floating ones in the row's type, then in `dtype`."""
        return tuple(_cast(_cast(tensor, self.dtype), dtype) for tensor in self.make_arguments())

    def callable(self, dtype: torch.dtype | None = None) -> Callable:
        """What is compiled; a network's parameters are rounded as `arguments` rounds."""
        if self.function:
            return self.function
        network = copy.deepcopy(_network(self.make_network)).to(self.dtype)
        return network.to(dtype) if dtype else network


@functools.cache
def _network(make: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    return make()


def _cast(tensor: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    return tensor.to(dtype) if dtype and tensor.is_floating_point() else tensor


def _random(*shapes: tuple[int, ...], scale: float = 1.0) -> Callable[[], tuple[torch.Tensor, ...]]:
    def make():
        generator = torch.Generator().manual_seed(0)
        return tuple(torch.randn(shape, generator=generator) * scale for shape in shapes)

    return make


def _label(function: Callable, shape: tuple[int, ...]) -> str:
    return f"{function.__name__} {'x'.join(map(str, shape))}"


def _network_row(label: str, make_arguments: Callable, make_network: Callable) -> Workload:
    """A network of full size, in float32 alone: of bfloat16, eager's products take minutes on
    CPUs that have no instructions for them."""
    return Workload(label, torch.float32, make_arguments, make_network=make_network)


def _both(label: str, make_arguments: Callable, **how) -> list[Workload]:
    return [Workload(label, dtype, make_arguments, **how) for dtype in (torch.bfloat16, torch.float32)]


def _rows(function: Callable, vectors: int, shape: tuple[int, int]) -> list[Workload]:
    """A function of a matrix and `vectors` vectors of a row's length."""
    shapes = [shape] + [(shape[1],)] * vectors
    return _both(_label(function, shape), _random(*shapes), function=function)


def _product(*shape: int) -> list[Workload]:
    m, k, n = shape
    return _both(_label(matmul, shape), _random((m, k), (k, n)), function=matmul)


def _attention(*shape: int) -> list[Workload]:
    return _both(_label(attention, shape), _random(*[shape] * 3), function=attention)


def _mlp(rows: int, width: int) -> list[Workload]:
    shapes = [(rows, width), (4 * width, width), (width, 4 * width)]
    return _both(_label(gelu_mlp, (rows, width, 4 * width)), _random(*shapes, scale=0.3), function=gelu_mlp)


def _gpt2():
    import networks

    return networks.gpt2()


def _tokens():
    import networks

    return (networks.tokens(512, 2, 64),)


def _resnet18():
    import networks

    return networks.resnet18()


def _gpt2_small():
    """GPT-2 small; the logits of every token."""
    import networks
    import transformers

    config = transformers.GPT2Config(use_cache=False)
    return networks.seeded(lambda: networks.Output(transformers.GPT2LMHeadModel(config), "logits"))


def _bert_base():
    import networks
    import transformers

    def make():
        model = transformers.BertModel(transformers.BertConfig(), add_pooling_layer=False)
        return networks.Output(model, "last_hidden_state")

    return networks.seeded(make)


def _resnet50():
    import networks
    import transformers

    config = transformers.ResNetConfig()
    return networks.seeded(lambda: networks.Output(transformers.ResNetForImageClassification(config), "logits"))


def _sentence(vocabulary: int) -> Callable[[], tuple[torch.Tensor, ...]]:
    """One of 512 tokens."""

    def make():
        import networks

        return (networks.tokens(vocabulary, 1, 512),)

    return make


def _crepe():
    import crepe

    return crepe.load()


def _tones():
    import crepe

    return (crepe.tones([110.0, 220.0, 440.0, 880.0]),)


_SHAPES = [(4, 512), (4096, 2048), (4096, 8192)]

ALL = [
    *(row for shape in _SHAPES for row in _rows(rms_norm, 1, shape)),
    *(row for shape in _SHAPES for row in _rows(layer_norm, 2, shape)),
    *(row for shape in _SHAPES for row in _rows(softmax, 0, shape)),
    *_rows(bias_gelu, 1, (4096, 3072)),
    *_rows(column_sum, 0, (4096, 2048)),
    *_product(1024, 1024, 1024),
    *_product(4096, 768, 3072),
    *_mlp(512, 768),
    *_attention(2, 8, 512, 64),
    *_attention(1, 12, 2048, 64),
    *_both("gpt2 4 layers 2x64", _tokens, make_network=_gpt2),
    *_both("resnet18 1x3x224x224", _random((1, 3, 224, 224)), make_network=_resnet18),
    *_both("crepe tiny 4x1024", _tones, make_network=_crepe),
    _network_row("gpt2 small 1x512", _sentence(50257), _gpt2_small),
    _network_row("bert base 1x512", _sentence(30522), _bert_base),
    _network_row("resnet50 1x3x224x224", _random((1, 3, 224, 224)), _resnet50),
]
