"""Measures the zoo's networks forward and backward on the device, beside eager and float64.

    python test/models/models_table.py --state build/models.jsonl [NAME ...]     measures; run again to go on
    python test/models/models_table.py --state build/models.jsonl --write docs/models.md

A line of the state is one network, step and dtype. Every network has a process of its own, with a limit of CPU time.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import resource
import sys
import tempfile
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("TORCH_COMPILE_DISABLE_CACHE", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import process_limits
import torch
from models_expected import EXPECTED
from zoo import MODALITIES, ZOO

process_limits.single_thread()

LIMIT = 300  # seconds of CPU for a network
STEPS = [("inference", "float32"), ("inference", "bfloat16"), ("training", "float32"), ("training", "bfloat16")]


def done_in(state):
    """(network, step, dtype) -> its line; what died has a line with only the network's name."""
    lines = {}
    if state.exists():
        for line in state.read_text().splitlines():
            row = json.loads(line)
            lines[row["name"], row.get("step"), row.get("dtype")] = row
    return lines


def work(name, steps, write):
    import measure

    model, arguments = ZOO[name].example()
    for step, dtype in steps:
        row = {"name": name, "step": step, "dtype": dtype}
        try:
            found = measure.measure(model, arguments, getattr(torch, dtype), getattr(measure, step))
            write(**row, **dataclasses.asdict(found))
        except Exception as error:
            write(**row, failed=f"{type(error).__name__}: {' '.join(str(error).split())}"[:1000])


def measure_all(state, names, steps):
    # What every child would import again.
    import diffusers  # noqa: F401
    import measure  # noqa: F401
    import torch_neuronx.neuron_dynamo_backend.backend  # noqa: F401
    import transformers  # noqa: F401

    warnings.simplefilter("ignore")

    def write(**row):
        with state.open("a") as out:
            out.write(json.dumps(row) + "\n")

    for name in names:
        done = done_in(state)
        missing = [(s, dtype) for s, dtype in steps if dtype in ZOO[name].dtypes and (name, s, dtype) not in done]
        if not missing or (name, None, None) in done:
            continue
        child = os.fork()
        if child == 0:
            process_limits.watch_child()
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            with tempfile.TemporaryDirectory() as scratch:
                os.environ["TORCH_NEURONX_DEBUG_DIR"] = scratch
                os.environ["TORCH_NEURONX_NEFF_CACHE_DIR"] = scratch + "/cache"
                work(name, missing, write)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            write(name=name, failed=f"the process ended with {status}")


def _right(row):
    return "failed" not in row and row["ratio"] <= 1 and row["graphs"] == 1


def _numbers(rows, step, dtypes):
    """Cells: NEFFs and seconds in float32, then error and eager's for both dtypes."""
    first = rows.get((step, "float32")) or rows.get((step, "bfloat16"))
    cells = [f"{first['executions']}, {first['seconds']:.1f} s" if first and "failed" not in first else ""]
    for dtype in ("float32", "bfloat16"):
        row = rows.get((step, dtype))
        if dtype not in dtypes:
            cells.append("not in eager")
        elif row is None:
            cells.append("")
        elif "failed" in row:
            cells.append("**refused**")
        else:
            text = f"{row['error']:.1e} ({row['eager']:.1e})"
            cells.append(text if _right(row) else f"**{text}**")
    return cells


def table(lines):
    """Markdown: a line a network, then what is not right and why."""
    text, bad = "", []
    for modality, rows in MODALITIES.items():
        text += f"\n## {modality[0].upper()}{modality[1:]}\n\n"
        text += "| | NEFFs, compile | float32 | bfloat16 | training: NEFFs, compile | float32 | bfloat16 |\n"
        text += "|---|---|---|---|---|---|---|\n"
        for name, network in rows.items():
            found = {(step, dtype): row for (n, step, dtype), row in lines.items() if n == name}
            if found:
                cells = [cell for step in ("inference", "training") for cell in _numbers(found, step, network.dtypes)]
                text += f"| {name} | " + " | ".join(cells) + " |\n"
            for row in found.values():
                if not _right(row):
                    why = row.get("failed") or f"{row['where']}: {row['ratio']:.2f} times what is allowed"
                    key = (name, row.get("step"), row.get("dtype"))
                    bad.append((*key, EXPECTED.get(key, why)))
    text += "\n## What is not right\n\n"
    if not bad:
        return text + "Nothing.\n"
    text += "| Network | Step | dtype | Why |\n|---|---|---|---|\n"
    for name, step, dtype, why in bad:
        text += f"| {name} | {step} | {dtype} | {why.replace('|', '/')[:400]} |\n"
    return text


HEAD = """# Which networks run

Architectures of `transformers` and `diffusers`, of reduced size and with seeded random weights (`test/models/zoo`),
through `torch.compile(backend="neuron", fullgraph=True)`. Each is one graph of Dynamo: one NEFF forward, two for a
training step. Compile is the first call's CPU seconds: tracing, compiling and executing once, in float32. Numbers are
the largest error against float64 over the largest element, in brackets eager's own; of a training step they are those
of the parameters' gradients, root mean squares. Right is at most twice eager's error and one unit in the last place,
for each result and each gradient (`measure.compare`). Made by `test/models/models_table.py`, so far
of {networks} networks of {all}: {right} of {count} measurements are right. An empty cell is not measured yet.

Generation is in `test/models/test_generation.py`: with transformers' StaticCache eager's tokens from two compilations,
and eager's tokens of `generate()` with a compiled `forward`: beams, sampling, sliding windows, caches that grow, state
spaces, encoders with decoders. Operations that a dtype's eager has not are "not in eager".

Not here is `timm`, which needs torchvision; its wheel in the Python Package Index is for CUDA and cannot be imported
beside PyTorch for CPU.

    python test/models/models_table.py --state build/models.jsonl
    python test/models/models_table.py --state build/models.jsonl --write docs/models.md
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", type=pathlib.Path, required=True)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--step", choices=["inference", "training"])
    parser.add_argument("--dtype", choices=["float32", "bfloat16"])
    parser.add_argument("names", nargs="*", help="networks of the zoo; all if none is given")
    arguments = parser.parse_args()
    if not arguments.write:
        steps = [(s, d) for s, d in STEPS if arguments.step in (None, s) and arguments.dtype in (None, d)]
        return measure_all(arguments.state, arguments.names or ZOO, steps)
    lines = done_in(arguments.state)
    head = HEAD.format(
        right=sum(map(_right, lines.values())),
        count=len(lines),
        networks=len({name for name, *_ in lines}),
        all=len(ZOO),
    )
    arguments.write.write_text(head + table(lines))


if __name__ == "__main__":
    main()
