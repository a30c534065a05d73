"""Predicts a program's device time, and compares rows with what was published."""

from __future__ import annotations

import re
import statistics
import subprocess
from pathlib import Path

from .rows import QOR_LAUNCH_US, Row

TOLERANCE = 0.20  # what counts as near


def tool() -> str:
    built = Path(__file__).resolve().parents[2] / "build" / "bin" / "neuron-run"
    return str(built) if built.exists() else "neuron-run"


def predict(text: str, target: str, path: Path) -> float:
    """Microseconds that the model predicts for a program."""
    path.write_text(text)
    run = subprocess.run([tool(), str(path), "--predict", "--target", target], capture_output=True, text=True)
    match = re.search(r"device time: ([0-9.]+) us", run.stdout)
    if not match:
        raise RuntimeError(f"{path}: {run.stderr.strip() or run.stdout.strip()}")
    return float(match[1])


def launch_us(target: str, folder: Path) -> float:
    """What the model takes for a program of nothing."""
    return predict(
        'func.func @main() {\n  nisa.kernel "nothing" {\n  }\n  return\n}\n', target, folder / f"nothing-{target}.mlir"
    )


def compare(row: Row, folder: Path, launches: dict[str, float]) -> dict:
    result = {
        "target": row.target,
        "name": row.name,
        "source": row.source,
        "published_us": row.published_us,
        "note": row.note,
    }
    if row.program is None:
        return result | {"measured_us": row.published_us, "predicted_us": None, "error": None}
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{row.target} {row.name}").strip("-")
    predicted, measured = predict(row.program().text(), row.target, folder / f"{name}.mlir"), row.published_us
    if row.is_qor:
        predicted, measured = predicted - launches[row.target], measured - QOR_LAUNCH_US
    return result | {"measured_us": measured, "predicted_us": predicted, "error": predicted / measured - 1}


def summary(results: list[dict]) -> str:
    errors = [abs(r["error"]) if r["error"] is not None else float("inf") for r in results]
    near, median = sum(error <= TOLERANCE for error in errors), statistics.median(errors)
    share = f"{near} ({near / len(errors):.0%}) within {TOLERANCE:.0%}"
    return f"{len(errors)} rows, median error {median:.1%}, {share}"


def table(results: list[dict]) -> str:
    lines = []
    for target in sorted({r["target"] for r in results}):
        chosen = [r for r in results if r["target"] == target]
        lines += [f"{target}: the simulator's prediction beside published measurements", ""]
        lines.append(f"{'kernel':42} {'measured us':>12} {'predicted us':>13} {'error':>7}  source")
        for r in chosen:
            predicted, error = ("-", "-") if r["error"] is None else (f"{r['predicted_us']:.1f}", f"{r['error']:+.1%}")
            mark = "  " + r["note"] if r["note"] and (r["error"] is None or abs(r["error"]) > 0.15) else ""
            lines.append(f"{r['name']:42} {r['measured_us']:12.1f} {predicted:>13} {error:>7}  {r['source']}{mark}")
        lines += ["", summary(chosen), ""]
    lines.append("trn3: no measurement is published; its predictions are unvalidated")
    return "\n".join(lines)
