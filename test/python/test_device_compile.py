"""torch.compile(backend='neuron') on tensors of the device."""

import neuron_testing as nt  # noqa: F401  (sets the number of threads)
import pytest
import torch
from torch_neuronx import metrics


def norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def test_stays_on_the_device():
    x, weight = torch.randn(4, 512, dtype=torch.bfloat16), torch.randn(512, dtype=torch.bfloat16)
    compiled = torch.compile(norm, backend="neuron", fullgraph=True)
    there = compiled(x.neuron(), weight.neuron())
    assert there.is_neuron
    torch.testing.assert_close(there.cpu(), compiled(x, weight), rtol=0, atol=0)


def test_inputs_are_not_copied():
    x, weight = torch.randn(8, 64, device="neuron"), torch.randn(64, device="neuron")
    compiled = torch.compile(norm, backend="neuron", fullgraph=True)
    compiled(x, weight)
    metrics.clear_counters()
    from torch_neuronx import _C

    _C.reset_counters()
    compiled(x, weight)
    counters = _C.counters()
    assert counters["executions"] == 1 and counters["bytes_copied_in"] == 0


def test_is_the_backend_of_the_device_by_default():
    x, weight = torch.randn(8, 64, device="neuron"), torch.randn(64, device="neuron")
    count = metrics.get_counter_value("Executor.NeffExecutions") or 0
    result = torch.compile(norm, fullgraph=True)(x, weight)
    assert metrics.get_counter_value("Executor.NeffExecutions") == count + 1
    torch.testing.assert_close(result.cpu(), norm(x.cpu(), weight.cpu()), rtol=1e-4, atol=1e-5)


def test_views_are_laid_out_anew_each_call():
    weight = torch.randn(6, 4, device="neuron")
    compiled = torch.compile(lambda x, w: x @ w, backend="neuron", fullgraph=True)
    x = torch.randn(3, 4, device="neuron")
    first = compiled(x, weight.t())
    torch.testing.assert_close(first.cpu(), x.cpu() @ weight.cpu().t())
    for write in (lambda: weight.data.mul_(2), lambda: weight.copy_(torch.ones(6, 4)), lambda: weight.zero_()):
        write()
        torch.testing.assert_close(compiled(x, weight.t()).cpu(), x.cpu() @ weight.cpu().t())


def test_mutation_of_an_input():
    def step(state, x):
        state.mul_(0.5).add_(x)
        return state.sum()

    compiled = torch.compile(step, backend="neuron", fullgraph=True)
    state, x = torch.ones(3, 5, device="neuron"), torch.randn(3, 5, device="neuron")
    expected = state.cpu() * 0.5 + x.cpu()
    total = compiled(state, x)
    torch.testing.assert_close(state.cpu(), expected)
    torch.testing.assert_close(total.cpu(), expected.sum())
    view = torch.ones(3, 10, device="neuron")[:, ::2]
    whole = view.cpu()
    compiled(view, x)
    torch.testing.assert_close(view.cpu(), whole * 0.5 + x.cpu())


def test_outputs_that_are_inputs_and_views():
    def split(x):
        return x, x[1:], x.t(), x + 1, 3, None

    x = torch.randn(4, 3, device="neuron")
    same, part, turned, more, number, nothing = torch.compile(split, backend="neuron", fullgraph=True)(x)
    assert same is x or same.data_ptr() == x.data_ptr()
    x.zero_()
    assert part.cpu().eq(0).all() and turned.cpu().eq(0).all() and not more.cpu().eq(1).all()
    assert (number, nothing) == (3, None)


def test_cpu_tensors_among_them():
    def to_host(x):
        return (x * 2).cpu(), x + 1

    here, there = torch.compile(to_host, backend="neuron", fullgraph=True)(torch.ones(3, device="neuron"))
    assert here.device.type == "cpu" and here.tolist() == [2, 2, 2]
    assert there.is_neuron and there.tolist() == [2, 2, 2]


def test_devices_do_not_mix():
    with pytest.raises(Exception, match="device"):
        torch.compile(torch.add, backend="neuron", fullgraph=True)(torch.ones(3, device="neuron"), torch.ones(3))


def test_random_numbers_follow_the_seed():
    compiled = torch.compile(lambda x: torch.nn.functional.dropout(x, 0.5), backend="neuron", fullgraph=True)
    x = torch.ones(1000, device="neuron")
    torch.manual_seed(1)
    first, second = compiled(x).cpu(), compiled(x).cpu()
    torch.manual_seed(1)
    assert torch.equal(first, compiled(x).cpu()) and not torch.equal(first, second)


def test_errors_say_where():
    def pick(table, index):
        return torch.index_select(table, 0, index)

    compiled = torch.compile(pick, backend="neuron", fullgraph=True)
    compiled(torch.randn(4, 2, device="neuron"), torch.tensor([7], device="neuron"))
    with pytest.raises(IndexError, match=r"index 7 is out of bounds(.|\n)*test_device_compile\.py:\d+"):
        torch.neuron.synchronize()


def test_training():
    torch.manual_seed(0)
    here = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 1))
    there = torch.nn.Sequential(*[type(m)(*a) for m, a in ((torch.nn.Linear(8, 16), (8, 16)), (torch.nn.GELU(), ()), (torch.nn.Linear(16, 1), (16, 1)))])
    there.load_state_dict(here.state_dict())
    there = there.neuron()
    compiled = torch.compile(there, backend="neuron", fullgraph=True)
    x, y = torch.randn(32, 8), torch.randn(32, 1)
    optimizers = torch.optim.AdamW(here.parameters(), lr=0.01), torch.optim.AdamW(there.parameters(), lr=0.01)
    for _ in range(5):
        for model, data, optimizer in ((here, (x, y), optimizers[0]), (compiled, (x.neuron(), y.neuron()), optimizers[1])):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(data[0]), data[1])
            loss.backward()
            optimizer.step()
    for a, b in zip(here.parameters(), there.parameters(), strict=True):
        torch.testing.assert_close(b.cpu(), a, rtol=1e-4, atol=1e-5)
