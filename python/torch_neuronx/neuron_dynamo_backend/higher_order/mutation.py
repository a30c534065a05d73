"""Custom operations that write into their arguments: AOTAutograd makes functions of them that give the new values."""

from torch._higher_order_ops import auto_functionalize

from .custom import body_of
from .refusal import Refusal


def auto_functionalized(operation, _only_clone_these_bases=None, _all_bases=(), **kwargs):
    """(results, ..., new values of the tensors whose memory is written, ...): the body on copies of these."""
    body = body_of(operation)
    if body is None:
        raise Refusal(
            f"{operation} writes into its arguments, and has no body in Python",
            "write it with torch.library.custom_op as a function of PyTorch operations",
        )
    bases = list(_all_bases)
    copied = range(len(bases)) if _only_clone_these_bases is None else _only_clone_these_bases
    named, written = auto_functionalize._generate_new_op_kwargs_from_bases(
        operation._schema, dict(kwargs), bases, tuple(copied), False
    )
    result = body(**named)
    return (*result, *written) if isinstance(result, tuple) else (result, *written)
