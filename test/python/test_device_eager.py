"""Eager on the device: one operation is one dispatch, cached by its signature; fallbacks are seen; training."""

import warnings

import neuron_testing as nt  # noqa: F401  (sets the number of threads)
import pytest
import torch
import torch_neuronx
from torch.nn import functional
from torch_neuronx import _C


@pytest.fixture(autouse=True)
def clean():
    torch.manual_seed(0)
    torch_neuronx.clear_op_tracking()


def launches(function):
    """(result, dispatches) of a call."""
    before = _C.eager_statistics()["launches"]
    result = function()
    return result, _C.eager_statistics()["launches"] - before


def there(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype).neuron()


IMAGE, SEQUENCE = (2, 4, 8, 8), (2, 4, 16, 8)
ONE_DISPATCH = {
    "rms_norm": lambda x: torch.rms_norm(x, (8,), x[0, 0, 0], 1e-6),
    "rms_norm without weight": lambda x: functional.rms_norm(x, (8,)),
    "layer_norm": lambda x: functional.layer_norm(x, (8,), x[0, 0, 0], x[0, 0, 1]),
    "softmax": lambda x: functional.softmax(x, -1),
    "log_softmax": lambda x: functional.log_softmax(x, 1),
    "scaled_dot_product_attention": lambda x: functional.scaled_dot_product_attention(x, x, x, is_causal=True),
    "gelu": functional.gelu,
    "gelu tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "batch_norm": lambda x: functional.batch_norm(x, x[0, :, 0, 0], x[1, :, 0, 0] ** 2),
    "convolution": lambda x: functional.conv2d(x, x[:1].expand(3, 4, 8, 8)[..., :3, :3], padding=1),
    "max_pool2d": lambda x: functional.max_pool2d(x, 2),
    "linear": lambda x: functional.linear(x, x[0, 0]),
    "mean": lambda x: x.mean((1, 2)),
    "where": lambda x: torch.where(x > 0, x, x[:1]),
    "cat": lambda x: torch.cat([x, x], 1),
}
# Their operands are made by operations of their own.
EXTRA = {"batch_norm": 1, "where": 1, "convolution": 0}


@pytest.mark.parametrize("name", ONE_DISPATCH)
def test_one_operation_is_one_dispatch(name):
    x = there(*IMAGE)
    with torch.no_grad():
        result, count = launches(lambda: ONE_DISPATCH[name](x))
        assert count == 1 + EXTRA.get(name, 0)
        assert not torch_neuronx.get_fallback_ops()
        torch.testing.assert_close(result.cpu(), ONE_DISPATCH[name](x.cpu()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "view", [lambda x: x[1:], lambda x: x.t(), lambda x: x.view(-1), lambda x: x.expand(2, 4, 4), torch.detach]
)
def test_views_are_no_dispatch(view):
    x = there(4, 4)
    assert launches(lambda: view(x))[1] == 0


def test_a_signature_is_compiled_once():
    x = there(5, 7)
    x + x
    before = _C.eager_statistics()
    for _ in range(10):
        x + x
    after = _C.eager_statistics()
    assert after["misses"] == before["misses"] and after["hits"] - before["hits"] == 10
    x.t() + x.t()
    assert _C.eager_statistics()["misses"] == after["misses"] + 1


def test_a_number_of_another_value_is_no_new_program():
    x = there(3, 9)
    x + 1.5
    before = _C.eager_statistics()["misses"]
    for value in (2.5, -0.0, float("inf")):
        torch.testing.assert_close((x + value).cpu(), x.cpu() + value)
    assert _C.eager_statistics()["misses"] == before


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32, torch.bool])
@pytest.mark.parametrize("number", [2, 0.1, True])
def test_numbers_promote_as_on_the_cpu(dtype, number):
    here = torch.tensor([0, 1, 1]).to(dtype)
    for op in (torch.add, torch.mul, torch.eq):
        expected, result = op(here, number), op(here.neuron(), number)
        torch.testing.assert_close(result.cpu(), expected, rtol=0, atol=0)


def test_out_and_in_place():
    x, y = there(4, 4), there(4, 4)
    out = torch.empty(0, device="neuron")
    torch.mul(x, y, out=out)
    torch.testing.assert_close(out.cpu(), x.cpu() * y.cpu())
    half = torch.zeros(4, 4, dtype=torch.bfloat16, device="neuron")
    torch.mul(x, y, out=half)
    torch.testing.assert_close(half.cpu(), (x.cpu() * y.cpu()).bfloat16())
    values, indices = torch.max(x, 1, out=(torch.empty(0, device="neuron"), torch.empty(0, dtype=torch.long, device="neuron")))
    assert torch.equal(indices.cpu(), x.cpu().max(1)[1]) and torch.equal(values.cpu(), x.cpu().max(1)[0])
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.zeros(2, dtype=torch.long, device="neuron").add_(1.5)
    with pytest.raises(RuntimeError, match="output with shape"):
        torch.zeros(2, device="neuron").add_(torch.zeros(3, 2, device="neuron"))


