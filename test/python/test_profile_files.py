"""What profiles hold, read with Google's protobuf by the schemas in runtime/profile.

A process of its own drives libnrt.so.1 through ctypes, as any client could.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NEURON_MLIR_BUILD", ROOT / "build"))
SCHEMAS = ROOT / "runtime" / "profile"

pytest.importorskip("google.protobuf", reason="no protobuf")
protoc = pytest.importorskip("grpc_tools.protoc", reason="no grpcio-tools")

CLIENT = r"""
import ctypes, json, sys
library, neff, out = sys.argv[1:4]
nrt = ctypes.CDLL(library)

def check(name, *arguments):
    status = getattr(nrt, name)(*arguments)
    nrt.neuron_sim_last_error.restype = ctypes.c_char_p
    assert status == 0, (name, status, nrt.neuron_sim_last_error())

def pointer():
    return ctypes.c_void_p()

check("nrt_init", 1, b"", b"")
bytes_ = open(neff, "rb").read()
model = pointer()
check("nrt_load", bytes_, ctypes.c_size_t(len(bytes_)), 1, 1, ctypes.byref(model))

class Line(ctypes.Structure):
    _fields_ = [("id", ctypes.c_char_p), ("op", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_uint32)]

lines = (Line * 2)(Line(b"add", b"aten.add", b"net.py", 7), Line(b"other", None, None, 0))
check("neuron_sim_set_source_lines", model, lines, ctypes.c_size_t(2))

config = pointer()
check("nrt_inspect_config_allocate", ctypes.byref(config))
check("nrt_inspect_config_set_output_dir", config, out.encode())
check("nrt_inspect_config_set_enable_inspect", config, True)
check("nrt_inspect_begin_with_options", config)

tensors = {}
for name in (b"a", b"b", b"out"):
    tensors[name] = pointer()
    check("nrt_tensor_allocate", 0, 1, ctypes.c_size_t(65536), name, ctypes.byref(tensors[name]))
    check("nrt_tensor_write", tensors[name], bytes(65536), ctypes.c_size_t(0), ctypes.c_size_t(65536))
sets = [pointer(), pointer()]
for one, names in zip(sets, ((b"a", b"b"), (b"out",))):
    check("nrt_allocate_tensor_set", ctypes.byref(one))
    for name in names:
        check("nrt_add_tensor_to_tensor_set", one, name, tensors[name])

spans, start, end = [], ctypes.c_uint64(), ctypes.c_uint64()
check("nrt_execute", model, *sets)
check("neuron_sim_last_span", ctypes.byref(start), ctypes.byref(end))
spans.append([start.value, end.value])
ret, seq, done = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_bool()
check("nrta_execute_schedule", model, *sets, 0, ctypes.byref(ret), ctypes.byref(seq))
while not done.value:
    check("nrta_is_completed", seq, ctypes.byref(done))
