"""Runs a NEFF with resident tensors through the public C API of libnrt.so.1, by ctypes."""

from __future__ import annotations

import ctypes

import torch

_DEVICE = 0
_Handle = ctypes.c_void_p


def library() -> ctypes.CDLL:
    """The library that torch_neuronx uses, initialized."""
    from torch_neuronx import _C

    nrt = ctypes.CDLL(_C.runtime_info()["path"])
    nrt.neuron_sim_last_error.restype = ctypes.c_char_p
    return nrt


def _check(nrt, status, what):
    if status:
        raise RuntimeError(f"{what} failed with status {status}: {nrt.neuron_sim_last_error().decode()}")


class Model:
    """A loaded NEFF whose inputs and outputs lie on the device.

    `inputs` and `outputs` give the name and the tensor of each: its size counts, and
    for inputs its content.
    """

    def __init__(self, neff: bytes, inputs: dict[str, torch.Tensor], outputs: dict[str, torch.Tensor]):
        self._nrt = library()
        self._model = _Handle()
        self._call("nrt_load", neff, ctypes.c_size_t(len(neff)), -1, -1, ctypes.byref(self._model))
        self._tensors: dict[str, _Handle] = {}
        self._inputs, self._outputs = self._set(inputs), self._set(outputs)
        for name, tensor in inputs.items():
            self._call("nrt_tensor_write", self._tensors[name], _Handle(tensor.data_ptr()),
                       ctypes.c_size_t(0), ctypes.c_size_t(tensor.nbytes))

    def execute(self) -> None:
        status = self._nrt.nrt_execute(self._model, self._inputs, self._outputs)
        if status:
            _check(self._nrt, status, "nrt_execute")

    def read(self, name: str, like: torch.Tensor) -> torch.Tensor:
        """The output of that name."""
        result = torch.empty_like(like)
        self._call("nrt_tensor_read", self._tensors[name], _Handle(result.data_ptr()),
                   ctypes.c_size_t(0), ctypes.c_size_t(result.nbytes))
        return result

    def predicted_seconds(self) -> float:
        """The simulator's prediction of the device time of one execution."""
        picoseconds = ctypes.c_uint64()
        self._call("neuron_sim_predicted_time_ps", self._model, ctypes.byref(picoseconds))
        return picoseconds.value * 1e-12

    def close(self) -> None:
        for tensors in (self._inputs, self._outputs):
            self._nrt.nrt_destroy_tensor_set(ctypes.byref(tensors))
        for tensor in self._tensors.values():
            self._nrt.nrt_tensor_free(ctypes.byref(tensor))
        self._call("nrt_unload", self._model)

    def _set(self, tensors: dict[str, torch.Tensor]) -> _Handle:
        result = _Handle()
        self._call("nrt_allocate_tensor_set", ctypes.byref(result))
        for name, tensor in tensors.items():
            handle = self._tensors[name] = _Handle()
            self._call("nrt_tensor_allocate", _DEVICE, 0, ctypes.c_size_t(tensor.nbytes),
                       name.encode(), ctypes.byref(handle))
            self._call("nrt_add_tensor_to_tensor_set", result, name.encode(), handle)
        return result

    def _call(self, function, *arguments):
        _check(self._nrt, getattr(self._nrt, function)(*arguments), function)
