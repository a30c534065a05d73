"""Predicted beside published run times.

    python -m benchmarks.validation [--target trn1|trn2] [--only TEXT] [--output FILE.json]
                                    [--programs FOLDER]

Writes each published kernel as a nisa program, lets neuron-run predict its device
time, and compares. Times of a published quality-of-results number are compared
without launch: its 35 us (25 to 45 are part of it) and the model's own.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .compare import compare, launch_us, table
from .rows import ROWS


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__.split("\n")[0])
    parser.add_argument("--target", choices=sorted({row.target for row in ROWS}))
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--output", help="where to write the results, as JSON")
    parser.add_argument("--programs", help="where to keep the programs; else they are not kept")
    arguments = parser.parse_args()
    rows = [r for r in ROWS if arguments.only in r.name and arguments.target in (None, r.target)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments.programs or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        launches = {target: launch_us(target, folder) for target in {row.target for row in rows}}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda row: compare(row, folder, launches), rows))
    print(table(results))
    if arguments.output:
        Path(arguments.output).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