check("neuron_sim_request_span", seq, ctypes.byref(start), ctypes.byref(end))
spans.append([start.value, end.value])
check("nrt_inspect_stop")
folder = ctypes.create_string_buffer(4096)
check("neuron_sim_inspect_folder", folder, ctypes.c_size_t(4096))
total = ctypes.c_uint64()
check("neuron_sim_predicted_time_ps", model, ctypes.byref(total))
nrt.nrt_close()
print(json.dumps({"folder": folder.value.decode(), "spans": spans, "seq": seq.value, "total": total.value}))
"""

# Just ends.
HASTY = """
import ctypes, sys
nrt = ctypes.CDLL(sys.argv[1])
assert nrt.nrt_init(1, b"", b"") == 0
x = ctypes.c_void_p()
assert nrt.nrt_tensor_allocate(0, 0, ctypes.c_size_t(4), b"x", ctypes.byref(x)) == 0
"""


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    """The two modules that protoc makes."""
    folder = tmp_path_factory.mktemp("schemas")
    names = ["device_profile", "system_profile"]
    arguments = ["protoc", f"-I{SCHEMAS}", f"--python_out={folder}", *(f"{name}.proto" for name in names)]
    assert protoc.main(arguments) == 0
    sys.path.insert(0, str(folder))
    try:
        return {name: importlib.import_module(f"{name}_pb2") for name in names}
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the client says of its run; `folder` holds the files."""
    folder = tmp_path_factory.mktemp("profile")
    neff = folder / "add.neff"
    subprocess.run([BUILD / "bin" / "make-sample", "add", neff], check=True)
    result = subprocess.run(
        [sys.executable, "-c", CLIENT, BUILD / "lib" / "libnrt.so.1", neff, folder / "out"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NEURON_MLIR_SIMULATOR": "interpreter", "NEURON_MLIR_DISPATCH_COST": "execute"},
    )
    assert result.returncode == 0, result.stderr
    return {**json.loads(result.stdout), "neff": neff}


def read(told, message, name):
    paths = list(pathlib.Path(told["folder"]).glob(name))
    assert len(paths) == 1
    message.ParseFromString(paths[0].read_bytes())
    # Nothing is written that the schema does not have.
    message.DiscardUnknownFields()
    assert message.ByteSize() == paths[0].stat().st_size
    return message


@pytest.fixture(scope="module")
def device(told, schemas):
    return read(told, schemas["device_profile"].DeviceProfile(), "*.ntff")


def test_says_what_it_is(told, device):
    assert device.format == "neuron-mlir device profile"
    assert device.version == 1
    assert device.is_simulation
    assert "simulator" in device.runtime
    assert device.core == 1
    (model,) = device.models
    assert model.target == "trn2"
    assert model.is_validated
    assert model.name == "add.neff"
    assert model.total_ps == told["total"]
    assert model.launch_ps == 9_403_000
    neff = pathlib.Path(told["folder"]) / f"neff_{model.hash}_vnc_1.neff"
    assert neff.read_bytes() == told["neff"].read_bytes()
    assert (neff.parent / f"{model.hash}_instid_0_vnc_1.ntff").exists()


def test_executions_are_on_the_simulated_clock(told, device):
    spans = [[execution.start_ns, execution.end_ns] for execution in device.executions]
    assert spans == told["spans"]
    assert [execution.exec_id for execution in device.executions] == [1, 2]
    assert [execution.nrta_seq_id for execution in device.executions] == [0, told["seq"]]
    for execution in device.executions:
        assert execution.dispatch_ps == 60_000_000
        took = execution.end_ns - execution.start_ns
        assert abs(took * 1000 - execution.dispatch_ps - told["total"]) <= 500


def test_instructions_have_operands_bytes_and_lines(device):
    (model,) = device.models
    by_opcode = {}
    for instruction in model.instructions:
        by_opcode.setdefault(instruction.opcode, []).append(instruction)
    assert {name: len(rows) for name, rows in by_opcode.items()} == {
        "dma_load": 4,
        "tensor_tensor": 2,
        "dma_store": 2,
    }
    tile = 128 * 64 * 4
    for load in by_opcode["dma_load"]:
        assert (load.hbm_read_bytes, load.sbuf_write_bytes, load.hbm_write_bytes) == (tile, tile, 0)
        assert load.tensor in ("a", "b")
        assert load.operands[load.num_destinations] == f"hbm {load.tensor}"
        assert model.units[load.queue].startswith("queue")
    for add in by_opcode["tensor_tensor"]:
        assert (add.sbuf_read_bytes, add.sbuf_write_bytes) == (2 * tile, tile)
        assert add.num_destinations == 1
        assert len(add.operands) == 3
        assert "sbuf[" in add.operands[0]
        assert model.units[add.unit] == "vector"
        assert model.kernels[add.kernel] == "add"
        location = model.locations[add.location]
        assert location.text == "add"
        (line,) = location.lines
        assert (line.id, line.op, line.file, line.line) == ("add", "aten.add", "net.py", 7)
    for store in by_opcode["dma_store"]:
        assert (store.sbuf_read_bytes, store.hbm_write_bytes, store.hbm_read_bytes) == (tile, tile, 0)
        assert store.operands[0] == "hbm out"


def test_events_have_times_and_dependencies(device):
    (model,) = device.models
    launch, total = model.launch_ps, model.total_ps
    last = {}
    for index, event in enumerate(model.events):
        assert launch <= event.start_ps <= event.end_ps <= total
        for before in event.depends_on:
            assert before < index
            assert model.events[before].end_ps <= event.start_ps
        # A unit does one thing after another, in the order of the file.
        assert last.get(event.unit, 0) <= event.start_ps
        last[event.unit] = event.start_ps
    transfers = [event for event in model.events if model.units[event.unit].startswith("queue")]
    assert len(transfers) == 6
    assert len(model.events) == 6 + 8, "each DMA is issued, too"
    adds = [event for event in model.events if model.units[event.unit] == "vector"]
    assert all(len(add.depends_on) >= 2 for add in adds), "on both loads"


def test_tensors(device):
    tensors = {tensor.name: tensor for tensor in device.models[0].tensors}
    assert list(tensors["a"].shape) == [256, 64]
    assert (tensors["a"].kind, tensors["out"].kind) == ("input", "output")
    assert tensors["out"].bytes == 65536
    assert tensors["out"].dtype == "float32"


def test_system_trace(told, schemas):
    trace = read(told, schemas["system_profile"].SystemTrace(), "ntrace.pb")
    assert trace.is_simulation
    by_type = {}
    for event in trace.events:
        by_type.setdefault(trace.event_types[event.type], []).append(event)
        assert event.core == 1
        assert event.start_ns <= event.end_ns
    running = by_type["nc_exec_running"]
    assert [[event.nc_start_ns, event.nc_end_ns] for event in running] == told["spans"]
    assert [event.exec_id for event in running] == [1, 2]
    assert [event.device_core for event in running] == [2, 2], "core 1, from 1"
    assert running[1].nrta_seq_id == told["seq"] == by_type["nrta_execute_schedule"][0].nrta_seq_id
    assert running[0].model_name == "add.neff"
    assert [event.tensor_name for event in by_type["nrt_tensor_write"]] == ["a", "b", "out"]
    assert all(event.size == 65536 for event in by_type["dmem_buf_copyin"])
    assert len(by_type["kbl_exec_wait"]) == len(by_type["nrt_model_submit"]) == 2


def test_trace_info(told, schemas, device):
    info = read(told, schemas["system_profile"].TraceInfo(), "trace_info.pb")
    assert info.is_simulation
    assert f"{info.instance}_pid_{info.process_id}" == pathlib.Path(told["folder"]).parent.name
    assert info.dispatch_cost == "execute"
    assert info.device_profile_mode == "model"
    assert list(info.physical_cores) == list(range(8))
    assert set(info.activities) == {"system_profile", "device_profile", "host_memory", "cpu_util"}
    assert info.start_ns < info.stop_ns
    (model,) = info.models
    assert model.hash == device.models[0].hash
    assert (pathlib.Path(told["folder"]) / model.neff_file).exists()
    assert (pathlib.Path(told["folder"]) / model.ntff_file).exists()


def test_samples_of_the_host(told, schemas):
    system = schemas["system_profile"]
    cpu = read(told, system.CpuUtilization(), "cpu_util.pb")
    assert cpu.samples
    for sample in cpu.samples:
        assert len(sample.percent) >= 1
        assert all(0 <= percent <= 100 for percent in sample.percent)
    memory = read(told, system.HostMemory(), "host_mem.pb")
    assert len(memory.samples) >= 2, "at the begin and at the end"
    for sample in memory.samples:
        assert 0 < sample.process_bytes < sample.used_bytes < memory.total_bytes


def test_a_process_that_just_ends_writes_what_the_environment_asked_for(schemas, tmp_path):
    environment = {"NEURON_RT_INSPECT_ENABLE": "1", "NEURON_RT_INSPECT_OUTPUT_DIR": str(tmp_path)}
    command = [sys.executable, "-c", HASTY, BUILD / "lib" / "libnrt.so.1"]
    subprocess.run(command, check=True, env={**os.environ, **environment})
    (path,) = tmp_path.glob("*/*/ntrace.pb")
    trace = schemas["system_profile"].SystemTrace()
    trace.ParseFromString(path.read_bytes())
    assert [event.tensor_name for event in trace.events if event.tensor_name] == ["x"]
    assert (path.parent / "trace_info.pb").exists()


def _scaled(x, w):
    y = x * w
    return (y + 1).sum()


def _lines(work, folder, schemas):
    """{ATen operation: (file, line)} of all instructions that `work` runs, by the profiles written below the folder"""
    import torch
    from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

    config = NeuronConfig(modes=[ProfileMode.DEVICE], profile_output_dir=folder)
    with torch.profiler.profile(experimental_config=config) as prof:
        work()
        torch.neuron.synchronize()
    found = {}
    for path in NeuronProfiler(config).export_trace(prof).glob("*.ntff"):
        for model in schemas["device_profile"].DeviceProfile.FromString(path.read_bytes()).models:
            used = {model.locations[instruction.location].text for instruction in model.instructions}
            for location in model.locations:
                if location.text in used:
                    found |= {line.op: (line.file, line.line) for line in location.lines}
    return found


@pytest.mark.parametrize("where", ["neuron", "cpu"])
def test_compiled_graphs_have_the_users_lines(tmp_path, schemas, where):
    import torch

    compiled = torch.compile(_scaled, backend="neuron", fullgraph=True)
    x, w = torch.randn(4, 64, device=where), torch.randn(64, device=where)
    compiled(x, w)
    first = _scaled.__code__.co_firstlineno
    lines = _lines(lambda: compiled(x, w), tmp_path, schemas)
    assert lines == {
        "aten.mul.Tensor": (__file__, first + 1),
        "aten.add.Tensor": (__file__, first + 2),
        "aten.sum.dim_IntList": (__file__, first + 2),
    }


def test_eager_operations_have_their_names(tmp_path, schemas):
    import torch

    x = torch.randn(4, 64).to("neuron")
    lines = _lines(lambda: _scaled(x, x), tmp_path, schemas)
    assert lines.keys() == {"aten.mul.Tensor", "aten.add.Tensor", "aten.sum.default"}
    assert set(lines.values()) == {("", 0)}
