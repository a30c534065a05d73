"""Gradients of random programs, compiled, against eager CPU and float64.

    python test/fuzz/fuzz_training.py --count 200 --seed 0
    python test/fuzz/fuzz_training.py --show --seed 1234 --count 1

The programs are those of fuzz_row_kernels.py with float32 for halves. Every
floating input wants a gradient, of a weighted sum of all floating outputs. The
yardsticks are eager's own error against float64, and how far the gradient in
float64 moves when inputs, weights and every intermediate value are moved by
roundings of float32. A failure is made smaller and printed. Exit status 1 if
there is one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import campaign
import neuron_testing as nt
import torch
import torch.nn.functional as F
from fuzz_row_kernels import classify
from generate import Generator
from program import FLOATS, HALVES, evaluate
from reference import ABOUT_ONE
from rounded_backward import Functional, RoundedGradients

# Few runs may all miss what one element in thousands depends on.
RUNS, MANY_RUNS = 6, 60
EPS = torch.finfo(torch.float32).eps
NOT_DIFFERENTIABLE = "without gradients"
# A sum over a window reads the padding as zeros; eager leaves it out (docs/numerics.md).
PADDED_INFINITY = "convolved with infinite weights"
# Of a result whose elements share memory, such as unfold's, AOTAutograd adds up the gradients wrongly.
NOT_OURS = "wrong with backend aot_eager, too"


def without_halves(program):
    inputs = [dataclasses.replace(i, dtype=torch.float32) if i.dtype in HALVES else i for i in program.inputs]
    text = re.compile(r"torch\.b?float16\b")
    ops = [dataclasses.replace(op, text=text.sub("torch.float32", op.text)) for op in program.ops]
    return dataclasses.replace(program, inputs=inputs, ops=ops, rounding="default")


def leaves(program):
    return [value.requires_grad_(value.dtype in FLOATS) for value in program.arguments()]


def weights(outputs):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(out.shape, generator=generator, dtype=torch.float64) for out in outputs]


def gradients(outputs, inputs, moved=lambda weight: weight):
    """Of the weighted sum of the outputs that have gradients, for each input that wants one; None: no output has."""
    pairs = [(out, weight) for out, weight in zip(outputs, weights(outputs)) if out.requires_grad]
    if not pairs:
        return None
    outs, given = zip(*((out, moved(weight).to(out.dtype)) for out, weight in pairs))
    return torch.autograd.grad(outs, [i for i in inputs if i.requires_grad], given, allow_unused=True)


def wide(program, seed=None):
    """The gradients in float64; with a seed, of a program that is moved by roundings. Seeds 2k and 2k + 1 move it in
    opposite directions, so that of equal elements either comes first once."""
    generator = None if seed is None else torch.Generator().manual_seed(seed // 2)
    sign = 1 if seed is None or seed % 2 == 0 else -1

    def draw(value):
        return sign * (2 * torch.rand(value.shape, generator=generator, dtype=torch.float64) - 1)

    def noise(value):
        return value if generator is None else value * (1 + 4 * EPS * draw(value))

    functional = F if generator is None else Functional(lambda bound: 4 * EPS * draw(bound) * bound)
    inputs = [value.detach().double().requires_grad_() if value.dtype in FLOATS else value for value in leaves(program)]
    values = {i.name: noise(v) if v.requires_grad else v for i, v in zip(program.inputs, inputs)}
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for op in program.ops:
            with contextlib.nullcontext() if generator is None else RoundedGradients(noise):
                value = evaluate(op, values, wide=True, functional=functional)
            values[op.name] = noise(value) if value.dtype in FLOATS else value
    finally:
        torch.set_default_dtype(default)
    return gradients([values[name] for name in program.outputs], inputs, noise)


def far(got, eager, center, runs, about_one, eps):
    """Where a gradient is not what roundings explain: its own, those that `runs` have in the forward, and those of
    the sums in the backward, whose terms are as large as the gradient's largest elements (`about_one`: or as 1). `eps` is of the coarsest dtype in the program."""
    spread, settled = torch.zeros_like(center), center.isfinite() & eager.isfinite()
    for run in runs:
        settled &= run.isfinite()
        spread = torch.maximum(spread, (run - center).abs())
    finite = center[center.isfinite()].abs()
    terms = max(finite.max().item() if finite.numel() else 0, float(about_one))
    allowed = (
        4 * spread + 2 * (eager.double() - center).abs() + 8 * eps * terms + torch.finfo(eager.dtype).smallest_normal
    )
    return settled & ~((got.double() - center).abs() <= allowed)


