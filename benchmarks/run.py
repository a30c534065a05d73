"""./dev bench: functions and networks against eager and Inductor, side by side.

Times are medians; ratios are to Inductor's whole call. The device time is what the
simulator predicts for trn2: it depends on the program alone, never on this computer. All peers
have the same number of threads. Memory is measured in processes of their own.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
#: Rows whose memory is measured: compiling takes most of it where there is most to compile.
MEMORY_LABELS = ("softmax 4096x8192", "gpt2", "bert", "resnet", "crepe")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="how often each peer is timed (9)")
    parser.add_argument("--batch", type=float, default=0.1, help="seconds that one timing takes (0.1)")
    parser.add_argument("--filter", default="", help="only rows whose name has this in it")
    parser.add_argument("--threads", type=int, default=1, help="of each peer; 0: as many as there are CPUs (1)")
    parser.add_argument("--busy", action="store_true", help="measure although other processes are running")
    parser.add_argument("--output", type=Path, help="where the JSON goes (benchmarks/results/TIME.json)")
    return parser.parse_args()


def isolate(caches: Path, threads: int) -> None:
    """So many threads, and no cache but those below `caches`. Before torch is imported."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(threads)
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(caches / "torch")
    os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = str(caches / "neff")
    os.environ["NEURON_MLIR_CACHE_DIR"] = str(caches / "host_code")
    for name in ("torch", "neff", "host_code"):
        (caches / name).mkdir(mode=0o700, parents=True)


def measure(workload, options) -> dict:
    """One row of the table."""
    import clock
    import peers
    import torch

    torch.compiler.reset()
    inputs = workload.arguments()
    eager = workload.callable()
    inductor = peers.inductor(workload)
    neuron, model = peers.neuron(workload)
    peers.check(workload, neuron.outputs)
    copied = peers.bytes_copied(neuron.call, inputs)
    seconds = clock.alternate(
        {
            "eager": lambda: eager(*inputs),
            "inductor": lambda: inductor.call(*inputs),
            "neuron_call": lambda: neuron.call(*inputs),
            "nrt_execute": model.execute,
        },
        options.rounds,
        options.batch,
    )
    row = {
        "name": workload.name,
        "microseconds": {name: round(value * 1e6, 2) for name, value in seconds.items()},
        "bytes_copied_per_call": copied,
        "backend_cpu_seconds": {
            "inductor": round(inductor.cpu_seconds, 3),
            "neuron": round(neuron.cpu_seconds, 3),
        },
        "predicted_device_microseconds": round(model.predicted_seconds() * 1e6, 2),
    }
    model.close()
    return row


def compile_something() -> None:
    """Both backends load their libraries before anything is measured."""
    import peers
    import torch
    from workloads import Workload

    first = Workload("sin", torch.float32, lambda: (torch.randn(3, 5),), torch.sin)
    peers.inductor(first)
    peers.neuron(first)[1].close()


def in_own_process(script: str, *arguments: str):
    """What a script of this folder prints."""
    done = subprocess.run(
        [sys.executable, HERE / script, *arguments], capture_output=True, text=True, cwd=HERE, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{script} {' '.join(arguments)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def warm_start(caches: Path) -> dict:
    """Two processes with the same caches, empty at first."""
    isolate(caches, 1)
    first, second = in_own_process("warm_start.py"), in_own_process("warm_start.py")
    return {"first_process": first, "second_process": second}


def peak_memory(names: list[str], caches: Path) -> list[dict]:
    """Of each peer, compiling from nothing."""
    rows = []
    for name in names:
        row = {"name": name}
        for peer in ("eager", "inductor", "neuron"):
            isolate(caches / str(len(rows)) / peer, 1)
            peak = in_own_process("memory.py", peer, name)
            row[peer] = round((peak["parent"] + peak["child"]) / 2**20)
        rows.append(row)
        cells = (f"{peer} {row[peer]:,} MiB" for peer in row if peer != "name")
        print(f"{name:{NAME_WIDTH}}" + "  ".join(cells), flush=True)
    return rows


def training_steps(options, caches: Path, threads: int) -> list[dict]:
    """Of whole networks, in a process of its own: compiling their gradients takes gigabytes."""
    isolate(caches, threads)
    rows = in_own_process("training.py", options.filter)
    for row in rows:
        times = ", ".join(f"{peer} {value:,.1f} ms" for peer, value in row["milliseconds"].items())
        print(f"training step of {row['name']}: {times}; {row['ratio_to_the_better']:.2f} of the better")
    return rows


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def environment(load: float, threads: int) -> dict:
    import torch

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE)
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit.stdout.strip() or "unknown",
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "threads": threads,
        "torch": torch.__version__,
        "other_processes_running": round(load, 2),
    }


