"""What the device 'neuron' costs on the host: python -m benchmarks.device

Medians of batches, this computer's time (no prediction), eager on the CPU beside it in the same run, one thread.
Issue limits: a cached operation at most 10 us more than the CPU's; a block of memory taken and given back at most 1 us;
an operation of a new shape at most 2 ms.
"""

import statistics
import time

import torch


def per_call(function, calls=200, batches=15) -> float:
    """Microseconds of a call; the device's queue is emptied between batches."""
    times = []
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - begin) / calls)
        torch.neuron.synchronize()
    return statistics.median(times) * 1e6


def once_each(functions) -> list:
    """Milliseconds of the first call of each, until the device is done."""
    times = []
    for function in functions:
        torch.neuron.synchronize()
        begin = time.perf_counter()
        function()
        torch.neuron.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def rows():
    """(what, device, CPU, unit); CPU is None where it has no counterpart."""
    here, there = torch.randn(4, 4), torch.randn(4, 4, device="neuron")
    torch.add(there, there)
    add = per_call(lambda: torch.add(there, there)), per_call(lambda: torch.add(here, here))
    yield "add of 4x4, asked for", *add, "us"

    def wait():
        torch.add(there, there)
        torch.neuron.synchronize()

    yield "add of 4x4, and waited for", per_call(wait, 50), None, "us"
    empty = per_call(lambda: torch.empty(4, 4, device="neuron")), per_call(lambda: torch.empty(4, 4))
    yield "empty(4, 4), freed again", *empty, "us"
    yield "view", per_call(lambda: there[1:]), per_call(lambda: here[1:]), "us"
    shapes = [torch.empty(size, 4, device="neuron") for size in range(5, 60)]
    yield "add of a new shape", statistics.median(once_each([lambda x=x: torch.add(x, x) for x in shapes])), None, "ms"
    grow = [torch.empty(1, 12, size, 64, device="neuron") for size in range(1, 60)]
    new = torch.empty(1, 12, 1, 64, device="neuron")
    yield (
        "growing cache: cat of a new shape",
        statistics.median(once_each([lambda x=x: torch.cat([x, new], 2) for x in grow])),
        None,
        "ms",
    )


def main():
    torch.set_num_threads(1)
    print(f"{'':<36}{'neuron':>10}{'CPU':>10}{'more':>10}")
    for what, device, cpu, unit in rows():
        beside = f"{cpu:>7.2f} {unit}{device - cpu:>7.2f} {unit}" if cpu is not None else ""
        print(f"{what:<36}{device:>7.2f} {unit}{beside}")


if __name__ == "__main__":
    main()
