"""Environment variables of TorchNeuron that have no effect here: what the user set is never ignored in silence."""

import functools
import os
import warnings

_OUR_OPTIONS = "torch.compile(options=...) has this compiler's (README.md, Options)"
_NO_COMPILER_PROCESS = "there is no neuronx-cc: the compiler runs in this process"
_NO_NKI = "NKI kernels cannot be compiled here"
_NO_COLLECTIVES = "there is one process and no collectives"
_OWN_FUSION = "eager operations are dispatched one by one"

# name -> why it does nothing; values in _HARMLESS ask for what happens anyway
WITHOUT_EFFECT = {
    "NEURON_CC_FLAGS": f"{_NO_COMPILER_PROCESS}; {_OUR_OPTIONS}",
    "NEURON_COMPILER_OPT_LEVEL": f"{_NO_COMPILER_PROCESS}; {_OUR_OPTIONS}",
    "TORCH_NEURONX_NEURONX_CC_TIMEOUT": f"{_NO_COMPILER_PROCESS}; Ctrl-C ends a compilation",
    "NEURON_COMPILE_CACHE_URL": "TORCH_NEURONX_NEFF_CACHE_DIR is the cache's directory",
    "NEURON_COMPILATION_CACHE_MAX_SIZE_MB": "programs in memory live as long as what compiled them",
    "NEURON_COMPILATION_CACHE_MAX_ENTRIES": "programs in memory live as long as what compiled them",
    "TORCH_NEURONX_COMPLEX_DECOMPOSE": "complex numbers are always pairs of real ones",
    "TORCH_NEURONX_DYNAMO_DISABLE_CPU_AUTOCOPY": "graphs take tensors of the CPU and of the device",
    "TORCH_NEURONX_RETAIN_DEVICE_MODE": "graphs take tensors of the CPU and of the device",
    "TORCH_NEURONX_ENABLE_NKI_SDPA": _NO_NKI,
    "TORCH_NEURONX_EMBEDDING_BWD_NKI_THRESHOLD": _NO_NKI,
    "TORCH_NEURONX_ENABLE_CONCATENATION": _OWN_FUSION,
    "TORCH_NEURONX_ENABLE_PROLOGUE": _OWN_FUSION,
    "TORCH_NEURONX_ENABLE_ASYNC_NRT": "streams are always queues; NEURON_LAUNCH_BLOCKING=1 waits for each operation",
    "TORCH_NEURONX_ENABLE_STABLEHLO": "there is one way to lower a graph; no StableHLO",
    "TORCH_NEURONX_MLIR_ATEN_OPS": "there is one way to lower a graph; no StableHLO",
    "TORCH_NEURONX_SEGMENT_ALLOCATOR_CONFIG": "blocks of 16 MB and more have a segment of their own and are not split",
    "TORCH_NEURONX_LOG_LEVEL": "TORCH_LOGS='+torch_neuronx' turns logging on",
    "TORCH_NEURONX_LOG_FILE": "TORCH_LOGS='+torch_neuronx' turns logging on",
    "TORCH_NEURONX_ENABLE_HOST_CC": _NO_COLLECTIVES,
    "NEURON_RT_ENABLE_HOST_CC": _NO_COLLECTIVES,
    "NEURON_PLATFORM_TARGET_OVERRIDE": "NEURON_MLIR_TARGET chooses the device that is compiled for",
}
_HARMLESS = {
    "TORCH_NEURONX_COMPLEX_DECOMPOSE": {"1", "true"},
    "TORCH_NEURONX_ENABLE_NKI_SDPA": {"0", "false"},
    "TORCH_NEURONX_ENABLE_CONCATENATION": {"0", "false"},
    "TORCH_NEURONX_ENABLE_PROLOGUE": {"0", "false"},
    "TORCH_NEURONX_ENABLE_ASYNC_NRT": {"1", "true"},
}


@functools.cache
def warn_of_ignored():
    """One warning for each variable that is set and does nothing; once per process."""
    for name, reason in WITHOUT_EFFECT.items():
        value = os.environ.get(name, "")
        if value and value.lower() not in _HARMLESS.get(name, ()):
            warnings.warn(f"{name}={value} has no effect: {reason}.", stacklevel=3)
