"""The device 'neuron' as PyTorch sees it: tensors, copies, views, storage, serialization, random numbers, threads."""

import copy
import io
import os
import pickle
import subprocess
import sys
import textwrap

import pytest
import torch
import torch_neuronx

NEURON = torch.device("neuron")


def run(program, **environment):
    """The output of a Python program in a process of its own."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_needs_no_import():
    assert run("import torch; print(torch.randn(2, device='neuron').device)") == "neuron:0"


def test_import_first_and_without_autoload():
    program = "import torch_neuronx, torch; print(torch.ones(2, device='neuron').sum().item())"
    assert run(program) == "2.0"
    assert run(program, TORCH_DEVICE_BACKEND_AUTOLOAD="0") == "2.0"


def test_autoload_starts_no_runtime():
    assert run("import torch; print(torch.neuron.is_initialized(), torch.neuron.is_available())") == "False True"


def test_names():
    tensor = torch.ones(2, device="neuron")
    assert tensor.is_neuron and not torch.ones(2).is_neuron
    assert tensor.device == torch.device("neuron", 0)
    assert torch.ones(2).neuron().is_neuron
    assert torch.nn.Linear(2, 2).neuron().weight.is_neuron
    assert torch.get_device_module("neuron") is torch.neuron
    assert torch.accelerator.current_accelerator().type == "neuron"
    assert torch.accelerator.device_count() == torch.neuron.device_count() == torch_neuronx.device_count()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.float8_e4m3fn])
def test_there_and_back(dtype):
    source = torch.randint(0, 2, (3, 5)).to(dtype)
    there = source.to("neuron")
    assert there.dtype == dtype and there.is_neuron
    torch.testing.assert_close(there.cpu(), source, rtol=0, atol=0)


def test_copies_of_strided_tensors():
    source = torch.randn(4, 6, 5)
    there = source.to("neuron")
    for view in (lambda t: t.transpose(0, 2), lambda t: t[::2, 1:], lambda t: t.expand(2, 4, 6, 5), lambda t: t[1]):
        torch.testing.assert_close(view(there).cpu(), view(source), rtol=0, atol=0)
    target = torch.zeros(4, 12, device="neuron")
    target[:, ::2] = there[:, :, 0]
    torch.testing.assert_close(target.cpu()[:, ::2], source[:, :, 0], rtol=0, atol=0)
    assert target.cpu()[:, 1::2].eq(0).all()


def test_copies_convert():
    source = torch.randn(7)
    there = torch.empty(7, dtype=torch.bfloat16, device="neuron")
    there.copy_(source)
    torch.testing.assert_close(there.cpu(), source.bfloat16(), rtol=0, atol=0)
    back = torch.empty(7, dtype=torch.float64)
    back.copy_(there)
    torch.testing.assert_close(back, source.bfloat16().double(), rtol=0, atol=0)


def test_conjugates():
    source = torch.randn(3, 4, dtype=torch.complex64)
    there = source.to("neuron")
    torch.testing.assert_close(there.conj().cpu(), source.conj().resolve_conj())
    torch.testing.assert_close(there.conj().imag.cpu(), source.conj().imag.resolve_neg())


def test_views_share_memory():
    base = torch.zeros(4, 4, device="neuron")
    view = base[1:3].view(-1)
    view.add_(1)
    base.t()[3] += 2
    expected = torch.zeros(4, 4)
    expected[1:3].view(-1).add_(1)
    expected.t()[3] += 2
    torch.testing.assert_close(base.cpu(), expected)
    assert base.untyped_storage().data_ptr() == view.untyped_storage().data_ptr()


def test_in_place_over_its_own_memory():
    tensor = torch.arange(8.0, device="neuron")
    tensor[1:].copy_(tensor[:-1].clone())
    assert tensor.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]
    tensor = torch.arange(8.0, device="neuron")
    tensor.add_(tensor)
    assert tensor.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.zeros(1, device="neuron").expand(3).add_(1)


def test_resize_and_set():
    tensor = torch.arange(4.0, device="neuron")
    tensor.resize_(2, 4)
    assert tensor.shape == (2, 4) and tensor[0].tolist() == [0, 1, 2, 3]
    other = torch.empty(0, device="neuron")
    other.set_(tensor.untyped_storage(), 1, (2,), (2,))
    assert other.tolist() == [1, 3]
    out = torch.empty(0, device="neuron")
    torch.add(tensor[0], 1, out=out)
    assert out.tolist() == [1, 2, 3, 4]


def test_empty_tensors():
    tensor = torch.empty(0, 3, device="neuron")
    assert (tensor + 1).shape == (0, 3)
    assert tensor.sum().item() == 0
    assert torch.cat([tensor, torch.ones(1, 3, device="neuron")]).tolist() == [[1, 1, 1]]


def test_devices_do_not_mix():
    with pytest.raises(RuntimeError, match="same device.*neuron:0.*cpu"):
        torch.ones(2, device="neuron") + torch.ones(2)
    assert (torch.ones(2, device="neuron") + torch.tensor(2.0)).tolist() == [3, 3]


def test_save_and_load():
    module = torch.nn.Linear(3, 2).neuron()
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    here = torch.load(file, map_location="cpu")
    file.seek(0)
    there = torch.load(file)
    assert here["weight"].device.type == "cpu" and there["weight"].is_neuron
    torch.testing.assert_close(there["weight"].cpu(), here["weight"])
    module.load_state_dict(here)


@pytest.mark.parametrize("held", [False, True])
def test_shared_parameters_stay_shared(held):
    import weakref

    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))
    module[1].weight = module[0].weight
    weight, reference = module[0].weight, weakref.ref(module[0].weight) if held else None
    module.to("neuron")
    assert module[0].weight is module[1].weight and module[0].weight.is_neuron
    assert all(t.is_neuron for t in module.state_dict().values())
    assert held or module[0].weight is weight, "an optimizer may hold it"
    module.cpu().double()
    assert module[0].weight is module[1].weight and module[0].weight.dtype == torch.float64
    assert not torch.__future__.get_swap_module_params_on_conversion()
    del reference


def test_copies_of_objects():
    tensor = torch.randn(3, device="neuron", requires_grad=True)
    for other in (copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor)), copy.copy(tensor)):
        assert other.is_neuron
        torch.testing.assert_close(other.cpu(), tensor.cpu())


def test_prints_like_any_tensor():
    torch_neuronx.clear_op_tracking()
    text = repr(torch.tensor([1.5, float("nan")], device="neuron"))
    assert text == "tensor([1.5000,    nan], device='neuron:0')"
    assert not torch_neuronx.get_fallback_ops()


def test_random_numbers():
    torch.manual_seed(3)
    first = torch.randn(100, device="neuron")
    state = torch.neuron.get_rng_state()
    second = torch.rand(100, device="neuron")
    torch.neuron.set_rng_state(state)
    assert torch.equal(second.cpu(), torch.rand(100, device="neuron").cpu())
    torch.neuron.manual_seed(3)
    assert torch.equal(first.cpu(), torch.randn(100, device="neuron").cpu())
    generator = torch.Generator("neuron").manual_seed(5)
    one = torch.randn(10, generator=generator, device="neuron")
    assert torch.equal(one.cpu(), torch.randn(10, generator=generator.manual_seed(5), device="neuron").cpu())
    with pytest.raises(RuntimeError, match="generator"):
        torch.randn(10, generator=torch.Generator(), device="neuron")


def test_pinned_memory():
    tensor = torch.randn(100).pin_memory()
    assert tensor.is_pinned() and not torch.randn(1).is_pinned()
    there = tensor.to("neuron", non_blocking=True)
    torch.testing.assert_close(there.cpu(), tensor)


def test_fork_is_refused():
    program = """
        import os, torch
        torch.ones(1, device="neuron")
        pid = os.fork()
        if pid == 0:
            assert torch.neuron._is_in_bad_fork()
            try:
                torch.ones(1, device="neuron")
            except RuntimeError as error:
                os._exit(0 if "'spawn' start method" in str(error) else 2)
            os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    assert run(program) == "0"


