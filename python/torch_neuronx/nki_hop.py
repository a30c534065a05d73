"""NKI's names: operations that are kernels of the user.

`nki_op` works with a body of PyTorch operations, eager and compiled. NKI kernels themselves are compiled by AWS's
package, which is not public: `wrap_nki` accepts them, so that modules with kernels can be imported, and a call says
what to do.
"""

import functools

import torch


def nki_op(name, fn=None, mutates_args=()):
    """Registers `fn`, whose signature is annotated, as the operation `name` ("namespace::op"); a decorator without
    `fn`. `mutates_args` names the arguments that it writes. Returns a torch.library CustomOpDef: gradients come by its
    register_autograd. Within torch.compile the body's operations are compiled with the graph."""
    if fn is None:
        return functools.partial(nki_op, name, mutates_args=mutates_args)
    operation = torch.library.custom_op(name, fn, mutates_args=mutates_args or ())
    operation.register_fake(fn)
    return operation


class NKIHOPCaller:
    """A wrapped NKI kernel, `kernel(...)` or `kernel[grid](...)`, that cannot be run here."""

    def __init__(self, kernel, **options):
        self.kernel, self.options = kernel, options
        functools.update_wrapper(self, kernel)

    def __getitem__(self, grid):
        return self

    def __call__(self, *args, **kwargs):
        name = getattr(self.kernel, "__name__", repr(self.kernel))
        raise NotImplementedError(
            f"the NKI kernel {name!r} cannot run here: NKI is compiled by AWS's own package. Write its body with "
            "PyTorch's operations (torch_neuronx.nki_op takes such a function), which this compiler fuses"
        )


def wrap_nki(kernel, **options):
    """A caller for an NKI kernel; every call raises NotImplementedError."""
    return NKIHOPCaller(kernel, **options)
