"""torch.profiler on the device: columns, attribution, lanes and arrows of the trace, NeuronConfig."""

import copy
import json
import pickle
import re

import neuron_testing as nt  # noqa: F401  (sets the number of threads)
import pytest
import torch
from torch.profiler import ProfilerActivity, profile, schedule
from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

BOTH = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Where profiles go by default."""
    monkeypatch.chdir(tmp_path)


def work(x):
    y = (x * x).mean(-1, keepdim=True)
    return x * torch.rsqrt(y + 1e-6)


@pytest.fixture
def x():
    value = torch.randn(4, 512, device="neuron")
    work(value)
    torch.neuron.synchronize()
    return value


def profiled(function, config=None, **kwargs):
    with profile(activities=BOTH, experimental_config=config, **kwargs) as prof:
        function()
        torch.neuron.synchronize()
    return prof


def trace_of(prof, path):
    prof.export_chrome_trace(str(path))
    return json.loads(path.read_text())["traceEvents"]


def test_columns(x):
    table = profiled(lambda: work(x)).key_averages().table(sort_by="self_privateuse1_time_total")
    for column in ("Self NEURON", "Self NEURON %", "NEURON total", "NEURON time avg"):
        assert column in table
    assert "Self NEURON time total" in table
    first = table.splitlines()[3].split()[0]
    assert first == "aten::mul", "two of the five operations"


def test_sums_equal_the_device_trace(x, tmp_path):
    prof = profiled(lambda: work(x), NeuronConfig(correlate_device_time=True))
    rows = prof.key_averages()
    attributed = sum(r.self_device_time_total for r in rows if r.device_type == torch.autograd.DeviceType.CPU)
    spans = [e for e in trace_of(prof, tmp_path / "t.json") if e.get("cat") in ("kernel", "gpu_memcpy")]
    assert len(spans) == 6, "five operations, and the copy of 1e-6"
    assert attributed == pytest.approx(sum(span["dur"] for span in spans), abs=0.01)
    by_name = {row.key: row.self_device_time_total for row in rows if row.key.startswith("aten::")}
    assert {name for name, time in by_name.items() if time} == {"aten::mul", "aten::mean", "aten::add", "aten::rsqrt"}


def test_durations_are_the_predictions(x, tmp_path):
    """Each run of the same program takes as long, however busy this computer is."""
    prof = profiled(lambda: [work(x) for _ in range(3)])
    durations = {}
    for event in trace_of(prof, tmp_path / "t.json"):
        if event.get("cat") == "kernel" and "aten::rsqrt" in event["name"]:
            durations.setdefault(event["name"], set()).add(round(event["dur"], 3))
    assert [len(values) for values in durations.values()] == [1]


def test_spans_follow_each_other_on_the_device(x, tmp_path):
    events = trace_of(profiled(lambda: [work(x) for _ in range(5)]), tmp_path / "t.json")
    kernels = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") == "kernel")
    assert len(kernels) == 25
    assert all(end <= begin + 0.002 for (_, end), (begin, _) in zip(kernels, kernels[1:], strict=False))


def test_arrows_and_lanes(x, tmp_path):
    events = trace_of(profiled(lambda: work(x)), tmp_path / "t.json")
    runtime = [e for e in events if e.get("cat") == "privateuse1_runtime"]
    driver = [e for e in events if e.get("cat") == "privateuse1_driver"]
    assert [e["name"] for e in runtime].count("nrta_execute_schedule") == 5
    assert [e["name"] for e in driver].count("nrt_model_submit") == 5
    starts = {e["id"] for e in events if e.get("ph") == "s" and e.get("cat") == "ac2g"}
    ends = {e["id"] for e in events if e.get("ph") == "f" and e.get("cat") == "ac2g"}
    assert len(starts & ends) == 6
    names = {e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    assert any("simulated clock" in str(name) for name in names)


def test_places_are_the_users(x, tmp_path):
    events = trace_of(profiled(lambda: work(x)), tmp_path / "t.json")
    lines = {e["args"]["line"].rsplit(":", 1)[0].rsplit("/", 1)[-1] for e in events if e.get("cat") == "kernel"}
    assert lines == {"test_profiler.py"}


def test_compiled_graphs(x):
    compiled = torch.compile(work, backend="neuron", fullgraph=True)
    compiled(x)
    rows = [row for row in profiled(lambda: compiled(x)).key_averages() if row.self_device_time_total]
    host = [row for row in rows if row.device_type == torch.autograd.DeviceType.CPU]
    assert len(host) == 1 and host[0].key.startswith("neuron::")


def test_backward_is_attributed():
    weight = torch.randn(8, 8, device="neuron", requires_grad=True)
    x = torch.randn(4, 8, device="neuron")
    (x @ weight).sum().backward()
    prof = profiled(lambda: (x @ weight).sum().backward())
    spans = [event for event in prof.events() if event.device_type == torch.autograd.DeviceType.PrivateUse1]
    linked = sum(row.self_device_time_total for row in prof.key_averages() if row.device_type == torch.autograd.DeviceType.CPU)
    assert len(spans) >= 4
    assert linked == pytest.approx(sum(span.self_device_time_total for span in spans), abs=0.01)


def test_not_correlated(x):
    rows = profiled(lambda: work(x), NeuronConfig(correlate_device_time=False)).key_averages()
    assert not any(row.self_device_time_total for row in rows)
    assert any(row.key == "nrta_execute_schedule" for row in rows)


def test_schedule_and_exporter(x, tmp_path):
    config = NeuronConfig(modes=[ProfileMode.DEVICE, ProfileMode.RUNTIME], profile_output_dir=tmp_path)
    exporter = NeuronProfiler(config)
    with profile(
        activities=BOTH,
        experimental_config=config,
        schedule=schedule(wait=2, warmup=1, active=1),
        on_trace_ready=exporter.export_trace,
    ) as prof:
        for _ in range(4):
            work(x)
            torch.neuron.synchronize()
            prof.step()
    folder = exporter.output_folder
    names = {path.name for path in folder.iterdir()}
    assert {"trace.json", "ntrace.pb", "trace_info.pb", "profile_nc_0_session_0.ntff"} <= names
    assert len([name for name in names if re.fullmatch(r"neff_\d+_vnc_0\.neff", name)]) == 5, "one a program"
    assert folder.parent.parent == tmp_path and "_pid_" in folder.parent.name
    trace = json.loads((folder / "trace.json").read_text())
    assert trace["is_simulation"] is True
    assert sum(e.get("cat") == "kernel" for e in trace["traceEvents"]) == 5


def test_cpu_profiles_are_as_before(x):
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        work(x)
        torch.neuron.synchronize()
    assert "NEURON" not in prof.key_averages().table()


def test_config():
    config = NeuronConfig()
    assert config.modes == [ProfileMode.DEVICE, ProfileMode.RUNTIME]
    assert config.max_events_per_nc == 1_000_000 and config.capture_enabled_for_nc is None
    odd = NeuronConfig(modes=[ProfileMode.CPU_UTIL], profile_output_dir="a=b#c\nd", capture_enabled_for_nc="0,2-3")
    for other in (odd, copy.deepcopy(odd), pickle.loads(pickle.dumps(odd))):
        assert other.profile_output_dir == "a=b#c\nd" and other.modes == [ProfileMode.CPU_UTIL]
        assert other.capture_enabled_for_nc == "0,2-3"
    with pytest.raises(ValueError, match="max_events_per_nc"):
        NeuronConfig(max_events_per_nc=0)
    with pytest.raises(ValueError, match="capture_enabled_for_nc is 'all'"):
        NeuronConfig(capture_enabled_for_nc="all")
    with pytest.raises(ValueError, match="is not a valid ProfileMode"):
        NeuronConfig(modes=["everything"])
    with pytest.raises(TypeError, match="NeuronConfig"):
        NeuronProfiler({"modes": []})
