"""Makes the device known to PyTorch."""

import atexit
import os

import torch

# As TorchNeuron sets them, so that scripts that read them find the same.
_ENVIRONMENT = {"NEURON_LAUNCH_BLOCKING": "0", "TORCH_NEURONX_FALLBACK_ONLY_FOR_UNIMPLEMENTED_OPS": "1"}


def _print_on_host():
    """Formatting a tensor takes some thirty operations: they are for the CPU, as with PyTorch's own compiled devices
    (torch._tensor_str has a list of these that cannot be added to)."""
    on_device = torch._tensor_str._tensor_str

    def on_host(self, indent):
        return on_device(self.cpu() if self.device.type == "neuron" else self, indent)

    torch._tensor_str._tensor_str = on_host


def _compile_by_default():
    """torch.compile without a backend takes ours for graphs on the device, as TorchNeuron does; Inductor has no code
    for it."""
    inductor = torch._TorchCompileInductorWrapper.__call__

    def on_device(value):
        return isinstance(value, torch.Tensor) and value.device.type == "neuron"

    def makes_on_device(model):
        """Whether the graph makes tensors there, as torch.zeros(4, device="neuron") does."""
        nodes = model.graph.nodes if isinstance(model, torch.fx.GraphModule) else ()
        return any(on_device(node.meta.get("example_value")) for node in nodes)

    def call(self, model, inputs, **kwargs):
        if any(map(on_device, inputs)) or makes_on_device(model):
            from .neuron_dynamo_backend.backend import neuron_backend

            return neuron_backend(model, inputs)
        return inductor(self, model, inputs, **kwargs)

    torch._TorchCompileInductorWrapper.__call__ = call


def _allow_flex_attention():
    """flex_attention has a list of devices that cannot be added to; ours computes its dense form."""
    from torch.nn.attention import flex_attention as module

    validate = module._validate_device

    def validate_others(query, key, value):
        if query.device.type != "neuron":
            validate(query, key, value)

    module._validate_device = validate_others


def register():
    """The device, torch.neuron, and the methods (Tensor.neuron, ...). Starts no runtime."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    from . import _C

    _C.register_device()
    _C.set_eager_tracer()
    torch.utils.rename_privateuse1_backend("neuron")
    from . import modules, neuron

    torch._register_device_module("neuron", neuron)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    _print_on_host()
    _compile_by_default()
    _allow_flex_attention()
    modules.keep_parameters()
    # The streams' threads must not work on while the process is taken down.
    atexit.register(_C.drain)
