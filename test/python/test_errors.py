"""Every error says where, what and what to do, and is one of ours."""

import os
import subprocess

import pytest
import torch
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend import (
    NEFFCompilationError,
    NEFFExecutionError,
    fx_to_mlir_string,
    load_mlir,
    save_mlir,
)
from torch_neuronx.neuron_dynamo_backend.compile import compile_static

X = torch.arange(20.0).reshape(4, 5)


def neuron(fn, **kwargs):
    return torch.compile(fn, backend="neuron", fullgraph=True, **kwargs)


def two_unsupported(x):
    y = torch.linalg.svdvals(x).sum()
    z = torch.geqrf(x)[0]
    return y + z


def trace(fn, *args):
    return torch.fx.experimental.proxy_tensor.make_fx(fn, tracing_mode="fake")(*args)


def test_all_unsupported_operations_at_once_with_source_and_reproducer():
    with pytest.raises(NEFFCompilationError) as caught:
        neuron(two_unsupported)(X)
    text = str(caught.value)
    assert "2 operations of this graph cannot be compiled" in text
    first = two_unsupported.__code__.co_firstlineno + 1
    for line, op, code in (
        (first, "aten._linalg_svd.default(float32[4, 5]", "y = torch.linalg.svdvals(x).sum()"),
        (first + 1, "aten.geqrf.default(float32[4, 5])", "z = torch.geqrf(x)[0]"),
    ):
        assert op in text
        where = f'File "{__file__}", line {line}, in two_unsupported'
        assert f"{where}\n         {code}\n         {'^' * len(code)}\n" in text
    assert "hint:" in text
    refused = [target for target, _ in caught.value.unsupported]
    assert refused == ["aten._linalg_svd.default", "aten.geqrf.default"]
    # The command at the end of the message fails with the same operations.
    command = text.split("Reproducer:")[1].splitlines()[1].split()
    run = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))
    assert run.returncode != 0 and "2 operations of this graph cannot be compiled" in run.stderr


def scatters_over_windows(x):
    windows = x.unfold(0, 4, 3)
    return torch.slice_scatter(windows, windows[:, 0::2].flip(1), 1, 0, None, 2).exp()


def returns_over_windows(x):
    windows = x.unfold(0, 4, 3)
    return torch.empty_strided(windows.shape, windows.stride()).copy_(windows)


def updates_windows(windows):
    return windows.add_(1)


@pytest.mark.parametrize(
    "fn, x",
    [
        (scatters_over_windows, torch.arange(7.0)),
        (returns_over_windows, torch.arange(7.0)),
        (updates_windows, torch.arange(7.0).unfold(0, 4, 3)),
    ],
)
def test_elements_that_share_memory_are_not_written(fn, x):
    """Eager writes one element after the other, and the last one stays."""
    before = x.clone()
    with pytest.raises(NEFFCompilationError, match=r"share memory") as caught:
        neuron(fn)(x)
    assert "hint:" in str(caught.value) and "contiguous" in str(caught.value)
    assert torch.equal(x, before)


@pytest.mark.parametrize("dtype", [torch.complex32, torch.float4_e2m1fn_x2])
def test_unsupported_dtypes(dtype):
    name = str(dtype).removeprefix("torch.")
    with pytest.raises(NEFFCompilationError, match=f"dtype {name} is not supported"):
        neuron(lambda x: x.to(dtype))(X)


def test_rank_above_sixteen():
    with pytest.raises(NEFFCompilationError, match="rank 17 is more than 16"):
        neuron(lambda x: x + 1)(torch.ones((1,) * 17))


def test_a_failure_is_not_replayed_from_a_cache():
    for _ in range(2):
        torch._dynamo.reset()
        with pytest.raises(NEFFCompilationError, match="aten._linalg_svd"):
            neuron(two_unsupported)(X)


