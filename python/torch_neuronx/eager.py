"""Taking one operation apart, for eager: what has no lowering of its own becomes operations that have.

The graph is traced on CPU tensors without memory, with the decompositions of torch.compile, so that eager and
compiled code compute the same.
"""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import _disable_current_modes


def _view(tensor):
    """Tensors with equal views are the same memory seen alike, and one placeholder."""
    if tensor.numel() == 0:
        return id(tensor)
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.is_conj(), tensor.is_neg()


def _map(values, function):
    """`values` with `function` applied to the tensors in it, those in lists too."""
    if isinstance(values, torch.Tensor):
        return function(values)
    return [_map(value, function) for value in values] if isinstance(values, list | tuple) else values


def _bind(schema, values):
    """(args, kwargs) of a call with the arguments in the schema's order."""
    args, kwargs = [], {}
    for argument, value in zip(schema.arguments, values, strict=True):
        if not argument.kwarg_only:
            args.append(value)
        elif value is not None:
            kwargs[argument.name] = "cpu" if argument.name == "device" else value
    return args, kwargs


def _fresh(schema, results):
    """The results that are no arguments, in order, lists laid flat."""
    if not schema.returns:
        return []
    results = results if isinstance(results, list | tuple) and len(schema.returns) > 1 else [results]
    fresh = []
    for declared, result in zip(schema.returns, results, strict=True):
        if declared.alias_info is None or not declared.alias_info.is_write:
            fresh += result if isinstance(result, list | tuple) else [result]
    return fresh


def trace(name, overload, values):
    """(the graph of a call: a placeholder for each tensor among `values`, the copies into written arguments, and the
    new results; [(position, whether conjugated)] of the results that are complex). `values` are the arguments in the
    schema's order. Raises what tracing raises."""
    namespace, base = name.split("::")
    op = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
    from . import optimizers

    implementation = optimizers.IMPLEMENTATIONS.get(op, op)
    places, fakes = {}, []
    with _disable_current_modes():
        mode = FakeTensorMode()

        def place(tensor):
            key = _view(tensor)
            if key not in places:
                places[key] = len(fakes)
                with mode:
                    fake = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cpu")
                    fakes.append(fake.conj() if tensor.is_conj() else fake)
            return tensor

        _map(values, place)
        # Looked up now: under the trace a tensor has no memory to be known by.
        positions = _map(values, lambda tensor: _Position(places[_view(tensor)]))

        def call(*tensors):
            args, kwargs = _bind(op._schema, [_resolve(value, tensors) for value in positions])
            return _fresh(op._schema, implementation(*args, **kwargs))

        from .neuron_dynamo_backend.decompositions import get_eager_decomposition_table

        table = get_eager_decomposition_table()
        with mode:  # what the trace creates has no memory, too
            graph = make_fx(functionalize(call), decomposition_table=table, tracing_mode="real")(*fakes)
        return _without_complex(graph)


def _without_complex(graph):
    from .neuron_dynamo_backend import pairs

    if not pairs.has_complex(graph):
        return graph, []
    graph, boundary, unsupported = pairs.rewrite(graph)
    if unsupported:
        node, reason, _ = unsupported[0]
        raise NotImplementedError(f"{node.target}: {reason}")
    return graph, list(boundary.outputs.items())


class _Position(int):
    """Stands for a placeholder."""


def _resolve(value, tensors):
    if isinstance(value, _Position):
        return tensors[value]
    return [_resolve(item, tensors) for item in value] if isinstance(value, list) else value
