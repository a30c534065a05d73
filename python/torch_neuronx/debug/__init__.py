"""Which operation is it? Every operation of a compiled function beside eager's.

    report = torch_neuronx.debug.compare(model, (x,))
    print(report)

`python -m torch_neuronx.debug GRAPH` does it for a graph that was dumped; docs/debugging.md has examples.
"""

import torch
from torch.utils import _pytree as pytree

from .graphs import GraphComparison
from .report import Report, Row

__all__ = ["Report", "Row", "compare"]


def _capture(rows, notes, options, device):
    """A backend that takes no operation apart, compares each graph when it runs, and goes on with eager's results."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    from ..neuron_dynamo_backend.higher_order.expansion import expand

    def compiler(role):
        def compile(gm, example_inputs):
            from .. import _C

            flat = expand(gm, _C.Options(options or {}))

            def run(inputs):
                found, said, outputs = GraphComparison(flat, role, options, device).run(inputs)
                inputs.clear()
                rows.extend(found)
                notes.extend(said)
                return [t.to(device) if isinstance(t, torch.Tensor) else t for t in outputs]

            run._boxed_call = True
            return run

        return compile

    return aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        partition_fn=min_cut_rematerialization_partition,
    )


def _leaves(fn, args, kwargs):
    parameters = list(fn.parameters()) if isinstance(fn, torch.nn.Module) else []
    given = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
    return parameters, given


def compare(fn, args=(), kwargs=None, *, backward=None, options=None) -> Report:
    """Compares every operation of `fn(*args, **kwargs)` on the device with eager on the CPU.

    fn        a function or a module, which torch.compile(fullgraph=True) can trace
    backward  whether to compare the backward graph as well; None: if a result requires a gradient
    options   as of torch.compile(backend="neuron", options=...)

    Each operation of the ATen graph, before it is taken apart, is compiled alone and given eager's values (isolated);
    and all are compiled together, with every intermediate value as a result more (accumulated). The report's rows are
    in the order of computation. Parameters, buffers, arguments, gradients and the state of the generators are
    afterwards what they were. An operation that the device does not have is a row that says so."""
    kwargs = kwargs or {}
    parameters, given = _leaves(fn, args, kwargs)
    kept = [t for t in (*parameters, *given, *(fn.buffers() if isinstance(fn, torch.nn.Module) else ()))]
    device = next((t.device for t in kept if t.device.type == "neuron"), torch.device("cpu"))
    before = [t.detach().clone() for t in kept]
    rows, notes = [], []
    torch._dynamo.reset()
    try:
        with torch.random.fork_rng(devices=[]):
            compiled = torch.compile(fn, backend=_capture(rows, notes, options, device), fullgraph=True, dynamic=False)
            results = compiled(*args, **kwargs)
            wanted = [t for t in pytree.tree_leaves(results) if isinstance(t, torch.Tensor) and t.requires_grad]
            leaves = [t for t in (*parameters, *given) if t.requires_grad]
            if wanted and leaves and backward is not False:
                generator = torch.Generator().manual_seed(0)
                gradients = [
                    torch.randn(t.shape, generator=generator).to(device=t.device, dtype=t.dtype) for t in wanted
                ]
                torch.autograd.grad(wanted, leaves, gradients, allow_unused=True)
            elif backward:
                raise ValueError("backward=True, and no result requires a gradient")
    finally:
        torch._dynamo.reset()
        with torch.no_grad():
            for tensor, value in zip(kept, before, strict=True):
                if not torch.equal(tensor, value):
                    tensor.copy_(value)
    for number, row in enumerate(rows):
        row.number = number
    return Report(rows, notes)