def _double(index):
    return torch.full((2,), float(index))


def test_data_loader_with_workers():
    program = """
        import torch
        if __name__ == "__main__":
            torch.ones(1, device="neuron")
            data = torch.utils.data.TensorDataset(torch.arange(8.0))
            loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=2, pin_memory=True)
            print([batch[0].to("neuron").sum().item() for batch in loader])
    """
    assert run(program) == "[6.0, 22.0]"


def test_autocast():
    a, b = torch.randn(4, 4, device="neuron"), torch.randn(4, 4, device="neuron")
    with torch.autocast("neuron", dtype=torch.bfloat16):
        assert (a @ b).dtype == torch.bfloat16
        assert (a + b).dtype == torch.float32
        assert torch.softmax((a @ b), -1).dtype == torch.float32


def test_errors_of_a_stream_come_later_and_say_where():
    table = torch.randn(4, 2, device="neuron")
    index = torch.tensor([0, 9], device="neuron")
    torch.index_select(table, 0, index)
    with pytest.raises(IndexError, match=r"aten::index_select(.|\n)*test_device\.py:\d+"):
        torch.neuron.synchronize()
    torch.neuron.synchronize()
    assert torch.ones(2, device="neuron").sum().item() == 2


def test_device_index_out_of_range():
    count = torch.neuron.device_count()
    with pytest.raises((ValueError, RuntimeError), match="Invalid device id"):
        torch.ones(1, device=f"neuron:{count}")
    with pytest.raises(ValueError, match="Invalid device id"):
        torch.neuron.set_device(count)