def test_reproducer_directory_that_cannot_be_written(monkeypatch):
    monkeypatch.setenv("TORCH_NEURONX_DEBUG_DIR", "/proc/nowhere")
    with pytest.raises(NEFFCompilationError, match="aten._linalg_svd(.|\n)*No reproducer was written"):
        neuron(two_unsupported)(X)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"roundings": "eager"}, "there is no option 'roundings'; the options are: rounding, target"),
        ({"rounding": "loose"}, "option 'rounding' cannot be 'loose'; it is one of: default|eager"),
        ({"disable_cache": "yes"}, "option 'disable_cache' is a bool, got str"),
        ({"target": "trn9"}, "option 'target' cannot be 'trn9'"),
    ],
)
def test_options(options, message):
    with pytest.raises(Exception) as caught:
        neuron(lambda x: x + 1, options=options)(X)
    assert message in str(caught.value)


def test_environment_variable_of_an_option(monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_ROUNDING", "loose")
    with pytest.raises(ValueError, match="environment variable NEURON_MLIR_ROUNDING: option 'rounding' cannot be"):
        _C.Options()
    monkeypatch.setenv("NEURON_MLIR_ROUNDING", "eager")
    assert _C.Options().rounding == "eager"
    assert _C.Options({"rounding": "default"}).rounding == "default"


def test_every_option_is_documented():
    for row in _C.option_table():
        assert row["why"] and row["off"], row["name"]
    assert set(_C.Options().as_dict()) == {row["name"] for row in _C.option_table()}


def compiled_add():
    return compile_static(trace(lambda x, y: x + y, X, X), "inference", _C.Options())


@pytest.mark.parametrize(
    "inputs, message",
    [
        ([X], "Expected 2 inputs, got 1"),
        ([X, X[1:]], r"input 1 \(y_1\) is float32\[3, 5\], the compiled graph expects float32\[4, 5\]"),
        ([X.double(), X], r"input 0 \(x_1\) is float64\[4, 5\], the compiled graph expects float32\[4, 5\]"),
        ([X, 3], r"input 1 \(y_1\) is a int, the compiled graph expects a tensor float32\[4, 5\]"),
        ([X, X.to("meta")], "input 1 .* is on device meta"),
        ([X, X.to_sparse()], "not strided"),
    ],
)
def test_wrong_inputs(inputs, message):
    with pytest.raises(NEFFExecutionError, match=message):
        compiled_add()(list(inputs))


def test_damaged_neffs():
    code = compiled_add()
    flipped = code.neff[:1100] + bytes([code.neff[1100] ^ 1]) + code.neff[1101:]
    for bad in (b"", code.neff[:100], code.neff[:-200], flipped):
        with pytest.raises(NEFFExecutionError, match="nrt_load failed"):
            _C.Executor(bad, code.plan)


def test_ir_text(tmp_path):
    text = fx_to_mlir_string(trace(lambda x: x * 2, X))
    assert "neuron.mul" in text and "L0" not in text
    assert 'loc("L0"' in fx_to_mlir_string(trace(lambda x: x * 2, X), verbose=True)
    path = save_mlir(text, tmp_path / "a.mlir")
    assert load_mlir(path).text() == text
    save_mlir("func.func @main(", path)
    with pytest.raises(ValueError, match="not valid IR"):
        load_mlir(path)


def test_odd_graphs_do_not_crash():
    graph = torch.fx.Graph()
    graph.output(())
    assert _C.import_fx(torch.fx.GraphModule({}, graph)).unsupported == []
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.ops.aten.add.Tensor, (x, x)))  # no meta at all
    _C.import_fx(torch.fx.GraphModule({}, graph))
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = X
    y = graph.call_function(max, (x, 1))
    y.meta["val"] = X
    z = graph.call_method("cos", (y,))
    graph.output((z, y))
    assert [what[0] for what in _C.import_fx(torch.fx.GraphModule({}, graph)).unsupported] == [1, 2]
    for junk in (None, 3, object()):
        with pytest.raises(AttributeError):
            _C.import_fx(junk)
