"""Attention over more keys than a row of SBUF has room for: in chunks, and no score in HBM."""

import math
import re

import pytest
import torch
from direct import assert_near_float64, compiled, data

F = torch.nn.functional
KEYS = 30001


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def masked(q, k, v):
    mask = torch.arange(k.shape[-2]) % 7 != 3
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask.expand(q.shape[-2], -1))


FORMS = {
    "plain": attention,
    "causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "masked": masked,
    "written out": lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2), -1) @ v,
    "with a residual": lambda q, k, v: q + torch.tanh(attention(q, k, v)) * 3,
    "values along the keys": lambda q, k, v: attention(q, k, v.transpose(-1, -2).contiguous().transpose(-1, -2)),
    "no softmax": lambda q, k, v: torch.relu(q @ k.transpose(-1, -2)) @ v,
    "grouped": lambda q, k, v: F.scaled_dot_product_attention(q.repeat(1, 2, 1, 1), k, v, enable_gqa=True),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", FORMS)
def test_forms(name, dtype):
    args = (data(1, 2, size, 8, dtype=dtype) for size in (130, KEYS, KEYS))
    assert_near_float64(FORMS[name], *args, units=1)


def test_both_forms_of_the_simulator_agree():
    q, k, v = (data(2, size, 4) for size in (3, KEYS, KEYS))
    (got,) = compiled(attention, q, k, v, simulator="compiled")([q, k, v])
    (expected,) = compiled(attention, q, k, v, simulator="interpreter")([q, k, v])
    assert torch.equal(got, expected)


def test_scores_do_not_go_to_hbm(tmp_path):
    q, k, v = (data(1, size, 8) for size in (256, KEYS, KEYS))
    compiled(attention, q, k, v, preserve_artifacts=True, debug_dir=str(tmp_path))
    (scheduled,) = (path for path in (tmp_path / "scheduled").rglob("*") if path.is_file())
    text = scheduled.read_text()
    assert "nisa.kernel" in text
    shapes = re.findall(r"nisa.scratch.* : memref<([0-9x]+)x", text)
    assert all(math.prod(map(int, shape.split("x"))) <= k.numel() for shape in shapes)
