"""Writes nisa programs as text.

A program is one kernel of instructions on tiles, in the order in which the
engines get them. Places of tiles and waits are the compiler's work
(neuron-place-tiles, neuron-synchronize), so a kernel here says only what its
publication says: tiles, loops, instructions, engines.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle

BYTES = {"f32": 4, "bf16": 2, "f16": 2}


@dataclass(frozen=True)
class Hbm:
    """A tensor in HBM, row-major."""

    value: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def type(self) -> str:
        dims = "x".join(str(size) for size in self.shape)
        return f"memref<{dims}x{self.dtype}, #nisa.mem<hbm>>"


@dataclass(frozen=True)
class Tile:
    """`parts` partitions of `cols` elements in SBUF or PSUM, or a part of one."""

    value: str
    parts: int
    cols: int
    dtype: str
    space: str

    @property
    def type(self) -> str:
        return f"memref<{self.parts}x{self.cols}x{self.dtype}, #nisa.mem<{self.space}>>"


@dataclass(frozen=True)
class Number:
    """An immediate."""

    value: str
    dtype: str = "f32"

    @property
    def type(self) -> str:
        return self.dtype


@dataclass(eq=False)
class Loop:
    """A loop; its counter indexes windows of HBM."""

    count: int


class Program:
    """Collects a kernel; `text()` is the .mlir file."""

    def __init__(self, name: str):
        self.name = name
        self.arguments: list[str] = []
        self.lines: list[str] = []
        self.loops: list[Loop] = []
        self.numbers = 0

    def text(self) -> str:
        arguments = ", ".join(self.arguments)
        body = "\n".join(self.lines)
        return f'func.func @main({arguments}) {{\n  nisa.kernel "{self.name}" {{\n{body}\n  }}\n  return\n}}\n'

    # What an instruction works on

    def input(self, name: str, *shape: int, dtype: str = "f32") -> Hbm:
        return self._argument("input", name, shape, dtype)

    def output(self, name: str, *shape: int, dtype: str = "f32") -> Hbm:
        return self._argument("output", name, shape, dtype)

    def sbuf(self, cols: int, dtype: str = "f32", parts: int = 128, buffers: int = 1) -> Tile:
        return self._alloc("sbuf", cols, dtype, parts, buffers)

    def psum(self, cols: int, dtype: str = "f32", parts: int = 128, buffers: int = 1) -> Tile:
        return self._alloc("psum", cols, dtype, parts, buffers)

    def banks(self, count: int = 8, cols: int = 512, dtype: str = "f32"):
        """Tiles of PSUM to take in turn, so that one is filled while others are read."""
        return cycle([self.psum(cols, dtype) for _ in range(count)])

    def part(self, tile: Tile, begin: int, cols: int) -> Tile:
        """The elements [begin, begin + cols) of each partition."""
        view = Tile(self._new(), tile.parts, cols, tile.dtype, tile.space)
        self._add(f"{view.value} = nisa.subtile {tile.value} [{begin}, {cols}] : {tile.type} -> {view.type}")
        return view

    def number(self, value: float) -> Number:
        result = Number(self._new())
        self._add(f"{result.value} = nisa.immediate {value:e} : f32")
        return result

    @contextmanager
    def loop(self, count: int):
        self._add(f"nisa.loop {count} {{")
        self.loops.append(Loop(count))
        yield self.loops[-1]
        self.loops.pop()
        self._add("}")

    # Instructions

    def load(self, tile: Tile, hbm: Hbm, row=None, col=None, queue: int = 0, engine: str = "sync", window=None):
        """Rows [row, row + parts) and columns [col, col + cols) of a matrix.

        `row` and `col` map loops (None: the base) to coefficients. `window` =
        (row sizes, row strides, column sizes, column strides) is another way to
        see the tensor as a matrix; else its last dimension is the columns.
        """
        access = self._access(hbm, row, col, queue, engine, tile.parts, window)
        self._add(f"nisa.dma_load ins({hbm.value} : {hbm.type}) outs({tile.value} : {tile.type}) {access}")

    def store(self, tile: Tile, hbm: Hbm, row=None, col=None, queue: int = 8, engine: str = "sync", window=None):
        access = self._access(hbm, row, col, queue, engine, tile.parts, window)
        self._add(f"nisa.dma_store ins({tile.value} : {tile.type}) outs({hbm.value} : {hbm.type}) {access}")

    def op(self, name: str, out, *sources, engine: str, fn: str = "", parts: int = 0, extra: str = "", acc=None):
        """One instruction. `parts`: of the sources, if not the output's."""
        outs = [tile for tile in (out, acc) if tile is not None]
        parts = parts or outs[0].parts
        functions = f" fn [{', '.join(chr(34) + f + chr(34) for f in fn.split())}]" if fn else ""
        ins = self._operands(sources)
        flags = ", ".join(filter(None, [f"engine = #nisa.engine<{engine}>", f"parts = {parts} : i64", extra]))
        self._add(f"nisa.{name}{functions} ins({ins}) outs({self._operands(outs)}) {{{flags}}}")

    def matmul(self, out: Tile, stationary: Tile, moving: Tile, accumulate: bool = False):
        self.op(
            "matmul",
            out,
            stationary,
            moving,
            engine="tensor",
            parts=stationary.parts,
            extra="accumulate" if accumulate else "",
        )

    def transpose(self, out: Tile, source: Tile):
        self.op("transpose", out, source, engine="tensor", parts=source.parts)

    def copy(self, out: Tile, source: Tile, engine: str = "vector"):
        self.op("tensor_copy", out, source, engine=engine)

    def tensor_tensor(self, out: Tile, fn: str, a: Tile, b: Tile):
        self.op("tensor_tensor", out, a, b, engine="vector", fn=fn)

    def tensor_scalar(self, out: Tile, fn: str, a: Tile, *scalars):
        count = len(fn.split())
        reverse = ", ".join(["false"] * count)
        self.op("tensor_scalar", out, a, *scalars, engine="vector", fn=fn, extra=f"reverse = array<i1: {reverse}>")

    def reduce(self, out: Tile, fn: str, source: Tile):
        self.op("tensor_reduce", out, source, engine="vector", fn=fn)

    def activation(self, out, fn: str, source: Tile, scale=None, bias=None, acc: Tile | None = None):
        """out = fn(source * scale + bias); acc = the sum of that."""
        operands = [source]
        if scale is not None or bias is not None:
            operands += [
                scale if scale is not None else self.number(1.0),
                bias if bias is not None else self.number(-0.0),
            ]
        self.op("activation", out, *operands, engine="scalar", fn=fn, extra="has_acc" if acc else "", acc=acc)

    def memset(self, out: Tile, value: float = 0.0):
        constant = Number(self._new(), out.dtype)
        self._add(f"{constant.value} = nisa.immediate {value:e} : {out.dtype}")
        self.op("memset", out, constant, engine="vector")

    # Text

    def _new(self) -> str:
        self.numbers += 1
        return f"%{self.numbers}"

    def _add(self, line: str):
        self.lines.append("    " + "  " * len(self.loops) + line)

    def _argument(self, kind: str, name: str, shape, dtype: str) -> Hbm:
        tensor = Hbm(f"%{name}", tuple(shape), dtype)
        self.arguments.append(f'{tensor.value}: {tensor.type} {{neuron.kind = "{kind}", neuron.name = "{name}"}}')
        return tensor

    def _alloc(self, space: str, cols: int, dtype: str, parts: int, buffers: int) -> Tile:
        tile = Tile(self._new(), parts, cols, dtype, space)
        attributes = f" {{buffers = {buffers} : i64}}" if buffers > 1 else ""
        self._add(f"{tile.value} = nisa.alloc{attributes} : {tile.type}")
        return tile

    @staticmethod
    def _operands(values) -> str:
        if not values:
            return ""
        return f"{', '.join(v.value for v in values)} : {', '.join(v.type for v in values)}"

    def _affine(self, terms) -> str:
        terms = terms or {}
        values = [terms.get(None, 0)] + [terms.get(loop, 0) for loop in self.loops]
        assert all(loop is None or loop in self.loops for loop in terms)
        return ", ".join(str(value) for value in values)

    def _access(self, hbm: Hbm, row, col, queue: int, engine: str, parts: int, window) -> str:
        rows = 1
        for size in hbm.shape[:-1]:
            rows *= size
        cols = hbm.shape[-1]
        row_sizes, row_strides, col_sizes, col_strides = window or ([rows], [cols], [cols], [1])

        def array(values) -> str:
            return "array<i64: " + ", ".join(str(value) for value in values) + ">"

        return (
            f"{{col_sizes = {array(col_sizes)}, col_strides = {array(col_strides)}, "
            f"column = array<i64: {self._affine(col)}>, engine = #nisa.engine<{engine}>, hbm_offset = 0 : i64, "
            f"parts = {parts} : i64, queue = {queue} : i64, row = array<i64: {self._affine(row)}>, "
            f"row_sizes = {array(row_sizes)}, row_strides = {array(row_strides)}}}"
        )
