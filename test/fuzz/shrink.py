"""Makes a failing program smaller while it fails in the same way."""

from __future__ import annotations

import dataclasses
import re

import torch


def _without(sequence, index):
    return [item for i, item in enumerate(sequence) if i != index]


def _replaced(program, name, other):
    """`name`'s uses become uses of `other`."""
    ops = [
        dataclasses.replace(op, operands=tuple(other if n == name else n for n in op.operands))
        for op in program.ops
        if op.name != name
    ]
    outputs = [other if n == name else n for n in program.outputs]
    return dataclasses.replace(program, ops=ops, outputs=outputs)


def _candidates(program):
    if len(program.outputs) > 1:
        for index in range(len(program.outputs)):
            yield dataclasses.replace(program, outputs=[program.outputs[index]])
        for index in range(len(program.outputs)):
            yield dataclasses.replace(program, outputs=_without(program.outputs, index))
    for op in reversed(program.ops):  # end earlier
        for name in op.operands:
            if op.name in program.outputs:
                yield dataclasses.replace(program, outputs=[name if n == op.name else n for n in program.outputs])
    for op in program.ops:
        for name in op.operands:
            yield _replaced(program, op.name, name)
    names = [i.name for i in program.inputs]
    for index, item in enumerate(program.inputs):
        for other in names[:index]:
            yield _replaced(program, item.name, other)
    for index, item in enumerate(program.inputs):

        def changed(index=index, item=item, **fields):
            inputs = list(program.inputs)
            inputs[index] = dataclasses.replace(item, **fields)
            return dataclasses.replace(program, inputs=inputs)

        if item.layout != "dense":
            yield changed(layout="dense")
        if item.fill != "unit":
            yield changed(fill="unit")
        if item.dtype != torch.float32:
            yield changed(dtype=torch.float32)
    # One size everywhere, in the inputs and where the text has it.
    sizes = sorted({size for item in program.inputs for size in item.shape if size > 1}, reverse=True)
    for size in sizes:
        for smaller in (1, 2, size // 2, size - 1):
            if 0 < smaller < size:
                yield _resized(program, size, smaller, True)
                yield _resized(program, size, smaller, False)
    for index, item in enumerate(program.inputs):
        for dim in range(len(item.shape)):
            inputs = list(program.inputs)
            inputs[index] = dataclasses.replace(item, shape=tuple(_without(item.shape, dim)))
            yield dataclasses.replace(program, inputs=inputs)
    if program.inputs and all(item.shape for item in program.inputs):
        inputs = [dataclasses.replace(item, shape=item.shape[1:]) for item in program.inputs]
        yield dataclasses.replace(program, inputs=inputs)
    if program.rounding != "default":
        yield dataclasses.replace(program, rounding="default")


def _resized(program, size, smaller, in_text):
    inputs = [
        dataclasses.replace(item, shape=tuple(smaller if s == size else s for s in item.shape))
        for item in program.inputs
    ]
    ops = program.ops
    if in_text:
        ops = [dataclasses.replace(op, text=re.sub(rf"\b{size}\b", str(smaller), op.text)) for op in ops]
    return dataclasses.replace(program, inputs=inputs, ops=ops)


def _cost(program):
    elements = sum(torch.Size(item.shape).numel() + len(item.shape) for item in program.inputs)
    odd = sum((i.layout != "dense") + (i.fill != "unit") + (i.dtype != torch.float32) for i in program.inputs)
    return (len(program.ops), len(program.outputs), len(program.inputs), elements, odd, program.rounding == "eager")


def shrink(program, fails, tries=150):
    """The smallest found for which `fails(program)` holds; at most `tries` runs."""
    again = True
    while again and tries > 0:
        again = False
        for candidate in _candidates(program):
            candidate = candidate.used()
            if not candidate.inputs or not _cost(candidate) < _cost(program):
                continue
            try:
                candidate.evaluate()
            except Exception:
                continue
            tries -= 1
            if fails(candidate):
                program, again = candidate, True
                break
            if tries <= 0:
                break
    return program
