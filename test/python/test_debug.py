"""torch_neuronx.debug: what is right is called right, and of what is wrong the very operation and line are named."""

import subprocess
import sys

import pytest
import torch
from torch_neuronx import debug
from torch_neuronx.neuron_dynamo_backend import decomposed, decompositions

aten = torch.ops.aten


def values(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.Linear(16, 4)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        h = self.drop(self.norm(torch.nn.functional.gelu(self.first(x))))
        return torch.log_softmax(self.last(h), -1)


@pytest.mark.parametrize("device", ["cpu", "neuron"])
def test_a_network_and_its_backward_are_right(device):
    torch.manual_seed(0)
    model = Network().to(device)
    before = [t.detach().cpu().clone() for t in (*model.parameters(), *model.buffers())]
    state = torch.get_rng_state()
    report = debug.compare(model, (values(4, 8).to(device),))
    assert report.ok and report.first is None and not report.notes, report
    assert {row.graph for row in report.rows} == {"forward", "backward"}
    assert [row.status for row in report.rows if row.status] == ["random"]
    # As it was.
    after = (*model.parameters(), *model.buffers())
    assert all(torch.equal(t.cpu(), b) for t, b in zip(after, before, strict=True))
    assert all(p.grad is None for p in model.parameters())
    assert torch.equal(torch.get_rng_state(), state)


def clamped(x):
    y = x * 2
    z = torch.nn.functional.hardtanh(y)
    return z.exp().sum(0)


def replace(monkeypatch, op, function):
    monkeypatch.setitem(decomposed.OWN, op, function)
    decompositions.forget_tables()


@pytest.fixture
def injected(monkeypatch):
    yield lambda op, function: replace(monkeypatch, op, function)
    monkeypatch.undo()
    decompositions.forget_tables()


def test_a_slightly_wrong_decomposition_is_named_with_its_line(injected):
    assert debug.compare(clamped, (values(4, 8),)).ok
    injected(aten.hardtanh.default, lambda x, low=-1.0, high=1.0: x.clamp(low, high) * 1.0001)
    report = debug.compare(clamped, (values(4, 8),))
    first = clamped.__code__.co_firstlineno
    assert not report.ok
    assert report.first.op == "aten.hardtanh.default"
    assert report.first.frame == (__file__, first + 2, "clamped")
    # Alone, the operations behind it are right: only hardtanh is.
    assert [row.op for row in report.rows if row.isolated and not row.isolated.ok] == ["aten.hardtanh.default"]
    text = str(report)
    assert "z = torch.nn.functional.hardtanh(y)" in text and "WRONG" in text
    by_error = report.table(sort="isolated").splitlines()
    assert "hardtanh" in by_error[1]


def test_a_wrong_backward(injected):
    injected(aten.hardtanh_backward.default, lambda grad, x, low, high: grad * (x > low) * 1.001)
    x = values(4, 8).requires_grad_()
    report = debug.compare(clamped, (x,))
    assert (report.first.op, report.first.graph) == ("aten.hardtanh_backward.default", "backward")
    assert report.first.frame[1] == clamped.__code__.co_firstlineno + 2
    assert debug.compare(clamped, (x,), backward=False).ok


def test_what_the_device_does_not_have_does_not_end_the_report():
    def fn(x):
        return torch.linalg.matrix_exp(x).exp() + 1

    report = debug.compare(fn, (values(4, 4),))
    assert report.ok
    refused, *others = report.rows
    assert refused.status.startswith("unsupported: aten.linalg_matrix_exp.default: no lowering")
    assert all(row.isolated and row.accumulated for row in others)


def test_halves_branches_and_integers():
    def fn(x, i):
        y = torch.cond(x.sum() > 0, lambda x: x.softmax(-1), lambda x: x * 2, (x,))
        return y[i] @ y.mT, i.sort()

    assert debug.compare(fn, (values(6, 16).bfloat16(), torch.tensor([3, 1, 2]))).ok


def test_command_on_a_dumped_graph(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_NEURONX_PRESERVE_COMPILATION_ARTIFACTS", "1")
    torch.compile(clamped, backend="neuron", fullgraph=True)(values(4, 8))
    (program,) = (tmp_path / "debug" / "fx_graphs").rglob("*.py")
    command = [sys.executable, "-m", "torch_neuronx.debug", program, "--sort", "op"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "none is further from eager than it may be" in done.stdout
    line = clamped.__code__.co_firstlineno + 1
    (row,) = [text for text in done.stdout.splitlines() if "aten.mul.Tensor" in text]
    assert "float32[4, 8]" in row and row.endswith(f"{__file__}:{line}")
