"""Operations on lists of tensors (torch._foreach_*), as optimizers use them: the operation on each of them."""

import torch

aten = torch.ops.aten

#: Names whose operation on one tensor is another function than torch.<name>.
_FUNCTIONS = {
    "norm": lambda x, ord=2, dtype=None: torch.linalg.vector_norm(x, ord, dtype=dtype),
    "copy": lambda x, source, non_blocking=False: source.to(x.dtype).expand_as(x).clone(),
    "zero": torch.zeros_like,
    "max": torch.amax,
    "minimum": lambda x, y: x.clamp_max(y),
    "maximum": lambda x, y: x.clamp_min(y),
    "clamp_min": lambda x, y: x.clamp_min(y),
    "clamp_max": lambda x, y: x.clamp_max(y),
    "addcdiv": lambda x, a, b, value=1: torch.addcdiv(x, a, b, value=value),
    "addcmul": lambda x, a, b, value=1: torch.addcmul(x, a, b, value=value),
}


def _each(function, lists):
    """Calls `function` for each index; `lists` are the positions of arguments that have one element for each."""

    def call(*args, **kwargs):
        count = next(len(args[position]) for position in lists if position < len(args))
        # The numbers may be in a tensor.
        args = [
            list(arg.unbind()) if position in lists and isinstance(arg, torch.Tensor) else arg
            for position, arg in enumerate(args)
        ]
        return [
            function(*[arg[index] if position in lists else arg for position, arg in enumerate(args)], **kwargs)
            for index in range(count)
        ]

    return call


def _table() -> dict:
    table = {}
    names = {full.removeprefix("aten::").split(".")[0] for full in torch._C._dispatch_get_all_op_names()}
    for name in sorted(names):
        if not name.startswith("_foreach_") or name.endswith("_"):
            continue
        base = name.removeprefix("_foreach_")
        function = _FUNCTIONS.get(base) or getattr(torch, base, None)
        packet = getattr(aten, name)
        for overload in packet.overloads() if function else ():
            op = getattr(packet, overload)
            if op._schema.is_mutable:
                continue
            kinds = [str(argument.type) for argument in op._schema.arguments if not argument.kwarg_only]
            # addcdiv.Tensor and addcmul.Tensor have their scalars in one tensor.
            apart = {i for i, kind in enumerate(kinds) if kind.startswith("List[")}
            if overload == "Tensor" and base in ("addcdiv", "addcmul"):
                apart.add(len(kinds) - 1)
            table[op] = _each(function, apart)
    return table


TABLE = _table()


def fma(a, b, c):
    """a * b + c. Eager's own optimizers round the product, too."""
    return a * b + c
