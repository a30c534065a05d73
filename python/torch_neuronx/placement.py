"""Which device is meant."""

import torch

from . import _C


def index_of(device=None) -> int:
    """The index of a device given as None (the current one), an int, 'neuron', 'neuron:1' or a torch.device.

    Raises ValueError for another type of device, or an index that there is not."""
    if device is None:
        return _C.current_device()
    if isinstance(device, bool) or not isinstance(device, int | str | torch.device):
        raise ValueError(f"expected a neuron device, got {device!r}")
    if isinstance(device, int):
        index = device
    else:
        device = torch.device(device)
        if device.type != "neuron":
            raise ValueError(f"expected a neuron device, got {device}")
        index = _C.current_device() if device.index is None else device.index
    if not 0 <= index < _C.device_count():
        raise ValueError(f"Invalid device id: {index}; this process has {_C.device_count()} neuron device(s)")
    return index


class device:  # noqa: N801  (as torch.cuda.device)
    """Context manager that makes a device the current one."""

    def __init__(self, device):
        self.index = index_of(device)
        self.before = None

    def __enter__(self):
        self.before = _C.current_device()
        _C.set_device(self.index)
        return self

    def __exit__(self, *exception):
        _C.set_device(self.before)
