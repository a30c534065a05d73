"""Inputs that a graph updates along an index, as a cache of keys and values is: right numbers, and nothing copied."""

import re

import pytest
import torch
import torch.nn.functional as F

D = 16
AT = torch.tensor([5, 6, 7])


def expanded(cache):
    return cache[:, :, None].expand(2, 2, 2, 24, D).reshape(2, 4, 24, D)


def set_rows(cache, new, query):
    cache[:, :, AT] = new
    return cache @ query.transpose(-1, -2)


# What is returned beside the cache [2, 2, 24, 16]; `new` is [2, 2, 3, 16] and `query` [2, 2, 1, 16].
UPDATES = {
    "alone": lambda cache, new, query: cache.index_copy_(2, AT, new),
    "read before": lambda cache, new, query: cache * 3 + cache.index_copy_(2, AT, new),
    "read after": lambda cache, new, query: cache.index_copy_(2, AT, new).sum(-1),
    "of grouped heads": lambda cache, new, query: expanded(cache.index_copy_(2, AT, new)) * 2,
    "of grouped heads, copied": lambda cache, new, query: expanded(cache.index_copy_(2, AT, new)).clone(),
    "product": lambda cache, new, query: query @ cache.index_copy_(2, AT, new).transpose(-1, -2),
    "attention": lambda cache, new, query: F.scaled_dot_product_attention(
        query, cache.index_copy_(2, AT, new), cache * 2
    ),
    "merged dimensions": lambda cache, new, query: (
        cache.index_copy_(2, AT, new).permute(2, 0, 1, 3).reshape(48, 2 * D) * 2
    ),
    "flat": lambda cache, new, query: cache.index_copy_(2, AT, new).reshape(-1)[5:77].exp(),
    "twice": lambda cache, new, query: cache.index_copy_(2, AT, new).index_copy_(2, AT - 1, new * 2) * 1.0,
    "along two dimensions": lambda cache, new, query: (
        cache.index_copy_(2, AT, new).index_copy_(1, torch.tensor([1, 0]), cache[:, :2].clone()) + 1
    ),
    "from itself": lambda cache, new, query: cache.index_copy_(2, AT, cache[:, :, :3] * 2) + 0,
    "added": lambda cache, new, query: cache.index_add_(2, AT, new).cumsum(-1),
    "filled": lambda cache, new, query: cache.index_fill_(2, AT, 1.5) + 1,
    "a view returned": lambda cache, new, query: cache.index_copy_(2, AT, new).transpose(1, 2),
    "assigned": set_rows,
}
LAYOUTS = {"dense": lambda x: x, "heads outside": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1)}


def arguments(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator) for shape in ((2, 2, 24, D), (2, 2, 3, D), (2, 2, 1, D))]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", UPDATES)
def test_updates(name, layout):
    cache, new, query = arguments()
    expected_cache, actual_cache = (LAYOUTS[layout](cache.clone()) for _ in range(2))
    torch._dynamo.reset()
    with torch.no_grad():
        expected = UPDATES[name](expected_cache, new, query)
        actual = torch.compile(UPDATES[name], backend="neuron", fullgraph=True)(actual_cache, new, query)
    # Sums of 16 to 24 products: a few roundings of float32.
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(actual_cache, expected_cache, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["alone", "read after", "of grouped heads", "product", "attention", "assigned"])
def test_nothing_is_copied(name, tmp_path):
    torch._dynamo.reset()
    options = {"preserve_artifacts": True, "debug_dir": str(tmp_path)}
    with torch.no_grad():
        torch.compile(UPDATES[name], backend="neuron", fullgraph=True, options=options)(*arguments())
    (lowered,) = (tmp_path / "nisa").rglob("*.mlir")
    kernels = re.findall(r'nisa.kernel "([^"]*)"', lowered.read_text())
    assert "scatter" in kernels
    assert not {"copy", "expand", "permute"} & set(kernels), kernels
