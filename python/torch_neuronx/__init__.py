"""torch_neuronx: the device 'neuron' and torch.compile(backend='neuron').

`import torch` finds this package by its entry point and calls _autoload, so that scripts need no import; where that is
switched off (TORCH_DEVICE_BACKEND_AUTOLOAD=0), `import torch_neuronx` does the same.
"""

import importlib
import warnings

__version__ = "0.1.0"

_loaded = False


def _autoload():
    """Registers the device with PyTorch. Starts no runtime. Once per process.

    A package that is broken must not take `import torch` with it: that it cannot be loaded is a warning here, and the
    reason is raised by whatever is used of it."""
    # Defined before torch is imported: torch's own loader comes back to this module while that is running.
    global _loaded
    if _loaded:
        return
    _loaded = True
    try:
        from . import registration

        registration.register()
    except Exception as error:
        warnings.warn(f"the device 'neuron' is not available: {type(error).__name__}: {error}", stacklevel=2)


import torch  # noqa: E402, F401  (its libraries must be loaded before _C)

_autoload()

# Where the public names are; they are looked up when they are first used.
_NAMES = {
    "placement": ["device"],
    "memory": [
        "empty_cache",
        "max_memory_allocated",
        "max_memory_reserved",
        "memory_allocated",
        "memory_reserved",
        "memory_stats",
        "memory_summary",
        "reset_accumulated_memory_stats",
        "reset_peak_memory_stats",
    ],
    "metrics": ["get_dynamo_metrics", "reset_dynamo_metrics"],
    "neuron": ["_lazy_init", "current_device", "device_count", "get_device_properties", "set_device"],
    "nki_hop": ["nki_op", "wrap_nki"],
    "profiling": ["NeuronProfiler"],
    "streams": [
        "Event",
        "Stream",
        "StreamContext",
        "current_stream",
        "default_stream",
        "set_stream",
        "stream",
        "synchronize",
    ],
    "tracking": ["clear_op_tracking", "get_executed_ops", "get_fallback_ops", "is_neuron_runtime_initialized"],
}
_MODULES = [
    *_NAMES,
    "debug",
    "eager",
    "environment",
    "modules",
    "neff",
    "neuron_dynamo_backend",
    "random",
    "registration",
]
_ORIGIN = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "__version__",
    "_autoload",
    *sorted(name for name in _ORIGIN if name != "_lazy_init"),
    "memory",
    "metrics",
    "neuron",
    "profiling",
    "streams",
]


def __getattr__(name):
    if name in _ORIGIN:
        value = getattr(importlib.import_module(f".{_ORIGIN[name]}", __name__), name)
    elif name in _MODULES:
        try:
            value = importlib.import_module(f".{name}", __name__)
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_ORIGIN, *_MODULES})
