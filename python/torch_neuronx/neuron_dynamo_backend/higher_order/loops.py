"""scan, associative_scan and map: their numbers of steps are sizes of tensors, so all steps stand in the graph:
those of scan one after the other, those of map side by side.
"""

import torch

from .refusal import Refusal

#: More operations than this take minutes to compile; a network of 100 layers has about as many.
MOST_OPERATIONS = 20_000


def _check(name, steps, body):
    operations = steps * max(body.size, 1)
    if operations > MOST_OPERATIONS:
        raise Refusal(
            f"{name} of {steps} steps with {body.size} operations each makes a graph of {operations} operations; "
            f"{MOST_OPERATIONS} at most are compiled",
            "call the compiled function on pieces of the sequence and carry the state between the calls, "
            "or use an operation on the whole tensor (cumsum, cumprod, ...)",
        )


def _stacked(rows):
    """One tensor of the results of all steps, or None where they give none."""
    return None if rows[0] is None else torch.stack(rows)


def scan(body, init, xs, additional=()):
    """(carry, ..., outputs [steps, ...], ...) of body(carry, ..., x, ..., additional, ...) along dimension 0."""
    carry, steps = list(init), xs[0].shape[0]
    _check("scan", steps, body)
    rows = []
    for step in range(steps):
        results = body(*carry, *(x[step] for x in xs), *additional)
        carry, outputs = list(results[: len(carry)]), results[len(carry) :]
        rows.append(outputs)
    return (*carry, *(_stacked(column) for column in zip(*rows, strict=True)))


def map_each(body, xs, additional):
    """[steps, ...] results of body(x, ..., additional, ...), for each element of the first dimension."""
    steps = xs[0].shape[0]
    try:
        # One operation on all elements, where PyTorch knows how.
        return torch.vmap(
            lambda *x: tuple(body(*x, *additional)), in_dims=(0,) * len(xs), randomness="different", out_dims=0
        )(*xs)
    except (RuntimeError, NotImplementedError, ValueError):
        _check("map", steps, body)
        rows = [body(*(x[step] for x in xs), *additional) for step in range(steps)]
        return tuple(_stacked(column) for column in zip(*rows, strict=True))


def associative_scan(body, xs, additional=()):
    """All partial results along the first dimension, in a number of levels that grows with its logarithm."""
    from torch._higher_order_ops.associative_scan import generic_associative_scan

    # Each level calls the body twice on slices of the whole.
    _check("associative_scan", 2 * max(xs[0].shape[0].bit_length(), 1), body)

    def combine(*leaves):
        return body(*leaves, *additional)

    batched = torch.vmap(combine, in_dims=0, out_dims=0)
    return tuple(generic_associative_scan(batched, list(xs), 0))
