"""Module.to('neuron'): parameters stay the objects that they were.

PyTorch replaces the data of a parameter where both devices are on a list of its own that cannot be added to. For other
devices it makes new parameters: weights that two modules share become two, and an optimizer that was made before goes
on with the old ones, both without a word. Swapping the tensors' contents (torch.utils.swap_tensors) avoids that.
"""

import threading

import torch


def _is_concerned(module, function) -> bool:
    """Whether `function`, which _apply calls with every tensor, moves them to the device or away from it."""
    if any(t.device.type == "neuron" for t in (*module.parameters(), *module.buffers())):
        return True
    try:
        return function(torch.empty(0)).device.type == "neuron"
    except Exception:
        return False


def _shared(module):
    """Groups of places (module, name) that hold one parameter."""
    places = {}
    for part in module.modules():
        for name, parameter in part._parameters.items():
            if parameter is not None:
                places.setdefault(id(parameter), []).append((part, name))
    return [group for group in places.values() if len(group) > 1]


def _keep_hooks(module):
    """Hooks on a parameter (Tensor.register_hook) are lists in Python that its memory in C++ refers to: the new one has
    to be told."""
    for parameter in module.parameters():
        for name in ("_backward_hooks", "_post_accumulate_grad_hooks"):
            hooks = getattr(parameter, name)
            if hooks:
                setattr(parameter, name, hooks)


def keep_parameters():
    """Makes torch.nn.Module.to and its kin do so."""
    original = torch.nn.Module._apply
    swapping = torch.__future__.get_swap_module_params_on_conversion
    set_swapping = torch.__future__.set_swap_module_params_on_conversion
    here = threading.local()

    def apply(self, function, recurse=True):
        # It calls itself for the modules inside; the outermost call has looked at them all.
        if getattr(here, "inside", False) or swapping():
            return original(self, function, recurse)
        here.inside = True
        try:
            return outermost(self, function, recurse)
        finally:
            here.inside = False

    def outermost(self, function, recurse):
        if not _is_concerned(self, function):
            return original(self, function, recurse)
        groups = _shared(self)
        set_swapping(True)
        try:
            original(self, function, recurse)
            _keep_hooks(self)
            return self
        except RuntimeError as error:
            if "swap" not in str(error):
                raise
            # Somebody holds a parameter weakly, or its gradient function: new ones, but shared as before.
            set_swapping(False)
            original(self, function, recurse)
            for (first, first_name), *others in groups:
                for part, name in others:
                    part._parameters[name] = first._parameters[first_name]
            return self
        finally:
            set_swapping(False)

    torch.nn.Module._apply = apply
