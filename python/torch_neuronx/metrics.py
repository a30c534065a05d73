"""Counters of what the backend did: compilations, cache hits, executions, bytes copied."""

import dataclasses
import os
import threading
import time

from . import _C

_lock = threading.Lock()
_enabled = os.environ.get("TORCH_NEURONX_METRICS_ENABLED", "1") not in ("0", "false", "False")
_counters: dict = {}
_metrics: dict = {}
_graphs: list = []

# Kept by the executor in C++: name here -> name there.
_EXECUTOR = {
    "Executor.Calls": "calls",
    "Executor.NeffExecutions": "executions",
    "Executor.BytesAttached": "bytes_attached",
    "Executor.BytesCopiedIn": "bytes_copied_in",
    "Executor.BytesCopiedBack": "bytes_copied_back",
}


def is_enabled() -> bool:
    return _enabled


def set_enabled(enabled: bool) -> None:
    global _enabled
    _enabled = bool(enabled)


def count(name: str, amount: int = 1) -> None:
    if _enabled:
        with _lock:
            _counters[name] = _counters.get(name, 0) + amount


def sample(name: str, value: float) -> None:
    if _enabled:
        with _lock:
            _metrics.setdefault(name, []).append(value)


def compiled(cache_hit: bool, seconds: float, neff_size: int, in_memory: bool = False) -> None:
    """One NEFF was made or found, on disk or in this process."""
    cache = "InMemory" if in_memory else "Persistent"
    if cache_hit:
        count(f"CompilationCache.{cache}Hits")
    else:
        count(f"CompilationCache.{cache}Misses")
        count("CompilationCache.TotalCompilations")
        sample("CompilationCache.CompilationTime", seconds)
    sample("CompilationCache.NeffSize", neff_size)


def get_counter_names() -> list:
    with _lock:
        names = list(_counters)
    executor = _C.counters()
    return sorted(names + [name for name, source in _EXECUTOR.items() if executor[source]])


def get_counter_value(name: str):
    """The count, or None if nothing was counted under that name."""
    if name in _EXECUTOR:
        return _C.counters()[_EXECUTOR[name]]
    with _lock:
        return _counters.get(name)


def predicted_device_seconds():
    """Device time of all executions so far: the simulator's prediction, or None on other devices."""
    picoseconds = _C.predicted_clock_ps()
    return None if picoseconds is None else picoseconds * 1e-12


def get_metric_names() -> list:
    with _lock:
        return sorted(_metrics)


def get_metric_data(name: str):
    with _lock:
        samples = _metrics.get(name)
        if samples is None:
            return None
        total = sum(samples)
        return {
            "accumulator": total,
            "total_samples": len(samples),
            "repr": f"{name}: {len(samples)} samples, sum {total:g}, mean {total / len(samples):g}",
        }


def report() -> str:
    return report_filtered()


def report_filtered(counter_names=None, metric_names=None) -> str:
    lines = []
    for name in get_counter_names():
        if counter_names is None or name in counter_names:
            lines.append(f"Counter: {name}\n  Value: {get_counter_value(name)}")
    for name in get_metric_names():
        if metric_names is None or name in metric_names:
            data = get_metric_data(name)
            lines.append(f"Metric: {name}\n  TotalSamples: {data['total_samples']}")
            lines.append(f"  Accumulator: {data['accumulator']:g}")
    return "\n".join(lines)


def clear_counters() -> None:
    with _lock:
        _counters.clear()
    _C.reset_counters()


def clear_metrics() -> None:
    with _lock:
        _metrics.clear()


def clear_all() -> None:
    clear_counters()
    clear_metrics()
    reset_dynamo_metrics()


def get_compilation_metrics() -> dict:
    """Counters and metrics of compilation, by name."""
    values = {name: get_counter_value(name) for name in get_counter_names() if name.startswith("CompilationCache.")}
    values.update({name: get_metric_data(name) for name in get_metric_names()})
    return values


@dataclasses.dataclass
class NeuronCompilationMetrics:
    """One compiled graph."""

    graph_id: str
    graph_name: str
    model_name: str
    has_collectives: bool
    graph_node_count: int
    timestamp: float
    torch_neuronx_fx_passes_us: float
    torch_neuronx_lower_us: float
    torch_neuronx_compile_us: float


def record_graph(*, graph_id, graph_name, model_name, graph_node_count, lower_us, compile_us) -> None:
    from torch._dynamo.utils import counters

    counters["neuron"]["compiled_graphs"] += 1
    with _lock:
        _graphs.append(
            NeuronCompilationMetrics(
                graph_id, graph_name, model_name, False, graph_node_count, time.time(), 0.0, lower_us, compile_us
            )
        )


def get_dynamo_metrics() -> list:
    """One NeuronCompilationMetrics a compiled graph, in the order of compilation."""
    with _lock:
        return list(_graphs)


def reset_dynamo_metrics() -> None:
    with _lock:
        _graphs.clear()
