"""A random program: inputs, operations in source text, outputs.

A program is text for three readers: Dynamo compiles it, a person reads it as a
reproducer, and the reference evaluates it operation by operation.
"""

from __future__ import annotations

import dataclasses
import linecache
import math
import random
import re
import types

import torch

FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
HALVES = (torch.bfloat16, torch.float16)
INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
DTYPES = (*FLOATS, *INTEGERS, torch.bool)

LAYOUTS = ("dense", "permuted", "sliced", "expanded", "offset")
FILLS = ("unit", "positive", "integers", "special", "full")


def _values(dtype, shape, fill, generator):
    """Contiguous values; the same for the same generator state."""
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if not dtype.is_floating_point:
        if fill == "full":
            info = torch.iinfo(dtype)
            values = torch.randint(info.min, info.max, shape, generator=generator, dtype=dtype)
            edges = torch.tensor([info.min, info.max, 0, 1, info.max - 1], dtype=dtype)
            where = torch.randint(0, 4, shape, generator=generator) == 0
            pick = torch.randint(0, 5, shape, generator=generator)
            return torch.where(where, edges[pick], values)
        low = 0 if dtype == torch.uint8 else (1 if fill == "positive" else -8)
        low = 1 if fill == "positive" else low
        return torch.randint(low, 9, shape, generator=generator, dtype=dtype)
    uniform = torch.rand(shape, generator=generator, dtype=torch.float64)
    if fill == "positive":
        return (0.25 + 3.75 * uniform).to(dtype)
    if fill == "integers":
        return torch.floor(uniform * 17 - 8).to(dtype)
    values = (uniform * 4 - 2).to(dtype)
    if fill == "special":
        info = torch.finfo(dtype)
        edges = [0.0, -0.0, math.inf, -math.inf, math.nan, info.max, info.min, info.tiny]
        edges += [info.tiny * info.eps, 0.5, -0.5, 1.5, 2.5, 1.0, -1.0]
        edges = torch.tensor(edges, dtype=dtype)
        where = torch.randint(0, 2, shape, generator=generator) == 0
        pick = torch.randint(0, len(edges), shape, generator=generator)
        values = torch.where(where, edges[pick], values)
    return values


def tensor(dtype, shape, layout="dense", fill="unit", seed=0):
    """A tensor of logical `shape` that lies in memory as `layout` says."""
    shape = tuple(shape)
    generator = torch.Generator().manual_seed(seed)
    rng = random.Random(seed)
    if layout == "permuted" and len(shape) > 1:
        order = list(range(len(shape)))
        rng.shuffle(order)
        stored = _values(dtype, [shape[d] for d in order], fill, generator)
        return stored.permute([order.index(d) for d in range(len(shape))])
    if layout == "sliced" and shape:
        cuts = [rng.choice([(0, 1, 0), (1, 1, 0), (0, 1, 2), (1, 2, 1)]) for _ in shape]
        stored = _values(
            dtype, [start + size * step + more for size, (start, step, more) in zip(shape, cuts)], fill, generator
        )
        return stored[tuple(slice(start, start + size * step, step) for size, (start, step, _) in zip(shape, cuts))]
    if layout == "expanded" and shape:
        stored = _values(dtype, [1 if size > 1 and rng.random() < 0.5 else size for size in shape], fill, generator)
        return stored.expand(shape)
    if layout == "offset":
        count = math.prod(shape)
        return _values(dtype, [count + 5], fill, generator)[3 : 3 + count].view(shape)
    return _values(dtype, shape, fill, generator)


@dataclasses.dataclass
class Input:
    name: str
    dtype: torch.dtype
    shape: tuple
    layout: str = "dense"
    fill: str = "unit"
    seed: int = 0

    def make(self):
        return tensor(self.dtype, self.shape, self.layout, self.fill, self.seed)

    def text(self):
        return f"tensor({self.dtype}, {self.shape}, {self.layout!r}, {self.fill!r}, {self.seed})"


@dataclasses.dataclass
class Op:
    name: str
    text: str  # "torch.add({0}, {1})"
    operands: tuple  # names
    exact: bool  # PyTorch defines every bit of the result
    rounds: bool = True  # its floating result is rounded
    eps: float | None = None  # what rms_norm adds, for which eager takes that of its dtype

    def source(self):
        return self.text.format(*self.operands)


@dataclasses.dataclass
class Program:
    inputs: list
    ops: list
    outputs: list  # names
    rounding: str = "eager"
    seed: int = 0

    def used(self):
        """Only the inputs and operations that outputs depend on."""
        needed, ops = set(self.outputs), []
        for op in reversed(self.ops):
            if op.name in needed:
                needed.update(op.operands)
                ops.append(op)
        inputs = [i for i in self.inputs if i.name in needed]
        return dataclasses.replace(self, inputs=inputs, ops=ops[::-1])

    def function_text(self):
        lines = [f"def fn({', '.join(i.name for i in self.inputs)}):"]
        lines += [f"    {op.name} = {op.source()}" for op in self.ops]
        lines.append(f"    return ({', '.join(self.outputs)},)")
        return "\n".join(lines) + "\n"

    def function(self):
        text = self.function_text()
        file = f"<fuzz {hash(text) & 0xFFFFFFFF:08x}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        namespace = {"torch": torch, "F": torch.nn.functional}
        exec(compile(text, file, "exec"), namespace)
        return namespace["fn"]

    def arguments(self):
        return [i.make() for i in self.inputs]

    def evaluate(self, inputs=None):
        """Every value by name, in eager."""
        values = inputs or {i.name: i.make() for i in self.inputs}
        for op in self.ops:
            values[op.name] = evaluate(op, values)
        return values

    def reproducer(self):
        arguments = "".join(f"    {i.text()},\n" for i in self.inputs)
        return (
            "# run in test/fuzz\n"
            "import torch, torch.nn.functional as F\nfrom program import tensor\n\n"
            f"{self.function_text()}\n"
            f"args = [\n{arguments}]\n"
            "got = torch.compile(fn, backend='neuron', fullgraph=True, dynamic=False, "
            f"options={{'rounding': {self.rounding!r}}})(*args)\n"
            "print(got, fn(*args), sep='\\n')\n"
        )


def _var(x, dim=None, keepdim=False):
    centered = x - x.mean(dim, keepdim=True)
    squares = centered.square().sum(dim, keepdim=keepdim)
    return squares / max(centered.numel() // max(squares.numel(), 1) - 1, 0)


# Eager's kernels add element by element: std of 3,432 float64 numbers was off by 81 units in the last place.
TWO_PASSES = types.SimpleNamespace(var=_var, std=lambda *args, **kwargs: _var(*args, **kwargs).sqrt())


def evaluate(op, values, wide=False, functional=torch.nn.functional):
    """The value of one operation; with `wide`, floating types are float64. F is `functional`."""
    text = op.source()
    if wide:
        text = re.sub(r"torch\.(b?float16|float32)\b", "torch.float64", text)
        if op.eps is not None:
            text = f"{text[:-1]}, eps={op.eps})"
        text = re.sub(r"torch\.(std|var)\(", r"two_passes.\1(", text)
    return eval(text, {"torch": torch, "F": functional, "two_passes": TWO_PASSES}, {name: values[name] for name in op.operands})
