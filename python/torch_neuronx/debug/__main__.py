"""python -m torch_neuronx.debug GRAPH: compares every operation of a dumped graph with eager.

GRAPH is a program that torch_neuronx wrote: fx_graphs/.../NAME.py of a dump, or the repro.py of a failure.
"""

import argparse
import runpy
import sys

import torch

from .graphs import GraphComparison
from .report import Report


def load(path):
    """(graph, inputs) of a dumped program; its nodes have the lines of the program that was compiled."""
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp

    names = runpy.run_path(path, run_name="graph")
    inputs = names["inputs"]
    gm = torch.fx.symbolic_trace(names["Repro"]())
    FakeTensorProp(gm).propagate(*inputs)
    operations = [node for node in gm.graph.nodes if node.op == "call_function"]
    for node, trace in zip(operations, names.get("places", ()), strict=False):
        node.stack_trace = trace
    return gm, inputs


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m torch_neuronx.debug", description="Compares every operation of a dumped graph with eager."
    )
    parser.add_argument("graph", help="a program of a dump (fx_graphs/.../NAME.py) or of a failure (repro.py)")
    parser.add_argument("--inputs", help="a file of torch.save with the list of inputs; without it they are random")
    parser.add_argument("--sort", default="order", choices=("order", "op", "isolated", "accumulated"))
    arguments = parser.parse_args(argv)
    gm, inputs = load(arguments.graph)
    if arguments.inputs:
        inputs = torch.load(arguments.inputs)
    device = next((t.device for t in inputs if isinstance(t, torch.Tensor) and t.device.type == "neuron"), "cpu")
    rows, notes, _ = GraphComparison(gm, "graph", None, torch.device(device)).run(inputs)
    report = Report(rows, notes)
    print(report.table(arguments.sort), report.summary(), sep="\n\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
