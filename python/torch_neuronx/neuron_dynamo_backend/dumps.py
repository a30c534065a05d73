"""Files for people: FX graphs, every level of IR, NEFFs, decisions. Written only when preserve_artifacts is set."""

import datetime
import logging
from pathlib import Path

from . import repro
from .formats import save_fx_graph_txt
from .names import get_rank

log = logging.getLogger(__name__)


class Dump:
    """The files of one graph, under <debug_dir>/<kind>/proc_<rank>/<model>_<time>."""

    def __init__(self, options, model: str):
        self.root, self.options = Path(options.debug_dir), options
        stamp = datetime.datetime.now().strftime("%Y%m%d_%H%M%S_%f")
        self.name = f"{model.lower()}_{stamp}"
        self.rank = get_rank()

    def path(self, kind: str, suffix: str) -> Path:
        path = self.root / kind / f"proc_{self.rank}" / f"{self.name}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def fx_graph(self, gm):
        save_fx_graph_txt(gm, self.path("fx_graphs", ".fx.txt"))
        try:
            program = repro.program(gm, self.options)
        except Exception as error:  # a dump must not stop a compilation
            log.info("the graph cannot be written as a program: %s: %s", type(error).__name__, error)
        else:
            self.path("fx_graphs", ".py").write_text(program)

    def raw(self, text: str):
        self.path("raw", ".neuron.mlir").write_text(text)

    def compiled(self, compiled):
        for level, text in compiled.dumps:
            self.path(level, f".{level}.mlir").write_text(text)
        if compiled.remarks:
            self.path("decisions", ".decisions.txt").write_text("\n".join(compiled.remarks) + "\n")
        self.path("neff", ".neff").write_bytes(compiled.neff)
        log.info("wrote %s/*/proc_%d/%s.*", self.root, self.rank, self.name)
