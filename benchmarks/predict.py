"""The device times that the simulator predicts for the benchmark set, and nothing else.

Nothing is timed, so that this can run on a busy machine:

    python benchmarks/predict.py
"""

from __future__ import annotations

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from workloads import ALL


def predicted_microseconds(workload) -> float:
    """Of one execution, compiled without Dynamo and AOTAutograd, which change nothing here."""
    from torch_neuronx import _C
    from torch_neuronx.neuron_dynamo_backend.compile import compile_static
    from torch_neuronx.neuron_dynamo_backend.decompositions import get_decomposition_table

    arguments = workload.arguments()
    with torch.no_grad():
        graph = make_fx(workload.callable(), get_decomposition_table(), tracing_mode="fake")(*arguments)
    code = compile_static(graph, "inference", _C.Options({"disable_cache": True}))
    code(list(arguments))
    return code.predicted_time_ps * 1e-6


def main() -> None:
    for workload in ALL:
        print(f"{workload.name:36}{predicted_microseconds(workload):12.2f} us", flush=True)


if __name__ == "__main__":
    main()
