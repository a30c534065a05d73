"""What a causal mask leaves out is not computed, and no bit of a result may show it."""

import math

import pytest
import torch
from direct import compiled, data

F = torch.nn.functional
INFINITY = float("inf")


def attend(scores, seen, v, fill=-INFINITY):
    return torch.softmax(scores.masked_fill(~seen, fill), -1) @ v


def spelled(name, fill=-INFINITY):
    """A function of (q, k, v, mask) that makes the mask itself, and ignores the one it is given."""

    def indices(scores):
        rows, columns = scores.shape[-2:]
        return torch.arange(rows)[:, None], torch.arange(columns)

    def tril(scores):
        return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()

    masks = {
        "tril": tril,
        "triu": lambda s: ~torch.ones(s.shape[-2:]).triu(1).bool(),
        "ge": lambda s: indices(s)[0] >= indices(s)[1],
        "difference": lambda s: indices(s)[1] - indices(s)[0] < 1,
        "window": lambda s: (indices(s)[0] >= indices(s)[1]) & (indices(s)[1] > indices(s)[0] - 70),
    }

    def fn(q, k, v, mask):
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        return attend(scores, masks[name](scores), v, fill)

    return fn


def with_mask(q, k, v, mask):
    return attend(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), mask, v)


def run(fn, *args, **options):
    code = compiled(fn, *args, **options)
    (result,) = code(list(args))
    return result, code.predicted_time_ps


def seen(rows, columns, window=None):
    i, j = torch.arange(rows)[:, None], torch.arange(columns)
    return (i >= j) & (j > i - window) if window else i >= j


@pytest.mark.parametrize("simulator", ["compiled", "interpreter"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["tril", "triu", "ge", "difference", "window"])
def test_spellings(name, dtype, simulator):
    """As with a mask that comes from outside, of which nothing is known.

    Sooner than with the same mask of a finite number, which leaves nothing out.
    """
    q, k, v = (data(2, 400, 16, dtype=dtype) for _ in range(3))
    mask = seen(400, 400, window=70 if name == "window" else None)
    got, time = run(spelled(name), q, k, v, mask, simulator=simulator)
    expected, _ = run(with_mask, q, k, v, mask, simulator=simulator)
    assert torch.equal(got, expected)
    _, whole = run(spelled(name, fill=-1e30), q, k, v, mask, simulator=simulator)
    assert time < whole


@pytest.mark.parametrize("rows, columns", [(1, 200), (130, 500), (500, 130), (257, 257), (1100, 1100)])
def test_sizes(rows, columns):
    q, k, v = data(3, rows, 8), data(3, columns, 8), data(3, columns, 5)
    mask = seen(rows, columns)
    got, _ = run(spelled("ge"), q, k, v, mask)
    expected, _ = run(with_mask, q, k, v, mask)
    assert torch.equal(got, expected)


@pytest.mark.parametrize("size", [128, 200, 384])
def test_grouped_queries(size):
    """Rows of several heads of queries that share one of keys."""
    q, k, v = data(2, 6, size, 16), data(2, 2, size, 16), data(2, 2, size, 16)
    causal, _ = run(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True), q, k, v)
    masked, _ = run(
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m, enable_gqa=True),
        q, k, v, seen(size, size),
    )
    assert torch.equal(causal, masked)


def test_not_a_number():
    """A NaN or an infinity among the seen scores makes its row NaN, and no other."""
    q, k, v = (data(1, 300, 8) for _ in range(3))
    q[0, 7] = float("nan")
    q[0, 200] *= 1e30
    k[0, 3] *= 1e30
    got, _ = run(spelled("ge"), q, k, v, seen(300, 300))
    expected, _ = run(with_mask, q, k, v, seen(300, 300))
    torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)
    assert got[0, 7].isnan().all() and not got[0, 8].isnan().any()


def test_takes_little_more_than_half():
    q, k, v = (data(1, 1, 2048, 64) for _ in range(3))
    _, causal = run(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)
    _, whole = run(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), q, k, v)
    assert causal < 0.8 * whole
