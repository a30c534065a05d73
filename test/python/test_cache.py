"""NEFFs on disk: found again, made once, never trusted blindly, never a reason to fail."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch_neuronx import _C, metrics
from torch_neuronx.neuron_dynamo_backend import NEFFCompilationError
from torch_neuronx.neuron_dynamo_backend.compile import compile_static

X = torch.arange(20.0).reshape(4, 5)


def trace(fn=lambda x: x + 1):
    return torch.fx.experimental.proxy_tensor.make_fx(fn, tracing_mode="fake")(X)


def compile_add(**options):
    metrics.clear_all()
    code = compile_static(trace(), "inference", _C.Options(options))
    torch.testing.assert_close(code([X])[0], X + 1)
    return metrics.get_counter_value("CompilationCache.TotalCompilations") is not None


def entries(pattern="*.neff"):
    return sorted(Path(os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"]).rglob(pattern))


def test_second_compilation_is_a_hit():
    assert compile_add()
    assert not compile_add()
    (path,) = entries("*")[-1:]
    assert path.parent.parent.name == path.name[:2] and path.parent.name == path.name[2:4]
    assert [p.name for p in entries("*") if p.is_file()] == [path.name]  # no lock, no temporary file


def test_key_depends_on_ir_options_and_build_not_on_lines():
    key = lambda fn, **options: _C.cache_key(_C.import_fx(trace(fn)), _C.Options(options))  # noqa: E731
    one = key(lambda x: x + 1)
    assert one == key(lambda x: x + 1)
    assert one != key(lambda x: x + 2)
    assert one != key(lambda x: x + 1, rounding="eager")
    assert one == key(lambda x: x + 1, debug_dir="/elsewhere", model_name="other")
    assert len(_C.build_id()) == 40


def test_key_depends_on_all_of_a_graph():
    def key(fn, *inputs):
        graph = torch.fx.experimental.proxy_tensor.make_fx(fn)(*inputs)
        return _C.cache_key(_C.import_fx(graph), _C.Options({}))

    x, constants = torch.ones(3, 4), [torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])]
    keys = [
        key(lambda x: x * 0.0, x),
        key(lambda x: x * -0.0, x),
        key(lambda x: x * 0, x),
        key(lambda x: x * False, x),
        key(lambda x: x * 0.0, x.t()),
        key(lambda x: x * 0.0, x.view(4, 3)),
        key(lambda x: x * 0.0, x.double()),
        key(lambda x: x.sum(0), x),
        key(lambda x: x.sum((0, 1)), x),
        key(lambda x: x.to(torch.int32), x),
        key(lambda x: x.to(torch.int64), x),
        key(lambda x, y: x + y * 2, x, x.clone()),
        key(lambda x, y: y + x * 2, x, x.clone()),
        key(lambda x: (x, x + 1), x),
        key(lambda x: (x + 1, x), x),
        key(lambda x: x[:, :2] + constants[0], x),
        key(lambda x: x[:, :2] + constants[1], x),
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", ["TORCH_NEURONX_NEFF_DISABLE_CACHE", "TORCH_NEURONX_DISABLE_NEFF_CACHE"])
def test_disabled(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    compile_add()  # perhaps another test's
    assert not compile_add()
    assert metrics.get_counter_value("CompilationCache.InMemoryHits") == 1
    assert entries() == []


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b[:1500] + b"x" + b[1501:]])
def test_damaged_entry_is_made_again(damage):
    compile_add()
    (path,) = entries()
    good = path.read_bytes()
    path.write_bytes(damage(good))
    with pytest.warns(UserWarning, match="is damaged .* and is made again"):
        assert compile_add()
    assert path.read_bytes() == good
    assert not compile_add()


def test_directory_that_cannot_be_written():
    with pytest.warns(UserWarning, match="NEFF cache: cannot create /proc/nowhere.*TORCH_NEURONX_NEFF_CACHE_DIR"):
        assert compile_add(cache_dir="/proc/nowhere")


def test_directory_that_is_full():
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # a NEFF is larger
    try:
        with pytest.warns(UserWarning, match="NEFF cache: cannot write .*: File too large; the compiled graph is used"):
            assert compile_add()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path for path in entries("*") if path.is_file()] == []


def test_failures_are_not_kept():
    gm = trace(lambda x: torch.geqrf(x))
    for _ in range(2):
        with pytest.raises(NEFFCompilationError):
            compile_static(gm, "inference", _C.Options())
    assert entries("*") == []


CHILD = """
import torch
from torch_neuronx import metrics
f = torch.compile(lambda x: x.softmax(-1) * 3, backend="neuron", fullgraph=True)
x = torch.arange(20.0).reshape(4, 5)
torch.testing.assert_close(f(x), x.softmax(-1) * 3)
print(metrics.get_counter_value("CompilationCache.TotalCompilations") or 0,
      metrics.get_counter_value("CompilationCache.AOTAutogradHits") or 0)
"""


def spawn(tmp_path, **env):
    # Other tests of this process switch PyTorch's own caches off.
    inherited = {name: value for name, value in os.environ.items() if "DISABLE_CACHE" not in name}
    env = {**inherited, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "torch"), **env}
    return subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True, env=env)


def test_concurrent_processes_compile_once(tmp_path):
    children = [spawn(tmp_path, TORCHINDUCTOR_CACHE_DIR=str(tmp_path / str(i))) for i in range(2)]
    made = [int(child.communicate()[0].split()[0]) for child in children]
    assert sum(made) == 1
    # A third finds what AOTAutograd kept: neither traced for autograd nor compiled.
    assert spawn(tmp_path, TORCHINDUCTOR_CACHE_DIR=str(tmp_path / "0")).communicate()[0].split() == ["0", "1"]


def test_dumps(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCH_NEURONX_PRESERVE_COMPILATION_ARTIFACTS", "1")
    compile_add()
    root = Path(os.environ["TORCH_NEURONX_DEBUG_DIR"])
    kinds = {path.parent.parent.name: path for path in root.rglob("*") if path.is_file()}
    assert {"fx_graphs", "raw", "neff", "graph", "fused", "nisa", "scheduled"} <= set(kinds)
    assert "neuron.add" in kinds["raw"].read_text()
    assert kinds["fx_graphs"].name.startswith("model_default_")
    assert kinds["fx_graphs"].parent.name == "proc_0"
