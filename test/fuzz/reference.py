"""Is an output right? Bit for bit where PyTorch defines the bits; else against float64.

For the rest the program is evaluated in float64, and again several times with
every inexact operation's operands and result moved at random by the errors that
their dtypes allow. How far an element moves says how far it may be off, so that
cancellation and amplification are accounted for element by element. Eager's own
error is the other yardstick.
"""

from __future__ import annotations

import types

import torch
from generate import exactness
from program import FLOATS, HALVES, evaluate
from torch.nn.attention import SDPBackend, sdpa_kernel

RUNS = 6
# Inside of these a sum that is at least 1 is rounded, however small the result.
ABOUT_ONE = ("log_softmax", "logsumexp", "gelu(")
FUNCTION_ULPS = 4  # of a function in its compute dtype: the function table's bounds


def _moved(value, relative, absolute, generator):
    noise = torch.rand(value.shape, generator=generator, dtype=torch.float64) * 2 - 1
    return torch.where(value.isfinite(), value + noise * (value.abs() * relative + absolute), value)


def _errors(dtype):
    """(inside an operation, of its result) for results of `dtype`, relative."""
    compute = torch.float64 if dtype == torch.float64 else torch.float32
    inside = FUNCTION_ULPS * torch.finfo(compute).eps
    return inside, (torch.finfo(dtype).eps if dtype in HALVES else inside)


def layer_norm(x, shape, weight=None, bias=None, eps=1e-5):
    dims = tuple(range(-len(shape), 0))
    centered = x - x.mean(dims, keepdim=True)
    y = centered / (centered.square().mean(dims, keepdim=True) + eps).sqrt()
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def _formula(op, scope):
    """The operation in float64 by its formula, where eager's kernel makes other NaN than that.

    Attention over few keys makes 0 of a NaN score in eager (of many, NaN); layer_norm NaN of a variance that
    overflows. Such elements are then not settled.
    """
    if "layer_norm" in op.text:
        plain = types.SimpleNamespace(layer_norm=layer_norm)
        return evaluate(op, scope, wide=True, functional=plain)
    with sdpa_kernel(SDPBackend.MATH):
        return evaluate(op, scope, wide=True)


def wide_values(program, eager, exact, generator=None, by_formula=False):
    """The program in float64; with a generator, every inexact step is perturbed. See _formula."""
    values = {}
    for item in program.inputs:
        value = eager[item.name]
        values[item.name] = value.double() if value.dtype in FLOATS else value
    default = torch.get_default_dtype()
    for op in program.ops:
        known = eager[op.name]
        if exact[op.name] or known.dtype not in FLOATS:
            values[op.name] = known.double() if known.dtype in FLOATS else known
            continue
        scope = {n: values[n] for n in op.operands}
        inside, result = _errors(known.dtype)
        tiny = torch.finfo(known.dtype).smallest_normal * torch.finfo(known.dtype).eps
        if generator is not None and not op.exact:
            # Attention rounds its probabilities to halves, in eager too, before it multiplies
            # them with the values: as much as if those were rounded once more.
            probabilities = op.operands[2] if "scaled_dot_product_attention" in op.text else None
            for name, value in scope.items():
                if value.dtype == torch.float64:
                    scope[name] = _moved(value, result if name == probabilities else inside, 0.0, generator)
        torch.set_default_dtype(torch.float64)
        try:
            value = _formula(op, scope) if by_formula else evaluate(op, scope, wide=True)
        finally:
            torch.set_default_dtype(default)
        value = value.double()
        if generator is not None and op.rounds:
            if any(name in op.text for name in ABOUT_ONE):
                tiny = inside
            value = _moved(value, result, tiny, generator)
        values[op.name] = value
    return values


def same_bits(got, expected):
    """Equal, with any NaN equal to any other; zeros by their sign too."""
    if expected.dtype in FLOATS:
        integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[expected.element_size()]
        same = got.contiguous().view(integer) == expected.contiguous().view(integer)
        return same | (got.isnan() & expected.isnan())
    return got == expected


def _report(bad, got, expected, what):
    where = tuple(int(i) for i in bad.nonzero()[0])
    return (
        f"{int(bad.sum())} of {bad.numel()} elements {what}; first at {where}: "
        f"got {got[where].item()!r}, eager {expected[where].item()!r}"
    )


def check(program, got):
    """None, or which output differs and where."""
    eager = program.evaluate()
    exact = exactness(program, eager)
    if len(got) != len(program.outputs):
        return f"{len(got)} outputs instead of {len(program.outputs)}"
    runs = None
    terms = max(value.numel() for value in eager.values())
    for index, name in enumerate(program.outputs):
        value, expected = got[index], eager[name]
        if not isinstance(value, torch.Tensor) or value.dtype != expected.dtype or value.shape != expected.shape:
            return f"output {index} ({name}): {getattr(value, 'dtype', type(value))} {tuple(getattr(value, 'shape', ()))}"
        if exact[name] or expected.dtype not in FLOATS:
            bad = ~same_bits(value, expected)
            if bad.any():
                return f"output {index} ({name}): " + _report(bad, value, expected, "differ in bits")
            continue
        if runs is None:
            center = wide_values(program, eager, exact)
            generators = [None, *(torch.Generator().manual_seed(run) for run in range(RUNS))]
            runs = [wide_values(program, eager, exact, generator, by_formula=True) for generator in generators]
        bad = _far(value, expected, center[name], [run[name] for run in runs], terms)
        if bad.any():
            text = _report(bad, value, expected, "are too far from float64")
            where = tuple(int(i) for i in bad.nonzero()[0])
            return f"output {index} ({name}): {text}, float64 {center[name][where].item()!r}"
    return None


def _far(value, expected, center, runs, terms):
    value64, eager64 = value.double(), expected.double()
    info = torch.finfo(expected.dtype)
    settled = center.isfinite() & eager64.isfinite()
    spread = torch.zeros_like(center)
    agree = torch.ones_like(settled)
    for run in runs:
        settled &= run.isfinite()
        spread = torch.maximum(spread, (run - center).abs())
        agree &= (run == center) | (run.isnan() & center.isnan())
    allowed = 3 * spread + 2 * (eager64 - center).abs() + info.eps * center.abs() + info.smallest_normal * info.eps
    if expected.dtype == torch.float64:
        # The center is eager's own result. It adds in long rows: std of 372 elements is off by 16 units there.
        allowed += terms**0.5 * info.eps * center.abs()
    far = settled & ~((value64 - center).abs() <= allowed)
    # Infinities and NaN that no perturbation changes and eager has too.
    fixed = ~settled & agree & ((eager64 == center) | (eager64.isnan() & center.isnan()))
    return far | (fixed & ~((value64 == center) | (value64.isnan() & center.isnan())))
