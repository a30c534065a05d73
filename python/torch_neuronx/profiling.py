"""torch.profiler on the device: what to record, and where it goes.

    config = NeuronConfig(profile_output_dir="./profile")
    exporter = NeuronProfiler(config)
    with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
                                experimental_config=config, on_trace_ready=exporter.export_trace) as prof:
        model(x)
        torch.neuron.synchronize()

Times of the device are the simulator's predictions, placed where its clock has them; those of the host are measured.
"""

import enum
import json
import os
import socket
import time
from pathlib import Path

import torch
from torch._C._profiler import _ExperimentalConfig

from . import _C


class ProfileMode(enum.Enum):
    """What the runtime records beside PyTorch's own trace."""

    DEVICE = "device"  # instructions of each engine: .neff and .ntff
    RUNTIME = "runtime"  # calls of the runtime: ntrace.pb, trace_info.pb
    CPU_UTIL = "cpu_util"  # cpu_util.pb
    HOST_MEMORY = "host_memory"  # host_mem.pb


_DEFAULT_MODES = (ProfileMode.DEVICE, ProfileMode.RUNTIME)


class NeuronConfig(_ExperimentalConfig):
    """The `experimental_config` of torch.profiler.profile.

    modes: a list of ProfileMode. max_events_per_nc: events of the runtime kept for each core, the latest.
    capture_enabled_for_nc: cores, as '0,2-5'; None: all. profile_output_dir: where files go. neff_cache_dir: where
    NEFFs are taken from; None: where the compiler keeps them. precache_node_info: accepted; names of operations are
    always there. correlate_device_time: whether the device's time is in the trace and in key_averages(). Other
    arguments are those of torch's _ExperimentalConfig. Raises ValueError for a value that cannot be.
    """

    def __init__(
        self,
        modes=None,
        max_events_per_nc=1_000_000,
        capture_enabled_for_nc=None,
        profile_output_dir=None,
        neff_cache_dir=None,
        precache_node_info=True,
        correlate_device_time=True,
        **kwargs,
    ):
        modes = [ProfileMode(mode) for mode in (_DEFAULT_MODES if modes is None else modes)]
        if not isinstance(max_events_per_nc, int) or max_events_per_nc < 1:
            raise ValueError(f"max_events_per_nc is {max_events_per_nc!r}; use a number of at least 1")
        values = {
            "modes": [mode.value for mode in modes],
            "max_events_per_nc": max_events_per_nc,
            "capture_enabled_for_nc": _cores_text(capture_enabled_for_nc),
            "cores": _cores(_cores_text(capture_enabled_for_nc)),
            "profile_output_dir": None if profile_output_dir is None else os.fspath(profile_output_dir),
            "neff_cache_dir": None if neff_cache_dir is None else os.fspath(neff_cache_dir),
            "precache_node_info": bool(precache_node_info),
        }
        # Kineto reads the text line by line, splits at '=' and ends it at '#'; hexadecimal digits are safe.
        text = f"correlate:{int(bool(correlate_device_time))};neuron:{json.dumps(values).encode().hex()}"
        super().__init__(custom_profiler_config=text, **kwargs)

    def _values(self) -> dict:
        # Read back from the text: copies and pickles of the object have nothing else.
        return json.loads(bytes.fromhex(self.custom_profiler_config.split("neuron:")[1]))

    @property
    def modes(self) -> list:
        return [ProfileMode(mode) for mode in self._values()["modes"]]

    @property
    def correlate_device_time(self) -> bool:
        return self.custom_profiler_config.startswith("correlate:1")

    def __getattr__(self, name):
        if name in (
            "max_events_per_nc",
            "capture_enabled_for_nc",
            "profile_output_dir",
            "neff_cache_dir",
            "precache_node_info",
        ):
            return self._values()[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self):
        fields = ", ".join(f"{name}={value!r}" for name, value in self._values().items() if name != "cores")
        return f"NeuronConfig({fields}, correlate_device_time={self.correlate_device_time})"


def _cores_text(cores):
    """'0,2-5' as it is; a list of numbers in that form."""
    if cores is None or isinstance(cores, str):
        return cores
    return ",".join(str(int(core)) for core in cores)


def _cores(text):
    """[0, 2, 3] of '0,2-3'; None of None."""
    if text is None:
        return None
    cores = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            cores += range(int(first), int(last or first) + 1)
    except ValueError:
        raise ValueError(f"capture_enabled_for_nc is {text!r}; use numbers and ranges, as '0,2-5'") from None
    return cores


# Folders of the runtime that have the trace of their profile: each is for one.
_exported = set()


class NeuronProfiler:
    """Writes what was profiled with `config`; one folder for each trace."""

    def __init__(self, config: NeuronConfig):
        if not isinstance(config, NeuronConfig):
            raise TypeError(f"NeuronProfiler takes a NeuronConfig, got {type(config).__name__}")
        self.config = config
        self.output_folder = None  # of the last trace

    def _own_folder(self) -> Path:
        stamp = time.strftime("%Y%m%d_%H%M%S") + f"_{time.time_ns() // 1_000_000 % 1000:03d}"
        root = Path(self.config.profile_output_dir or "./output")
        return root / f"{_instance()}_pid_{os.getpid()}" / stamp

    def export_trace(self, prof):
        """For `on_trace_ready`: writes trace.json (Chrome's format; Perfetto opens it) and, by the config's modes,
        the runtime's files into <profile_output_dir>/<instance>_pid_<pid>/<timestamp>/. Returns that folder."""
        torch.neuron.synchronize()
        # The runtime has written its files by now, if the modes ask for any; the trace goes beside them.
        written = _C.inspection_folder() if self.config.modes else ""
        folder = Path(written) if written and written not in _exported else self._own_folder()
        _exported.add(str(folder))
        folder.mkdir(parents=True, exist_ok=True)
        trace = folder / "trace.json"
        prof.export_chrome_trace(str(trace))
        _mark(trace)
        self.output_folder = folder
        return folder


def _instance() -> str:
    """What names this machine; the simulator is no instance of EC2."""
    return f"i-{socket.gethostname()}"


def _mark(path):
    """Says in the file that the device's times are predictions."""
    trace = json.loads(path.read_text())
    trace["is_simulation"] = True
    trace["deviceClock"] = "the simulator's predictions, in the host's time"
    path.write_text(json.dumps(trace))
