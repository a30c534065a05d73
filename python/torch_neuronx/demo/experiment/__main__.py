"""python -m torch_neuronx.demo.experiment [DIRECTORY] [--costs COST ...]: runs the three scripts by each cost of a
dispatch."""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = ("naive", "fused", "compiled")
#: Self NEURON, in microseconds, of the published profiles on Trainium.
PUBLISHED = {"naive": 2355.0, "fused": 403.3, "compiled": 375.5}
#: Values of NEURON_MLIR_DISPATCH_COST, and what each says that a dispatch costs (docs/runtime.md has the sources).
DISPATCH_COSTS = {
    "device": "9.4 us: on the device alone (the default)",
    "execute": "69 us: nrt_execute",
    "launch": "98 us: a NEFF's launch",
    "profile": "403 us: an operation in the published profile",
    "framework": "446 us: two synchronous calls of a framework",
}


def run(script: str, cost: str, directory: Path) -> tuple[str, float]:
    """What the script printed, and its total of Self NEURON in microseconds."""
    directory.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(f"{script}.py"))],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**os.environ, "NEURON_MLIR_DISPATCH_COST": cost},
        check=False,
    )
    if result.returncode:
        raise RuntimeError(f"{script}.py failed:\n{result.stderr}")
    total = re.search(r"Self NEURON time total: ([\d.]+)(us|ms|s)", result.stdout)
    return result.stdout, float(total[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[total[2]]


def run_all(directory: Path, costs=tuple(DISPATCH_COSTS)) -> dict:
    """(output, total) by script and cost."""
    jobs = [(script, cost) for cost in costs for script in SCRIPTS]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        runs = pool.map(lambda job: run(*job, directory / job[1]), jobs)
    return dict(zip(jobs, runs, strict=True))


def line(label: str, totals: dict) -> str:
    naive = totals["naive"]
    times = "".join(f"{totals[script]:11.1f}" for script in SCRIPTS)
    return f"  {label:<48}{times}{naive / totals['fused']:9.2f}x{naive / totals['compiled']:9.2f}x"


def report(runs: dict) -> str:
    """The totals of each cost beside the published ones."""
    columns = "".join(f"{script:>11}" for script in SCRIPTS)
    lines = [
        "Self NEURON in us: the simulator's predictions, by what a dispatch costs",
        "",
        f"  {'':<48}{columns}{'/ fused':>10}{'/ compiled':>10}",
        line("published, measured on Trainium", PUBLISHED),
    ]
    for cost, text in DISPATCH_COSTS.items():
        if (SCRIPTS[0], cost) in runs:
            lines.append(line(text, {script: runs[script, cost][1] for script in SCRIPTS}))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torch_neuronx.demo.experiment")
    parser.add_argument("directory", nargs="?", type=Path, help="for traces and the runtime's files")
    parser.add_argument("--costs", nargs="+", choices=DISPATCH_COSTS, default=list(DISPATCH_COSTS))
    options = parser.parse_args()
    directory = options.directory or Path(tempfile.mkdtemp(prefix="neuron-experiment-"))
    runs = run_all(directory, options.costs)
    for script in SCRIPTS:
        print(f"{script}.py\n\n{runs[script, options.costs[0]][0].strip()}\n")
    print(report(runs))
    print(f"\nTraces and the runtime's files are below {directory}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