def test_in_place_on_a_strided_view_leaves_the_rest():
    x = torch.zeros(6, 6, device="neuron")
    x[::2, 1::3].add_(5).mul_(2)
    expected = torch.zeros(6, 6)
    expected[::2, 1::3].add_(5).mul_(2)
    assert torch.equal(x.cpu(), expected)


def test_overlapping_operands():
    for device in ("cpu", "neuron"):
        x = torch.arange(10.0, device=device)
        with pytest.raises(RuntimeError, match="single memory location"):
            x[1:] += x[:-1]
    x[1:].copy_(x[:-1].clone())
    assert x.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    # Interleaved, so that the ranges overlap and the elements do not.
    y = torch.arange(10.0, device="neuron")
    y[::2].add_(y[1::2])
    assert y.tolist() == [1, 1, 5, 3, 9, 5, 13, 7, 17, 9]


def test_what_the_cpu_did_is_seen():
    x = there(4, 4)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.linalg.ldl_factor(x @ x.t())
        torch.linalg.ldl_factor(x @ x.t())
    assert [str(w.message).split(" runs")[0] for w in seen] == ["aten::linalg_ldl_factor_ex"]
    assert torch_neuronx.get_fallback_ops() == ["aten::linalg_ldl_factor_ex"]
    assert "aten::mm" in torch_neuronx.get_executed_ops()


def test_a_fallback_can_be_an_error(monkeypatch):
    monkeypatch.setenv("NEURON_FALLBACK_ENABLED", "0")
    with pytest.raises(NotImplementedError, match=r"aten::linalg_qr cannot run on the neuron device(.|\n)*NEURON_FALLBACK_ENABLED"):
        torch.linalg.qr(there(3, 3))


def test_batch_norm_updates_its_statistics():
    here, there_ = torch.nn.BatchNorm2d(4), torch.nn.BatchNorm2d(4).neuron()
    x = torch.randn(IMAGE)
    torch.testing.assert_close(there_(x.neuron()).cpu(), here(x), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(there_.running_mean.cpu(), here.running_mean)
    torch.testing.assert_close(there_.running_var.cpu(), here.running_var)
    assert there_.num_batches_tracked.item() == 1


@pytest.mark.parametrize("cell", ["LSTM", "GRU", "RNN"])
def test_recurrent_networks(cell):
    here = getattr(torch.nn, cell)(4, 6, num_layers=2, batch_first=True)
    other = getattr(torch.nn, cell)(4, 6, num_layers=2, batch_first=True)
    other.load_state_dict(here.state_dict())
    other = other.neuron()
    x = torch.randn(2, 5, 4)
    expected, result = here(x)[0], other(x.neuron())[0]
    torch.testing.assert_close(result.cpu(), expected, rtol=1e-4, atol=1e-5)
    expected.sum().backward()
    result.sum().backward()
    for a, b in zip(here.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-4, atol=1e-5)
    assert not torch_neuronx.get_fallback_ops()


def train(device, optimizer, steps=8, **kwargs):
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.LayerNorm(64),
        torch.nn.Linear(64, 10),
    ).to(device)
    x, y = torch.randn(16, 1, 8, 8).to(device), torch.randint(0, 10, (16,)).to(device)
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), lr=0.01, **kwargs)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).cpu(), [p.detach().cpu() for p in model.parameters()]


@pytest.mark.parametrize(
    ("optimizer", "kwargs"),
    [
        ("SGD", {"momentum": 0.9, "nesterov": True}),
        ("SGD", {"foreach": True}),
        ("AdamW", {"foreach": True}),
        ("AdamW", {"foreach": False}),
        ("Adam", {"fused": True, "amsgrad": True, "weight_decay": 0.01}),
        ("AdamW", {"fused": True}),
        ("SGD", {"fused": True, "momentum": 0.9, "nesterov": True}),
        ("Adagrad", {"fused": True}),
        ("RMSprop", {}),
        ("Adagrad", {}),
    ],
)
def test_training(optimizer, kwargs):
    losses, parameters = train("neuron", optimizer, **kwargs)
    assert not torch_neuronx.get_fallback_ops()
    expected, reference = train("cpu", optimizer, **kwargs)
    torch.testing.assert_close(losses, expected, rtol=1e-3, atol=1e-4)
    for a, b in zip(parameters, reference, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-2, atol=1e-3)
    assert losses[-1] < losses[0]


def test_double_backward_and_func():
    x = torch.randn(5, requires_grad=True)
    y = x.detach().neuron().requires_grad_()

    def penalty(t):
        (grad,) = torch.autograd.grad((t.sin() * t).sum(), t, create_graph=True)
        return torch.autograd.grad(grad.square().sum(), t)[0]

    torch.testing.assert_close(penalty(y).cpu(), penalty(x), rtol=1e-4, atol=1e-5)
    jacobian = torch.func.vmap(torch.func.grad(lambda t: t.sin().sum()))(y.detach().view(5, 1))
    torch.testing.assert_close(jacobian.cpu(), x.detach().cos().view(5, 1), rtol=1e-4, atol=1e-5)