def test_dlpack():
    tensor = torch.arange(3.0, device="neuron")
    assert tensor.cpu().__dlpack_device__()[0] == 1
    capsule = torch.utils.dlpack.to_dlpack(tensor)
    assert torch.utils.dlpack.from_dlpack(capsule).tolist() == [0, 1, 2]


@pytest.mark.parametrize("wait", ["torch.neuron.synchronize()", "x.cpu()"])
def test_ctrl_c_ends_a_wait(wait):
    program = f"""
        import os, signal, threading, time, torch
        # A shell's background jobs ignore it, and so would Python.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        x = torch.randn(1024, 1024, device="neuron")
        for _ in range(400):
            x = x @ x
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.time()
        try:
            {wait}
        except KeyboardInterrupt:
            print("interrupted", time.time() - begin < 3, flush=True)
        os._exit(0)  # the device would have its work done first
    """
    assert run(program) == "interrupted True"


def test_a_broken_package_does_not_break_torch(tmp_path):
    import shutil

    package = tmp_path / "torch_neuronx"
    package.mkdir()
    for file in os.scandir(os.path.dirname(torch_neuronx.__file__)):
        if file.name.endswith(".py"):
            shutil.copy(file.path, package)
    (package / "_C.py").write_text("raise ImportError('libsomething.so is not there')")
    info = next(p for p in sys.path if any(n.startswith("torch_neuronx-") for n in os.listdir(p or ".")))
    shutil.copytree(next(e.path for e in os.scandir(info) if e.name.startswith("torch_neuronx-")), tmp_path / "torch_neuronx-0.dist-info")
    program = """
        import warnings
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            import torch
        print(torch.ones(2).sum().item(), [str(w.message) for w in seen if "neuron" in str(w.message)])
        try:
            import torch_neuronx
            torch_neuronx.synchronize
        except ImportError as error:
            print(error)
    """
    lines = run(program, PYTHONPATH=str(tmp_path)).splitlines()
    assert lines[0] == "2.0 [\"the device 'neuron' is not available: ImportError: libsomething.so is not there\"]"
    assert lines[1] == "libsomething.so is not there"
