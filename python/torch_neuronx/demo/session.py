"""Compiles and runs a function while watching what the backend does."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import torch

from .. import metrics, neff


@dataclasses.dataclass
class Run:
    """What one call of a compiled function did."""

    outputs: tuple[torch.Tensor, ...]
    neffs_made: int
    dispatches: int
    bytes_copied: int
    device_seconds: float | None  #: predicted by the simulator
    files: Path  #: what the compiler wrote

    def text(self, level: str) -> str:
        """The dump of that level: fx_graphs, graph, fused, nisa, scheduled."""
        return self._only(level).read_text()

    @property
    def neff_path(self) -> Path:
        return self._only("neff")

    @property
    def neff(self) -> neff.NeffFile:
        return neff.read(self.neff_path)

    @property
    def kernels(self) -> int:
        return sum(" neuron.kernel " in line for line in self.text("fused").splitlines())

    def _only(self, level: str) -> Path:
        # Beside a graph to read there is a program that runs it, for the debugger.
        found = [path for path in (self.files / level).rglob("*") if path.is_file() and path.suffix != ".py"]
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} files of level {level} below {self.files}, expected one")
        return found[0]


@contextlib.contextmanager
def artifacts_in(directory: Path):
    """Lets the compiler write every level below `directory`."""
    saved = dict(os.environ)
    os.environ["TORCH_NEURONX_PRESERVE_COMPILATION_ARTIFACTS"] = "1"
    os.environ["TORCH_NEURONX_DEBUG_DIR"] = str(directory)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)


def run(function: Callable, arguments: tuple[torch.Tensor, ...], directory: Path) -> Run:
    """Calls a function that torch.compile made, for the first time."""
    metrics.clear_all()
    before = metrics.predicted_device_seconds()
    with artifacts_in(directory):
        outputs = function(*arguments)
    after = metrics.predicted_device_seconds()
    return Run(
        outputs=outputs if isinstance(outputs, tuple) else (outputs,),
        neffs_made=metrics.get_counter_value("CompilationCache.TotalCompilations") or 0,
        dispatches=metrics.get_counter_value("Executor.NeffExecutions"),
        bytes_copied=metrics.get_counter_value("Executor.BytesCopiedIn"),
        device_seconds=None if after is None else after - before,
        files=directory,
    )


def eager(function: Callable, arguments: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """The same function without the compiler."""
    with torch.compiler.set_stance("force_eager"):
        outputs = function(*arguments)
    return outputs if isinstance(outputs, tuple) else (outputs,)
