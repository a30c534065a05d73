"""What is measured: functions as users write them, on shapes small to large."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
import torch.nn.functional as F


def rms_norm(x, weight):
    """The formula of the profiling experiment, written out."""
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


def layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


def softmax(x):
    return torch.softmax(x, -1)


def bias_gelu(x, bias):
    return F.gelu(x + bias)


@dataclasses.dataclass(frozen=True)
class Workload:
    """One row of the table."""

    function: Callable
    shape: tuple[int, int]
    dtype: torch.dtype
    vectors: int  #: how many vectors of a row's length the function takes

    @property
    def name(self) -> str:
        rows, columns = self.shape
        return f"{self.function.__name__} {rows}x{columns} {str(self.dtype).removeprefix('torch.')}"

    def arguments(self) -> tuple[torch.Tensor, ...]:
        """The same random numbers every time."""
        generator = torch.Generator().manual_seed(0)
        shapes = [self.shape] + [(self.shape[1],)] * self.vectors
        return tuple(torch.randn(shape, generator=generator).to(self.dtype) for shape in shapes)


_SHAPES = [(4, 512), (4096, 2048), (4096, 8192)]
_DTYPES = [torch.bfloat16, torch.float32]

ALL = [
    Workload(function, shape, dtype, vectors)
    for function, vectors, shapes in [
        (rms_norm, 1, _SHAPES),
        (layer_norm, 2, _SHAPES),
        (softmax, 0, _SHAPES),
        (bias_gelu, 1, [(4096, 3072)]),
    ]
    for shape in shapes
    for dtype in _DTYPES
]
