"""How far a result may be from eager's.

Integers and bools must be equal, and so must what only moves numbers. Of floats, an operation is right if
torch.testing.assert_close would say so of its dtype, or if its largest error against float64 is at most twice eager's
own and four units in the last place of the largest number (docs/numerics.md): sums are added up in another order, and
halves are rounded less often.
"""

import dataclasses

import torch
from torch.testing._comparison import default_tolerances

#: Only move numbers: these are equal bit for bit, whatever the dtype.
MOVES = {
    "view", "_unsafe_view", "reshape", "permute", "transpose", "t", "expand", "slice", "select", "squeeze", "unsqueeze",
    "clone", "alias", "detach", "cat", "stack", "split", "split_with_sizes", "unbind", "flip", "roll", "as_strided",
    "index", "index_select", "gather", "embedding", "where", "constant_pad_nd", "repeat", "diagonal", "unfold",
    "lift_fresh_copy", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like", "tril", "triu", "neg", "abs",
    "relu", "maximum", "minimum", "masked_fill", "_to_copy",
}  # fmt: skip
UNITS = 4


@dataclasses.dataclass
class Comparison:
    """One result beside eager's."""

    error: float  # the largest difference from float64, or from eager where there is none
    eager_error: float | None  # eager's own largest difference from float64
    ratio: float  # the largest difference from eager by what assert_close allows; at most 1 if it agrees
    ok: bool


def _largest(difference):
    return float(difference.max()) if difference.numel() else 0.0


def compare(got, eager, exact, moves):
    """Of two tensors on the CPU, and one of float64 or None; `moves`: no arithmetic, so they are to be equal."""
    if got.shape != eager.shape or got.dtype != eager.dtype:
        return Comparison(float("inf"), None, float("inf"), False)
    if not eager.dtype.is_floating_point:
        wrong = int((got != eager).sum())
        return Comparison(float(wrong), None, float(wrong), wrong == 0)
    g, e = got.double(), eager.double()
    # The same infinity, or NaN, is no difference; only one of them is an infinite one.
    same = (g == e) | (g.isnan() & e.isnan())
    difference = torch.where(same, 0.0, (g - e).abs()).nan_to_num(nan=float("inf"))
    rtol, atol = (0.0, 0.0) if moves else default_tolerances(eager)
    allowed = atol + rtol * e.abs()
    ratio = _largest(torch.where(same, 0.0, difference / allowed.clamp_min(1e-300)).nan_to_num(nan=float("inf")))
    if exact is None or exact.shape != eager.shape or not exact.dtype.is_floating_point:
        return Comparison(_largest(difference), None, ratio, ratio <= 1)
    finite = exact.isfinite() & e.isfinite() & g.isfinite()
    ours, eagers = (_largest(torch.where(finite, (v - exact).abs(), 0.0)) for v in (g, e))
    unit = torch.finfo(eager.dtype).eps * _largest(torch.where(finite, exact.abs(), 0.0))
    near = not moves and bool((same | finite).all()) and ours <= 2 * eagers + UNITS * unit
    return Comparison(ours, eagers, ratio, ratio <= 1 or near)
