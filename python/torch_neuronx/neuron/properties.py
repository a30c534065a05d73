"""What a device is."""

import dataclasses

import torch

from .. import _C
from ..placement import index_of


@dataclasses.dataclass(frozen=True)
class NeuronDeviceProperties:
    """`name`, and `total_memory` in bytes."""

    name: str
    total_memory: int


def get_device_name(device=0) -> str:
    """'neuron:0' for an index, the text of a torch.device; ValueError for anything else."""
    if isinstance(device, int) and not isinstance(device, bool):
        return f"neuron:{device}"
    if isinstance(device, torch.device):
        return str(device)
    raise ValueError(f"expected an index or a torch.device, got {device!r}")


def get_device_properties(device=None) -> NeuronDeviceProperties:
    """Of an index, 'neuron:1', a torch.device, or the current device."""
    index = index_of(device)
    return NeuronDeviceProperties(f"neuron:{index}", _C.memory_info(index)[1])
