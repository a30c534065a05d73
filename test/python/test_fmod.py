"""Remainders are exact, whatever the quotient.

Eager's vectors give NaN where the quotient overflows float32, and its tails give the remainder.
"""

import math

import pytest
import torch

BIG = [8.0, -8.0, 7.3, 3e38, 5e9, 1.0, 5.5, -1e-38]
SMALL = [1.2e-38, 1e-45, -3e-39, 0.7, 1.5e-30, 2.0, -0.1]


@pytest.mark.parametrize("fn", [torch.fmod, torch.remainder])
def test_of_any_quotient(fn):
    x, y = torch.tensor(BIG).repeat_interleave(len(SMALL)), torch.tensor(SMALL).repeat(len(BIG))
    got = torch.compile(fn, backend="neuron", fullgraph=True)(x, y)
    exact = [math.fmod(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    if fn is torch.remainder:
        exact = [r + b if r and (r < 0) != (b < 0) else r for r, b in zip(exact, y.tolist(), strict=True)]
    assert torch.equal(got, torch.tensor(exact))
    tails = torch.stack([fn(a, b) for a, b in zip(x, y, strict=True)])  # one element: no vector
    assert torch.equal(got, tails)
