"""torch.neuron: the device 'neuron', one logical NeuronCore each."""

import torch

from .. import _C, memory, random, streams
from ..environment import warn_of_ignored
from ..memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)
from ..metrics import get_dynamo_metrics, reset_dynamo_metrics
from ..placement import device, index_of
from ..random import _get_generator as _get_generator
from ..random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from ..streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    query,
    record_event,
    set_stream,
    stream,
    synchronize,
    wait_event,
    wait_stream,
)
from .properties import get_device_name, get_device_properties

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "get_amp_supported_dtype",
    "get_device_name",
    "get_device_properties",
    "get_dynamo_metrics",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "query",
    "random",
    "record_event",
    "reset_accumulated_memory_stats",
    "reset_dynamo_metrics",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "streams",
    "synchronize",
    "wait_event",
    "wait_stream",
]


def init():
    """Starts the runtime; the first tensor of the device does it otherwise. Raises RuntimeError if it cannot."""
    warn_of_ignored()
    _C.init_device()


_lazy_init = init


def is_initialized() -> bool:
    """Whether the runtime is started."""
    return _C.is_initialized()


def _is_in_bad_fork() -> bool:
    return _C.is_in_bad_fork()


def is_available() -> bool:
    """Whether there is a device. Never raises."""
    return device_count() > 0


def device_count() -> int:
    """Logical NeuronCores of this process."""
    return _C.device_count()


def current_device() -> int:
    """The index of the current device."""
    return _C.current_device()


def set_device(device):
    """Makes a device (an index, or a torch.device) the current one. Raises ValueError if there is none such."""
    _C.set_device(index_of(device))


def get_amp_supported_dtype() -> list:
    """What torch.autocast('neuron') can compute in."""
    return [torch.float32, torch.float16, torch.bfloat16]


def is_bf16_supported() -> bool:
    """True: every NeuronCore has bfloat16."""
    return True


def _sleep(cycles):
    """Does nothing, as in TorchNeuron."""


def __getattr__(name):
    if name == "default_generators":
        return tuple(random._generators())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
