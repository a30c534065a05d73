"""torch._foreach_*: operations on lists of tensors, and the optimizers that are made of them, compiled."""

import neuron_testing as nt  # noqa: F401  (sets the number of threads)
import pytest
import torch

UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg norm reciprocal "
    "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
BINARY = "add sub mul div maximum minimum clamp_max clamp_min pow".split()


def lists(seed):
    torch.manual_seed(seed)
    return [torch.rand(3) + 0.5, torch.rand(2, 2) + 0.5]


def cases():
    for name in UNARY:
        function = getattr(torch, f"_foreach_{name}")
        yield name, lambda x, a, b, f=function: f(x)
    for name in BINARY:
        function = getattr(torch, f"_foreach_{name}")
        yield f"{name}-number", lambda x, a, b, f=function: f(x, 2.0)
        yield f"{name}-numbers", lambda x, a, b, f=function: f(x, [2.0, 3.0])
        yield f"{name}-list", lambda x, a, b, f=function: f(x, a)
    yield "add-alpha", lambda x, a, b: torch._foreach_add(x, a, alpha=0.5)
    yield "add-tensor", lambda x, a, b: torch._foreach_add(x, torch.tensor(2.0))
    yield "mul-tensor", lambda x, a, b: torch._foreach_mul(x, torch.tensor(2.0))
    for name in ("addcdiv", "addcmul"):
        function = getattr(torch, f"_foreach_{name}")
        yield f"{name}-number", lambda x, a, b, f=function: f(x, a, b, 0.5)
        yield f"{name}-numbers", lambda x, a, b, f=function: f(x, a, b, [0.5, 2.0])
    yield "lerp-number", lambda x, a, b: torch._foreach_lerp(x, a, 0.3)
    yield "lerp-numbers", lambda x, a, b: torch._foreach_lerp(x, a, [0.3, 0.2])
    yield "lerp-list", lambda x, a, b: torch._foreach_lerp(x, a, b)
    yield "pow-of-number", lambda x, a, b: torch._foreach_pow(2.0, x)
    yield "norm-1", lambda x, a, b: torch._foreach_norm(x, 1)


CASES = dict(cases())


@pytest.mark.parametrize("name", CASES)
def test_foreach(name):
    torch._dynamo.reset()
    compiled = torch.compile(CASES[name], backend="neuron", fullgraph=True)
    results, expected = compiled(lists(0), lists(1), lists(2)), CASES[name](lists(0), lists(1), lists(2))
    for result, value in zip(results, expected, strict=True):
        torch.testing.assert_close(result, value, equal_nan=True)


def test_in_place():
    def step(x, a):
        torch._foreach_add_(x, 1.0)
        torch._foreach_mul_(x, a)
        torch._foreach_sqrt_(x)

    torch._dynamo.reset()
    x, expected, a = lists(0), lists(0), lists(1)
    torch.compile(step, backend="neuron", fullgraph=True)(x, a)
    step(expected, a)
    for value, other in zip(x, expected, strict=True):
        torch.testing.assert_close(value, other)


@pytest.mark.parametrize("device", ["cpu", "neuron"])
@pytest.mark.parametrize(
    ("optimizer", "kwargs"),
    [
        ("SGD", {"momentum": 0.9}),
        ("AdamW", {}),
        ("AdamW", {"foreach": True, "capturable": False, "lr": 0.01}),
        ("RMSprop", {}),
        ("Adagrad", {}),
    ],
)
def test_compiled_optimizers(device, optimizer, kwargs):
    torch._dynamo.reset()
    torch.manual_seed(0)
    here = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8))
    there = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8))
    there.load_state_dict(here.state_dict())
    there = there.to(device)
    first = getattr(torch.optim, optimizer)(here.parameters(), **{"lr": 0.01, **kwargs})
    second = getattr(torch.optim, optimizer)(there.parameters(), **{"lr": torch.tensor(0.01), **kwargs})
    step, x, wanted = torch.compile(second.step, backend="neuron"), torch.randn(4, 8), torch.randn(4, 8)
    for _ in range(3):
        first.zero_grad(), second.zero_grad()
        (here(x) - wanted).square().mean().backward()
        (there(x.to(device)) - wanted.to(device)).square().mean().backward()
        first.step()
        step()
    for a, b in zip(here.parameters(), there.parameters(), strict=True):
        torch.testing.assert_close(b.cpu(), a, rtol=1e-4, atol=1e-5)
