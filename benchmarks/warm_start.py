"""Compiles all workloads with the caches that the environment names; prints counts as JSON.

run.py starts it twice: the second time nothing may be compiled.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import torch
from workloads import ALL


def host_code_files() -> int:
    return sum(path.is_file() for path in Path(os.environ["NEURON_MLIR_CACHE_DIR"]).rglob("*"))


def main() -> None:
    from torch_neuronx import metrics

    files = host_code_files()
    start = time.perf_counter()
    for workload in ALL:
        torch.compile(workload.callable(), backend="neuron", fullgraph=True)(*workload.arguments())
        torch.compiler.reset()
    seconds = time.perf_counter() - start
    print(json.dumps({
        "functions": len(ALL),
        "neffs_compiled": metrics.get_counter_value("CompilationCache.TotalCompilations") or 0,
        "neffs_found": metrics.get_counter_value("CompilationCache.PersistentHits") or 0,
        "graphs_found": metrics.get_counter_value("CompilationCache.AOTAutogradHits") or 0,
        "host_code_compiled": host_code_files() - files,
        "seconds": round(seconds, 2),
    }))


if __name__ == "__main__":
    main()