def compiled(program, backend):
    """The gradients of the program, compiled."""
    torch._dynamo.reset()
    inputs = leaves(program)
    extra = {"options": {"disable_cache": True}} if backend == "neuron" else {}
    fn = torch.compile(program.function(), backend=backend, fullgraph=True, dynamic=False, **extra)
    return gradients(fn(*inputs), inputs)


def is_tied(op, value):
    """Whether some of the first k elements, or the next, are equal: then any of them may have the gradient."""
    if not value.dim():
        return False
    count, dim, largest = re.search(r"topk\(\{0\}, (\d+), (-?\d+), (\w+)\)", op.text).groups()
    size = min(int(count) + 1, value.shape[int(dim)])
    first = torch.topk(value, size, int(dim), largest == "True")[0]
    return bool((first.diff(dim=int(dim)) == 0).any())


def is_defined(program, values):
    """Whether attention has a value for every key: eager's backward writes beside its memory if not, and a program
    that is being made smaller may lose that. And whether no deviation is 0, where it has no gradient, and no topk has
    to choose among equal elements. `values` are those of the program in eager."""
    lengths = [
        [values[name].shape[-2] for name in op.operands[1:3]]
        for op in program.ops
        if "scaled_dot_product_attention" in op.text
    ]
    deviates = all((values[op.name] != 0).all() for op in program.ops if "torch.std(" in op.text)
    chooses = any("topk" in op.text and is_tied(op, values[op.operands[0]]) for op in program.ops)
    return deviates and not chooses and all(keys == items for keys, items in lengths)


def has_infinite_weights(program, values):
    return any("conv" in op.text and not values[op.operands[1]].isfinite().all() for op in program.ops)


def run(program):
    """(status, detail) of one program."""
    try:
        values = program.evaluate()
        if not is_defined(program, values):
            return NOT_DIFFERENTIABLE, ""
        if has_infinite_weights(program, values):
            return PADDED_INFINITY, ""
        inputs = leaves(program)
        eager = gradients(program.function()(*inputs), inputs)
        center = wide(program)
    except RuntimeError:  # in place on a leaf, or a dtype that has no gradient
        return NOT_DIFFERENTIABLE, ""
    if eager is None or center is None:
        return NOT_DIFFERENTIABLE, ""
    try:
        got = compiled(program, nt.BACKEND)
    except Exception as error:
        status, detail = classify(error, program)
        # A backward has a dimension more for each that is repeated.
        return (nt.UNSUPPORTED, "rank") if detail.endswith("is more than 8") else (status, detail)
    runs = [wide(program, seed) for seed in range(RUNS)]
    about_one = any(name in op.text for op in program.ops for name in ABOUT_ONE)
    eps = max(torch.finfo(value.dtype).eps for value in values.values() if value.dtype in FLOATS)
    wanting = [value for value in inputs if value.requires_grad]
    for index, (mine, theirs) in enumerate(zip(got, eager)):
        if (mine is None) != (theirs is None):
            return nt.WRONG, f"gradient {index}: {'none' if mine is None else 'some'}, eager the other"
        if mine is None:
            continue
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            return nt.WRONG, f"gradient {index}: {mine.dtype} {tuple(mine.shape)}, eager {theirs.dtype}"
        # Of NaN, a bound's gradient is 0 or not in eager as the element is in a vector or behind the last.
        for count in (RUNS, MANY_RUNS):
            runs += [wide(program, seed) for seed in range(len(runs), count)]
            yardstick = theirs, center[index], [run[index] for run in runs], about_one, eps
            bad = far(mine, *yardstick) & ~wanting[index].isnan()
            if not bad.any():
                break
        else:
            others = compiled(program, "aot_eager")[index]
            if far(others, *yardstick)[bad].any():
                return NOT_OURS, ""
            at = tuple(bad.nonzero()[0].tolist())
            return nt.WRONG, (
                f"gradient {index}: {int(bad.sum())} of {bad.numel()} are wrong; first at {at}: {mine[at].item()!r}, "
                f"eager {theirs[at].item()!r}, float64 {center[index][at].item()!r}"
            )
    return nt.RIGHT, ""


def fuzz(seed, count, seconds=None, verbose=False, out=sys.stdout):
    """Runs programs; returns (tally, failures as text)."""
    programs = ((number, without_halves(Generator(number).program()), run) for number in range(seed, seed + count))
    return campaign.fuzz(programs, seconds, verbose, out)


def main():
    options = campaign.parser(__doc__, count=200).parse_args()
    return campaign.report(lambda: fuzz(options.seed, options.count, options.seconds, options.show))


if __name__ == "__main__":
    sys.exit(main())
