"""Times peers against each other, fairly: one thread, alternated order, medians."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

#: Load average, beside this process's own, above which numbers are not to be trusted.
MAX_LOAD = 0.5


def foreign_load() -> float:
    """Processes that want a CPU right now, this one not counted."""
    with open("/proc/loadavg") as file:
        running = int(file.read().split()[3].split("/")[0])
    return max(running - 1, 0)


def busy(seconds: float = 3.0) -> float:
    """The mean number of other running processes over a few seconds."""
    samples = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        samples.append(foreign_load())
        time.sleep(0.05)
    return statistics.mean(samples)


def calls_per_batch(function: Callable[[], object], seconds: float) -> int:
    """How many calls take about that long."""
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            function()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds or calls >= 1 << 20:
            return max(1, round(calls * seconds / elapsed))
        calls *= 2


#: Of one peer, in all; who takes longer is timed less often, but LEAST_ROUNDS times.
MAX_SECONDS, LEAST_ROUNDS = 8.0, 3


def alternate(peers: dict[str, Callable[[], object]], rounds: int, batch_seconds: float) -> dict[str, float]:
    """The median seconds of one call of each peer, all measured side by side."""
    batches = {name: calls_per_batch(function, batch_seconds) for name, function in peers.items()}
    times: dict[str, list[float]] = {name: [] for name in peers}
    names = list(peers)
    for _ in range(rounds):
        names.reverse()
        for name in names:
            spent = sum(times[name]) * batches[name]
            if len(times[name]) >= LEAST_ROUNDS and spent > MAX_SECONDS:
                continue
            function, calls = peers[name], range(batches[name])
            start = time.perf_counter()
            for _ in calls:
                function()
            times[name].append((time.perf_counter() - start) / len(calls))
    return {name: statistics.median(values) for name, values in times.items()}


class CpuTime:
    """Adds up the CPU seconds, children included, of what runs inside it."""

    def __init__(self):
        self.seconds = 0.0
        self.entries = 0

    def __enter__(self):
        self.entries += 1
        self._start = _cpu()
        return self

    def __exit__(self, *_):
        self.seconds += _cpu() - self._start

    def around(self, function: Callable) -> Callable:
        def timed(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return timed


def _cpu() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system
