"""Graphs and IR as text: for people, for dumps, for reproducers."""

import enum
from pathlib import Path

from .. import _C


class OutputType(enum.Enum):
    """Which level fx_to_mlir_string gives."""

    RAW = "graph"


def save_fx_graph_txt(gm, path) -> Path:
    """Writes the readable FX graph to `path`, with the suffix .fx.txt."""
    path = Path(path)
    if not str(path).endswith(".fx.txt"):
        path = Path(f"{path}.fx.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(gm.print_readable(print_output=False))
    return path


def fx_to_mlir_string(gm, output_type=OutputType.RAW, verbose=False, enable_ir_printing=False) -> str:
    """The graph in the neuron dialect; with `verbose`, location ids too."""
    if output_type is not OutputType.RAW:
        raise ValueError(f"output_type must be OutputType.RAW, got {output_type!r}")
    from .compile import import_graph

    module, _ = import_graph(gm, _C.Options())
    return module.text(locations=verbose or enable_ir_printing)


def save_mlir(mlir_str: str, path) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(mlir_str)
    return path


def load_mlir(path, context=None):
    """Parses and verifies a file of IR; the result has .text()."""
    del context
    return _C.parse_module(Path(path).read_text())


def save_fx_as_mlir(gm, path, output_type=OutputType.RAW, verbose=False, enable_ir_printing=False) -> Path:
    return save_mlir(fx_to_mlir_string(gm, output_type, verbose, enable_ir_printing), path)


def save_fx_graph_all_formats(gm, base_path, save_txt=True, save_raw_mlir=True, save_stablehlo_mlir=False) -> dict:
    """Writes the graph in the chosen formats; returns format -> path."""
    if save_stablehlo_mlir:
        raise ValueError("this compiler has no StableHLO form; use save_raw_mlir")
    written = {}
    if save_txt:
        written["txt"] = save_fx_graph_txt(gm, base_path)
    if save_raw_mlir:
        written["raw_mlir"] = save_fx_as_mlir(gm, f"{base_path}.neuron.mlir")
    return written