COLUMNS = [
    ("eager us", lambda row: f"{row['microseconds']['eager']:.1f}"),
    ("Inductor us", lambda row: f"{row['microseconds']['inductor']:.1f}"),
    ("nrt_execute us", lambda row: f"{row['microseconds']['nrt_execute']:.1f}"),
    ("ratio", lambda row: f"{row['microseconds']['nrt_execute'] / row['microseconds']['inductor']:.2f}"),
    ("call us", lambda row: f"{row['microseconds']['neuron_call']:.1f}"),
    ("ratio", lambda row: f"{row['microseconds']['neuron_call'] / row['microseconds']['inductor']:.2f}"),
    ("copied B", lambda row: str(row["bytes_copied_per_call"])),
    ("compile s", lambda row: f"{row['backend_cpu_seconds']['neuron']:.3f}"),
    ("Inductor's s", lambda row: f"{row['backend_cpu_seconds']['inductor']:.3f}"),
    ("device us (predicted)", lambda row: f"{row['predicted_device_microseconds']:.1f}"),
]
NAME_WIDTH = 30


def print_header() -> None:
    print(" " * NAME_WIDTH + "  ".join(title for title, _ in COLUMNS))


def print_row(row: dict) -> None:
    cells = (text(row).rjust(len(title)) for title, text in COLUMNS)
    print(row["name"].ljust(NAME_WIDTH) + "  ".join(cells), flush=True)


def main() -> int:
    options = arguments()
    sys.path.insert(0, str(HERE))
    import clock

    load = clock.busy()
    if load > clock.MAX_LOAD and not options.busy:
        print(f"{load:.1f} other processes are running: times would be worthless. "
              "Try again on a quiet machine, or give --busy to try the script.", file=sys.stderr)
        return 1

    with tempfile.TemporaryDirectory(prefix="neuron-bench-") as directory:
        threads = options.threads or len(os.sched_getaffinity(0))
        isolate(Path(directory) / "cold", threads)
        import torch
        from workloads import ALL

        torch.set_num_threads(threads)
        rows = []
        with torch.no_grad():
            compile_something()
            print_header()
            for workload in ALL:
                if options.filter in workload.name:
                    rows.append(measure(workload, options))
                    print_row(rows[-1])
        print()
        large = [row["name"] for row in rows if row["name"].startswith(MEMORY_LABELS)]
        memory = peak_memory(large, Path(directory) / "memory")
        training = training_steps(options, Path(directory) / "training", threads)
        warm = warm_start(Path(directory) / "warm")
    results = {"environment": environment(load, threads), "rows": rows, "peak_memory_mib": memory}
    save(options, {**results, "training": training, "warm_start": warm})
    return 1 if print_warm_start(warm["first_process"], warm["second_process"]) else 0


def print_warm_start(first: dict, second: dict) -> int:
    """How many kernels the second process compiled."""
    compiled = second["neffs_compiled"] + second["host_code_compiled"]
    print(
        f"\n{second['functions']} functions: {first['seconds']} s in a first process, {second['seconds']} s in a "
        f"second, which compiled {second['neffs_compiled']} NEFFs and made {second['host_code_compiled']} host codes"
    )
    return compiled


def save(options, results: dict) -> None:
    name = results["environment"]["date"].replace(":", "") + ".json"
    path = options.output or HERE / "results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(f"wrote {path}")


if __name__ == "__main__":
    sys.exit(main())
