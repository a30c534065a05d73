"""torch_neuronx: the device 'neuron' and torch.compile(backend='neuron').

`import torch` finds this package by its entry point and calls _autoload, so that scripts need no import; where that is
switched off (TORCH_DEVICE_BACKEND_AUTOLOAD=0), `import torch_neuronx` does the same.
"""

_loaded = False


def _autoload():
    """Registers the device with PyTorch. Starts no runtime. Once per process."""
    # Defined before torch is imported: torch's own loader comes back to this module while that is running.
    global _loaded
    if _loaded:
        return
    _loaded = True
    from . import registration

    registration.register()


import torch  # noqa: E402, F401  (its libraries must be loaded before _C)

_autoload()

__version__ = "0.1.0"

from . import memory, metrics, neuron, streams  # noqa: E402
from ._C import is_initialized as is_neuron_runtime_initialized  # noqa: E402
from .memory import (  # noqa: E402
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)
from .metrics import get_dynamo_metrics, reset_dynamo_metrics  # noqa: E402
from .neuron import _lazy_init, current_device, device_count, get_device_properties, set_device  # noqa: E402
from .placement import device  # noqa: E402
from .streams import (  # noqa: E402
    Event,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    set_stream,
    stream,
    synchronize,
)
from .tracking import clear_op_tracking, get_executed_ops, get_fallback_ops  # noqa: E402

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "__version__",
    "_autoload",
    "_lazy_init",
    "clear_op_tracking",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "get_device_properties",
    "get_dynamo_metrics",
    "get_executed_ops",
    "get_fallback_ops",
    "is_neuron_runtime_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "metrics",
    "neuron",
    "reset_accumulated_memory_stats",
    "reset_dynamo_metrics",
    "reset_peak_memory_stats",
    "set_device",
    "set_stream",
    "stream",
    "streams",
    "synchronize",
]
