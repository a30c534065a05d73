"""Keeps the tables in README.md and docs/ equal to the tables in the sources.

    python docs/tables.py          rewrites them
    python docs/tables.py --check  fails if one is stale
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def rows(path: str, macro: str) -> Iterable[list[str]]:
    """The arguments of each use of a macro, adjacent strings joined."""
    text = re.sub(r"[ \t]*//.*", "", (ROOT / path).read_text())
    for arguments in re.findall(rf"^{macro}\((.*?)\)$", text, re.M | re.S):
        parts = re.findall(r'((?:"[^"]*"\s*)+|[^,"]+)(?:,|$)', arguments.strip())
        yield ["".join(re.findall(r'"([^"]*)"', part)) if '"' in part else part.strip() for part in parts]


def error_bounds() -> str:
    """One line a bound: exact functions first."""
    by_bound: dict[int, list[str]] = {}
    for row in rows("runtime/program/Functions.def", "NEURON_FN"):
        by_bound.setdefault(int(row[-1]), []).append(f"`{row[0]}`")
    lines = ["| At most | Functions |", "|---|---|"]
    for bound, names in sorted(by_bound.items()):
        lines.append(f"| {f'{bound} ulp' if bound else 'exact'} | {', '.join(names)} |")
    return "\n".join(lines) + "\n"


def options() -> str:
    lines = ["| Option | Default | Environment | What for |", "|---|---|---|---|"]
    for name, _, default, variables, _, choices, why, _ in rows("compiler/options/Options.def", "NEURON_OPTION"):
        environment = ", ".join(f"`{variable}`" for variable in variables.split())
        default = {"true": "True", "false": "False"}.get(default, f"'{default}'")
        values = f" ({', '.join(choice for choice in choices.split('|') if choice)})" if choices else ""
        lines.append(f"| `{name}` | `{default}` | {environment} | {why}{values} |")
    return "\n".join(lines) + "\n"


def events() -> str:
    """The types of the system trace that are recorded."""
    lines = ["| Type | Group | What it spans |", "|---|---|---|"]
    for _, name, group, recorded, meaning in rows("runtime/profile/EventTypes.def", "NEURON_EVENT"):
        if recorded == "true":
            lines.append(f"| `{name}` | {group.lower()} | {meaning} |")
    return "\n".join(lines) + "\n"


def benchmarks() -> str:
    """benchmarks/reference.json for people."""
    results = json.loads((ROOT / "benchmarks/reference.json").read_text())
    where = results["environment"]
    lines = []
    if where["other_processes_running"] > 0.5:
        lines += ["**Taken on a busy machine: the ratios say little, and the times nothing.**", ""]
    lines += [
        f"{where['cpu']}, threads: {where['threads']}, torch {where['torch']}, commit {where['commit']}, "
        f"{where['date'][:10]}; on {where['cores']} cores, {where['other_processes_running']} other processes ran:",
        "",
        "| | eager | Inductor | `nrt_execute` | call | compile | Inductor's | device (predicted) |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["rows"]:
        times, cpu = row["microseconds"], row["backend_cpu_seconds"]
        peer = times["inductor"]

        def against(name, times=times, peer=peer):
            return f"{times[name]:,.1f} us ({times[name] / peer:.2f}x)"

        lines.append(
            f"| {row['name']} | {against('eager')} | {peer:,.1f} us | {against('nrt_execute')} | "
            f"{against('neuron_call')} | {cpu['neuron']:.3f} s | {cpu['inductor']:.2f} s | "
            f"{row['predicted_device_microseconds']:,.1f} us |"
        )
    if results.get("peak_memory_mib"):
        lines += ["", "The most memory, in MiB:", "", "| | eager | Inductor | neuron |", "|---|--:|--:|--:|"]
        lines += [
            f"| {row['name']} | {row['eager']:,} | {row['inductor']:,} | {row['neuron']:,} |"
            for row in results["peak_memory_mib"]
        ]
    if results.get("training"):
        title = "A training step (forward, loss, backward), in ms:"
        head = "| | eager | Inductor | neuron | of the better | compile | Inductor's |"
        lines += ["", title, "", head, "|---|--:|--:|--:|--:|--:|--:|"]
        for row in results["training"]:
            times, cpu = row["milliseconds"], row["backend_cpu_seconds"]
            lines.append(
                f"| {row['name']} | {times['eager']:,.1f} | {times['inductor']:,.1f} | {times['neuron']:,.1f} | "
                f"{row['ratio_to_the_better']:.2f}x | {cpu['neuron']:.2f} s | {cpu['inductor']:.2f} s |"
            )
    if where.get("note"):
        lines += ["", where["note"]]
    first, second = results["warm_start"]["first_process"], results["warm_start"]["second_process"]
    lines += [
        "",
        f"A first process compiled {first['neffs_compiled']} NEFFs and {first['host_code_compiled']} host codes, a "
        f"second with the same caches {second['neffs_compiled']} and {second['host_code_compiled']}.",
    ]
    return "\n".join(lines) + "\n"


def validation() -> str:
    """benchmarks/validation/reference.json, a table a target."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.validation.compare import summary

    results = json.loads((ROOT / "benchmarks/validation/reference.json").read_text())
    lines = []
    for target in sorted({row["target"] for row in results}):
        chosen = [row for row in results if row["target"] == target]
        lines += [f"**{target}**: {summary(chosen)}.", ""]
        lines += ["| Kernel | Measured, us | Predicted, us | Error | Source |", "|---|--:|--:|--:|---|"]
        for row in chosen:
            known = row["error"] is not None
            predicted, error = (f"{row['predicted_us']:,.1f}", f"{row['error']:+.1%}") if known else ("no program", "")
            lines.append(f"| {row['name']} | {row['measured_us']:,.1f} | {predicted} | {error} | {row['source']} |")
        lines.append("")
    return "\n".join(lines)


def ignored_variables() -> str:
    """Environment variables of TorchNeuron that only cause a warning."""
    scope: dict = {}
    exec((ROOT / "python/torch_neuronx/environment.py").read_text(), scope)
    lines = ["| Variable | Why it does nothing |", "|---|---|"]
    lines += [f"| `{name}` | {reason} |" for name, reason in sorted(scope["WITHOUT_EFFECT"].items())]
    return "\n".join(lines) + "\n"


TABLES: dict[tuple[str, str], Callable[[], str]] = {
    ("docs/numerics.md", "Functions.def"): error_bounds,
    ("README.md", "Options.def"): options,
    ("docs/device.md", "environment.py"): ignored_variables,
    ("docs/profiling.md", "EventTypes.def"): events,
    ("docs/benchmarks.md", "reference.json"): benchmarks,
    ("docs/device-model.md", "validation/reference.json"): validation,
}


def fresh(page: str, source: str) -> str:
    """The page with its table as it should be."""
    begin, end = f"<!-- from {source} -->\n", "<!-- end -->\n"
    before, rest = (ROOT / page).read_text().split(begin)
    _, after = rest.split(end, 1)
    return before + begin + TABLES[page, source]() + end + after


def stale() -> list[str]:
    return [page for page, source in TABLES if fresh(page, source) != (ROOT / page).read_text()]


def main() -> int:
    if "--check" in sys.argv:
        for page in stale():
            print(f"{page} is stale; run ./dev docs", file=sys.stderr)
        return 1 if stale() else 0
    for page, source in TABLES:
        (ROOT / page).write_text(fresh(page, source))
    return 0


if __name__ == "__main__":
    sys.exit(main())
