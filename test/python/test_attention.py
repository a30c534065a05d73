"""Scaled dot product attention in its forms, against float64."""

import math

import neuron_testing as nt
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

SLACK = {torch.float32: 2.0**-22, torch.bfloat16: 2.0**-8}


def randn(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def check(fn, *args):
    def wide(x):
        return x.double() if x.is_floating_point() else x

    torch._dynamo.reset()
    before = nt.executions()
    got = torch.compile(fn, backend="neuron", fullgraph=True)(*args)
    assert nt.executions() == before + 1
    exact, eager = fn(*map(wide, args)), fn(*args)
    assert got.dtype == eager.dtype and got.shape == eager.shape
    assert torch.equal(got.isnan(), eager.isnan())
    error, own = ((x.double() - exact).abs().nan_to_num().max() for x in (got, eager))
    assert error <= 2 * own + exact.abs().nan_to_num().max() * SLACK[got.dtype]
    return got


def written_out(q, k, v, mask=None):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return torch.softmax(scores if mask is None else scores + mask, -1) @ v


FORMS = {
    "plain": lambda q, k, v, m: sdpa(q, k, v),
    "scale": lambda q, k, v, m: sdpa(q, k, v, scale=0.3),
    "causal": lambda q, k, v, m: sdpa(q, k, v, is_causal=True),
    "bool mask": lambda q, k, v, m: sdpa(q, k, v, attn_mask=m),
    "added mask": lambda q, k, v, m: sdpa(q, k, v, attn_mask=torch.where(m, 0.5, -1.0).to(q.dtype)),
    "mask of heads": lambda q, k, v, m: sdpa(q, k, v, attn_mask=m.expand(1, q.shape[1], *m.shape)),
    "written out": lambda q, k, v, m: written_out(q, k, v),
    "written out, masked": lambda q, k, v, m: written_out(q, k, v, torch.where(m, 0.0, -1e9).to(q.dtype)),
    "no heads": lambda q, k, v, m: sdpa(q[0], k[0], v[0]),
}


@pytest.mark.parametrize("dtype", SLACK, ids=str)
@pytest.mark.parametrize("m,s,d", [(16, 16, 8), (1, 33, 16), (150, 140, 40), (7, 300, 64)])
@pytest.mark.parametrize("name", FORMS)
def test_forms(name, m, s, d, dtype):
    q, k, v = randn(2, 3, m, d, dtype=dtype), randn(2, 3, s, d, dtype=dtype), randn(2, 3, s, d + 1, dtype=dtype)
    if name != "written out" and "written" not in name:
        v = v[..., :d].contiguous()
    mask = torch.rand(m, s, generator=torch.Generator().manual_seed(3)) > 0.4
    mask[:, 0] = True
    check(FORMS[name], q, k, v, mask)


def test_rows_without_keys_are_zero():
    q, k = randn(1, 2, 3, 8), randn(1, 2, 5, 8)
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[0, 1] = mask[2, 4] = True
    got = check(lambda q, k, m: sdpa(q, k, k, attn_mask=m), q, k, mask)
    assert (got[:, :, 1] == 0).all()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("heads", [(4, 2), (6, 1), (4, 4)])
def test_grouped_queries(heads, causal):
    q, k = randn(2, heads[0], 20, 8), randn(2, heads[1], 20, 8)
    check(lambda q, k: sdpa(q, k, k, is_causal=causal, enable_gqa=True), q, k)


def test_peaked_scores():
    q, k, v = (randn(1, 2, 64, 32) * 6 for _ in range(3))
    check(lambda q, k, v: sdpa(q, k, v, is_causal=True), q, k, v)


def test_projections_and_heads_in_one_graph():
    def block(x, w, o):
        q, k, v = (x @ w).view(*x.shape[:2], 3, 4, 8).permute(2, 0, 3, 1, 4)
        return sdpa(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape) @ o

    check(block, randn(2, 20, 32), randn(32, 96) / 5, randn(32, 32) / 5)

