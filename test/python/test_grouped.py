"""Products of groups with a matrix each: aten._grouped_mm, and what `transformers` calls in its place."""

import neuron_testing as nt
import pytest
import torch
from direct import data
from torch_neuronx.neuron_dynamo_backend.decomposed import grouped

ENDS = torch.tensor([3, 3, 10, 16], dtype=torch.int32)  # one group is empty
SHAPES = {
    "rows": ((16, 24), (4, 24, 8), ENDS),
    "columns": ((4, 8, 24), (24, 16), ENDS),
    "terms": ((8, 16), (16, 24), ENDS),
    "apart": ((4, 8, 16), (4, 16, 24)),
}


@pytest.mark.parametrize("groups", SHAPES)
def test_grouped_mm(groups):
    a, b, *ends = SHAPES[groups]
    arguments = (data(*a, dtype=torch.bfloat16), data(*b, dtype=torch.bfloat16), *ends)
    outcome = nt.compare_with_eager(torch._grouped_mm, arguments)
    assert outcome.status == nt.RIGHT, outcome.detail


@pytest.mark.parametrize("groups", ["rows", "columns", "terms"])
def test_infinite_numbers_stay_in_their_group(groups):
    """The decomposition itself, in eager: rows of no group are 0, and infinities of one group are not the next's."""
    a, b, _ = SHAPES[groups]
    a, b, ends = data(*a), data(*b), torch.tensor([3, 3, 10, 14], dtype=torch.int32)
    if groups == "rows":
        a[3] = torch.inf
    elif groups == "columns":
        b[:, 3] = torch.inf
    else:
        a[:, 3], b[3] = torch.inf, 1
    got = grouped.grouped_mm(a, b, ends)
    begin, expected = 0, torch.zeros_like(got)
    for group, end in enumerate(ends.tolist()):
        if groups == "rows":
            expected[begin:end] = a[begin:end] @ b[group]
        elif groups == "columns":
            expected[:, begin:end] = a[group] @ b[:, begin:end]
        else:
            expected[group] = a[:, begin:end] @ b[begin:end]
        begin = end
    torch.testing.assert_close(got, expected, equal_nan=True)


def test_what_transformers_calls():
    """Its operators are opaque calls of Python, with a backward of their own."""
    pytest.importorskip("transformers.integrations.moe")

    def gradients(fn):
        x, w = data(16, 24).requires_grad_(), data(4, 24, 8).requires_grad_()
        out = fn(x, w, ENDS)
        return (out.detach(), *torch.autograd.grad(out, (x, w), data(16, 8)))

    eager = torch.ops.transformers.grouped_mm_fallback
    compiled = torch.compile(lambda x, w, ends: eager(x, w, ends), backend="neuron", fullgraph=True, dynamic=False)
    torch.testing.assert_close(gradients(compiled), gradients(eager))
