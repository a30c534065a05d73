"""Makes a random program of row kernels, movement, products and windows from a seed.

In mode "exact" every operation is one of which PyTorch defines each bit (sqrt is
none: eager's is off by an ulp for every fifth number). In the
other modes functions and sums of floats come too; what is discontinuous
(comparisons, rounding to integers, argmax) is then applied only to values that
are exact still, because a last bit may decide.
"""

from __future__ import annotations

import math
import random
import re

import torch
from program import DTYPES, FLOATS, HALVES, INTEGERS, Input, Op, Program, evaluate
from tensor_ops import TensorOps

SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 33, 64, 127, 128, 130, 257, 1000)
LARGEST = 3000  # elements of a value
HIGHEST = 12  # dimensions that a view makes
SCALARS = (2, 3, -1, 0.5, 0.1, -1.5, 1e-3, 7.0, 0)

UNARY_EXACT = """torch.neg({0}) torch.abs({0}) torch.relu({0}) torch.square({0})
    torch.reciprocal({0}) torch.clone({0})""".split()
UNARY_STEP = """torch.floor({0}) torch.ceil({0}) torch.trunc({0}) torch.round({0}) torch.sign({0})
    torch.isnan({0}) torch.isinf({0}) torch.isfinite({0}) torch.signbit({0})
    torch.logical_not({0})""".split()
UNARY_INT = """torch.neg({0}) torch.abs({0}) torch.sign({0}) torch.square({0}) torch.bitwise_not({0})
    torch.logical_not({0}) torch.relu({0})""".split()
UNARY_INEXACT = """torch.exp({0}) torch.expm1({0}) torch.exp2({0}) torch.log({0}) torch.log2({0})
    torch.log10({0}) torch.log1p({0}) torch.sin({0}) torch.cos({0}) torch.tan({0}) torch.tanh({0})
    torch.sigmoid({0}) torch.erf({0}) torch.erfc({0}) torch.rsqrt({0}) torch.sinh({0})
    torch.cosh({0}) torch.asin({0}) torch.acos({0}) torch.atan({0}) torch.asinh({0})
    torch.acosh({0}) torch.atanh({0}) F.silu({0}) F.gelu({0}) F.gelu({0},approximate='tanh')
    F.softplus({0}) F.mish({0}) F.hardswish({0}) F.elu({0}) F.leaky_relu({0}) torch.sqrt({0})
    torch.reciprocal({0}) torch.pow({0},3) torch.pow({0},-2) torch.pow({0},1.7)
    torch.logit({0},0.1) F.softsign({0}) F.relu6({0}) F.hardsigmoid({0})""".split()
BINARY_EXACT = """torch.add({0},{1}) torch.sub({0},{1}) torch.mul({0},{1}) torch.div({0},{1})
    torch.add({0},{1}) torch.mul({0},{1})
    torch.maximum({0},{1}) torch.minimum({0},{1})""".split()
BINARY_STEP = """torch.eq({0},{1}) torch.ne({0},{1}) torch.lt({0},{1}) torch.le({0},{1})
    torch.gt({0},{1}) torch.ge({0},{1}) torch.logical_and({0},{1}) torch.logical_or({0},{1})
    torch.logical_xor({0},{1}) torch.fmod({0},{1}) torch.copysign({0},{1})
    torch.nextafter({0},{1}) torch.fmax({0},{1}) torch.fmin({0},{1})
    torch.div({0},{1},rounding_mode='trunc') torch.div({0},{1},rounding_mode='floor')
    torch.remainder({0},{1})""".split()
BINARY_INT = """torch.bitwise_and({0},{1}) torch.bitwise_or({0},{1}) torch.bitwise_xor({0},{1})
    torch.floor_divide({0},{1}) torch.remainder({0},{1}) torch.fmod({0},{1}) torch.gcd({0},{1})
    torch.div({0},{1},rounding_mode='trunc') {0}<<({1}&3) {0}>>({1}&3)""".split()
BINARY_INEXACT = "torch.atan2({0},{1}) torch.hypot({0},{1}) torch.pow({0},{1})".split()
DIVIDES = ("div", "floor_divide", "remainder", "fmod")
REDUCE_EXACT = "amax amin".split()
REDUCE_INEXACT = "sum mean sum mean amax var std norm logsumexp prod".split()
# Which of two zeros they take: eager's vectors and tails differ, and so may we.
# (clamp to numbers keeps the zero it is given, and fmax and fmin take the same one everywhere.)
EXTREMA = "maximum minimum amax amin max min max_pool1d max_pool2d max_pool3d scatter_reduce topk".split()
# Operations whose result is one of their operands' values, up to sign.
UNROUNDED = ("take", "index_select", "gather", "sort", "topk", "cummax", "cummin", "neg", "abs", "relu", "clone", "maximum", "minimum", "amax", "amin", "where", "clamp", "max_pool1d", "max_pool2d", "max_pool3d")


class Generator(TensorOps):
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.seed = seed
        self.mode = rng.choices(("exact", "default", "eager"), (5, 3, 2))[0]
        self.special = rng.random() < (0.35 if self.mode == "exact" else 0.08)
        self.inputs, self.ops = [], []
        self.values, self.exact = {}, {}

    # ---------------------------------------------------------------- inputs
    def shape(self):
        rng = self.rng
        rank = rng.choices((*range(9), 10), (4, 8, 16, 12, 8, 4, 2, 2, 2, 1))[0]
        shape = []
        for _ in range(rank):
            size = rng.choice(SIZES if rank < 5 else SIZES[:8])
            if rng.random() < 0.015:
                size = 0
            shape.append(size)
        while math.prod(shape) > LARGEST:
            largest = shape.index(max(shape))
            shape[largest] = max(1, shape[largest] // 2)
        if rank and rng.random() < 0.01:  # rows that do not fit a partition
            shape = [1] * (rank - 1) + [rng.choice((20000, 60001))]
            if rank > 1 and rng.random() < 0.5:
                shape[-2] = 3
        return tuple(shape)

    def new_input(self, shape, dtype=None):
        rng = self.rng
        dtype = dtype or rng.choice(DTYPES if rng.random() < 0.5 else FLOATS)
        layout = "dense"
        if rng.random() < 0.35:
            layout = rng.choice(("permuted", "sliced", "expanded", "offset"))
        fill = rng.choice(("unit", "unit", "positive", "integers"))
        if not dtype.is_floating_point:
            fill = rng.choice(("unit", "positive", "full"))
        if self.special and rng.random() < 0.7:
            fill = "special" if dtype.is_floating_point else "full"
        item = Input(f"a{len(self.inputs)}", dtype, shape, layout, fill, rng.randrange(1 << 20))
        self.inputs.append(item)
        self.values[item.name] = item.make()
        self.exact[item.name] = True
        return item.name

    def any_value(self):
        names = list(self.values)
        return self.rng.choice(names[-4:] if self.rng.random() < 0.7 else names)

    def partner(self, name, dtype=None):
        """A value or a new input that broadcasts with `name`."""
        rng, shape = self.rng, self.values[name].shape
        fits = [
            n
            for n, v in self.values.items()
            if (dtype is None or v.dtype == dtype) and _broadcasts(v.shape, shape)
        ]
        if fits and rng.random() < 0.6:
            return rng.choice(fits)
        other = [1 if rng.random() < 0.25 else size for size in shape]
        other = other[rng.randrange(len(other) + 1) :] if rng.random() < 0.3 else other
        same = rng.random() < 0.6
        return self.new_input(tuple(other), dtype or (self.values[name].dtype if same else None))

    # ------------------------------------------------------------ operations
    def dims(self, rank, most=None):
        count = self.rng.randint(1, most or rank)
        if self.rng.random() < 0.5:  # the inner ones
            return tuple(range(rank - count, rank))
        return tuple(sorted(self.rng.sample(range(rank), count)))

    def unary(self, x):
        value = self.values[x]
        if value.dtype == torch.bool:
            return "torch.logical_not({0})", (x,), True
        if not value.is_floating_point():
            return self.rng.choice(UNARY_INT), (x,), True
        if self.mode != "exact" and self.rng.random() < 0.6:
            return self.rng.choice(UNARY_INEXACT), (x,), False
        return self.rng.choice(UNARY_EXACT + UNARY_STEP), (x,), True

    def binary(self, x):
        rng = self.rng
        if rng.random() < 0.3:
            scalar = rng.choice(SCALARS)
            y, operands = repr(scalar), (x,)
            integral = isinstance(scalar, int) and not self.values[x].is_floating_point()
        else:
            partner = self.partner(x)
            y, operands = "{1}", (x, partner)
            integral = not (self.values[x].is_floating_point() or self.values[partner].is_floating_point())
        if self.mode != "exact" and not integral and rng.random() < 0.1 and len(operands) == 2:
            return rng.choice(BINARY_INEXACT), operands, False
        table = BINARY_EXACT + BINARY_STEP[: 9 if integral else None]
        bools = any(self.values[n].dtype == torch.bool for n in operands)
        if integral and rng.random() < 0.6:
            table = BINARY_INT[:-2] if bools else BINARY_INT
        text = rng.choice(table)
        if len(operands) == 1:
            if text.startswith(("torch.maximum", "torch.minimum", "torch.logical", "torch.fm", "torch.copysign")):
                text = rng.choice(BINARY_EXACT[:4])
            if text.startswith(("torch.nextafter", "torch.gcd")):
                text = "torch.add({0},{1})"
            if rng.random() < 0.2 and text == "torch.sub({0},{1})":
                return f"{y} - {{0}}", operands, True
        if text == "torch.add({0},{1})" and rng.random() < 0.1 and (integral or self.mode != "exact"):
            return "torch.add({0},{1},alpha=3)".replace("{1}", y), operands, integral  # eager fuses the two
        return text.replace("{1}", y), operands, True

    def ternary(self, x):
        rng = self.rng
        if rng.random() < 0.4 and self.values[x].dtype != torch.bool:
            low, high = sorted(rng.sample((-3, -1, 0, 1, 2, 5), 2))
            return f"torch.clamp({{0}}, {low}, {high})", (x,), True
        condition = self.partner(x, torch.bool)
        if rng.random() < 0.3:
            return f"{{0}}.masked_fill({{1}}, {rng.choice((0, 1, 2))})", (x, condition), True
        return "torch.where({0}, {1}, {2})", (condition, x, self.partner(x)), True

    def cast(self, x):
        dtype = self.rng.choice(DTYPES if self.rng.random() < 0.5 else FLOATS)
        return f"{{0}}.to({dtype})", (x,), True

    def reduction(self, x):
        rng, value = self.rng, self.values[x]
        rank = value.dim()
        keep = rng.random() < 0.5
        one = rng.randrange(rank) if rank else 0
        kinds = ["any", "all", "argmax", "argmin", "max", "min"]
        if not value.is_floating_point():
            kinds += ["sum", "prod", "amax", "amin"] * 2
        elif self.mode == "exact":
            kinds += REDUCE_EXACT * 4
        else:
            kinds += REDUCE_INEXACT * 2
        kind = rng.choice(kinds)
        exact = not value.is_floating_point() or kind not in REDUCE_INEXACT or kind == "amax"
        if kind in ("argmax", "argmin"):
            text = rng.choice((f"{one}, {keep}", "")) if rank else ""
            return f"torch.{kind}({{0}}, {text})", (x,), exact
        if kind in ("max", "min"):
            return f"torch.{kind}({{0}}, {one}, {keep})[{rng.randrange(2)}]", (x,), exact
        if kind == "prod":
            return f"torch.prod({{0}}, {one}, {keep})", (x,), exact
        dims = self.dims(rank) if rank else ()
        if rng.random() < 0.25:
            dims = tuple(range(rank))
        if kind == "norm":
            order = rng.choice((2, 1, "float('inf')"))
            return f"torch.linalg.vector_norm({{0}}, {order}, {dims}, {keep})", (x,), False
        return f"torch.{kind}({{0}}, dim={dims}, keepdim={keep})", (x,), exact

    def named(self, x):
        rng, value = self.rng, self.values[x]
        if not value.is_floating_point() or not value.dim() or self.mode == "exact":
            return None
        dim = rng.choice((-1, -1, rng.randrange(value.dim())))
        shape = tuple(value.shape[-rng.randint(1, min(2, value.dim())) :])
        kind = rng.choice(("softmax", "log_softmax", "layer_norm", "rms_norm"))
        if kind in ("softmax", "log_softmax"):
            return f"torch.{kind}({{0}}, {dim})", (x,), False
        if rng.random() < 0.5:
            return f"F.{kind}({{0}}, {shape})", (x,), False
        weight = self.new_input(shape, value.dtype)
        if kind == "rms_norm" or rng.random() < 0.3:
            return f"F.{kind}({{0}}, {shape}, {{1}})", (x, weight), False
        bias = self.new_input(shape, value.dtype)
        return f"F.{kind}({{0}}, {shape}, {{1}}, {{2}})", (x, weight, bias), False

    def view(self, x):
        rng, value = self.rng, self.values[x]
        rank, shape = value.dim(), list(value.shape)
        kind = rng.choice(("reshape", "reshape", "unsqueeze", "squeeze", "expand", "slice", "select", "permute"))
        if kind == "permute" and rng.random() < 0.6:
            kind = "reshape"
        if kind == "unsqueeze" and rank < HIGHEST:
            return f"torch.unsqueeze({{0}}, {rng.randint(0, rank)})", (x,), True
        if kind == "squeeze":
            return "torch.squeeze({0})", (x,), True
        if kind == "expand" and value.numel() and rank < HIGHEST:
            sizes = [rng.choice((1, 2, 5)) if size == 1 else size for size in shape]
            sizes = [rng.choice((1, 3))] * rng.randint(0, 1) + sizes
            if math.prod(sizes) <= 2 * LARGEST:
                return f"{{0}}.expand({tuple(sizes)})", (x,), True
        if rank == 0:
            return "{0}.reshape(1)", (x,), True
        d = rng.randrange(rank)
        if kind == "slice" and shape[d] > 1:
            start, end = sorted(rng.sample(range(shape[d] + 1), 2))
            cut = f"{start}:{end}" + rng.choice(("", "", "", ":2"))
            return f"{{0}}[{':, ' * d}{cut}]", (x,), True
        if kind == "select" and shape[d]:
            return f"torch.select({{0}}, {d}, {rng.randrange(shape[d])})", (x,), True
        if kind == "permute" and rank > 1:
            order = list(range(rank))
            rng.shuffle(order)
            return f"torch.permute({{0}}, {tuple(order)})", (x,), True
        if rng.random() < 0.3 or rank == 1:  # split a dimension
            for factor in (2, 3, 5, 7):
                if shape[d] and shape[d] % factor == 0 and rank < HIGHEST:
                    return f"{{0}}.reshape({tuple(shape[:d] + [factor, shape[d] // factor] + shape[d + 1 :])})", (x,), True
        first = rng.randrange(rank)
        last = rng.randrange(first, rank)
        return f"torch.flatten({{0}}, {first}, {last})", (x,), True

    def movement(self, x):
        rng, value = self.rng, self.values[x]
        rank, shape = value.dim(), list(value.shape)
        if rank == 0:
            return "torch.stack(({0}, {0}))", (x,), True
        d = rng.randrange(rank)
        kind = rng.choice(("cat", "cat", "pad", "flip", "roll", "unfold", "stack", "repeat", "scatter"))
        if kind == "cat":
            fits = [
                n
                for n, v in self.values.items()
                if v.dim() == rank and all(v.shape[i] == shape[i] for i in range(rank) if i != d)
            ]
            operands = (x, *(rng.choice(fits) for _ in range(rng.randint(1, 3))))
            return f"torch.cat(({', '.join(f'{{{i}}}' for i in range(len(operands)))}), {d})", operands, True
        if kind == "stack" and rank < HIGHEST:
            return f"torch.stack(({{0}}, {{0}}), {rng.randint(0, rank)})", (x,), True
        if kind == "pad":
            pads = [rng.choice((0, 1, 3, -1)) for _ in range(2 * rng.randint(1, min(rank, 3)))]
            return f"F.pad({{0}}, {tuple(pads)}, value={rng.choice((0, 1))})", (x,), True
        if kind == "roll":
            return f"torch.roll({{0}}, {rng.randint(-5, 5)}, {rng.choice((d, None))})", (x,), True
        if kind == "unfold" and shape[d] and rank < HIGHEST:
            size = rng.randint(1, min(shape[d], 5))
            return f"{{0}}.unfold({d}, {size}, {rng.randint(1, 4)})", (x,), True
        if kind == "repeat":
            return f"{{0}}.repeat({tuple(rng.choice((1, 1, 2, 3)) for _ in shape)})", (x,), True
        if kind == "scatter" and shape[d] > 1:
            start, step = rng.randrange(shape[d]), rng.randint(1, 3)
            part = f"{{0}}[{':, ' * d}{start}::{step}]"
            return f"torch.slice_scatter({{0}}, {part}.flip({d}), {d}, {start}, None, {step})", (x,), True
        return f"torch.flip({{0}}, {self.dims(rank)})", (x,), True

    def indexing(self, x):
        """Gathers and scatters by an index in bounds, computed or not."""
        rng, value = self.rng, self.values[x]
        if not value.dim() or not value.numel():
            return None
        d = rng.randrange(value.dim())
        below = value.shape[d]
        kind = rng.choice(("index_select", "gather", "index", "scatter", "index_add", "index_put", "take"))
        if kind in ("gather", "scatter"):
            shape = list(value.shape)
            shape[d] = rng.choice((1, 3, shape[d], 130))
        else:
            shape = [rng.choice((1, 3, 7, 130))]
        if math.prod(shape) > 100 * LARGEST:  # of a value that was repeated: gigabytes in eager
            return None
        index = self.new_input(tuple(shape), torch.int64)
        at = f"({{1}} % {value.numel() if kind == 'take' else below})"
        operands = (x, index)
        if kind == "take":
            return f"torch.take({{0}}, {at})", operands, True
        if kind == "index":
            return f"{{0}}[{':, ' * d}{at}]", operands, True
        if kind in ("index_select", "gather"):
            return f"torch.{kind}({{0}}, {d}, {at})", operands, True
        if kind == "scatter":  # of one number, because eager does not say which of several stays
            return f"torch.scatter({{0}}, {d}, {at}, 1)", operands, True
        source = list(value.shape)
        source[d] = shape[0]
        operands = (x, index, self.new_input(tuple(source), value.dtype))
        if value.dtype == torch.bool:
            return None
        if kind == "index_put":
            return (f"torch.index_put({{0}}, ({at},), {{2}}, True)" if d == 0 else None), operands, True
        return f"torch.index_add({{0}}, {d}, {at}, {{2}})", operands, True

    def sequence(self, x):
        """Scans and sorts."""
        rng, value = self.rng, self.values[x]
        d = rng.randrange(value.dim()) if value.dim() else 0
        kind = rng.choice(("cumsum", "cumprod", "cummax", "cummin", "sort", "argsort", "topk"))
        if kind in ("cummax", "cummin"):
            return f"torch.{kind}({{0}}, {d})[{rng.randrange(2)}]", (x,), True
        if kind == "topk":
            count = value.shape[d] if value.dim() else 1
            return f"torch.topk({{0}}, {rng.randint(1, max(count, 1))}, {d}, {rng.random() < 0.5})[0]", (x,), True
        if kind in ("sort", "argsort"):
            which = "[0]" if kind == "sort" and rng.random() < 0.5 else "[1]" if kind == "sort" else ""
            return f"torch.{kind}({{0}}, stable=True, dim={d}, descending={rng.random() < 0.5}){which}", (x,), True
        return f"torch.{kind}({{0}}, {d})", (x,), True

    # ------------------------------------------------------------- selection
    def accepts(self, op, result):
        """Whether the program may have this operation with this eager result."""
        operands = [self.values[n] for n in op.operands]
        known = all(self.exact[n] for n in op.operands)
        text = op.text
        step = result.dtype not in FLOATS or text in UNARY_STEP or _steps(text)
        if any(v.dtype in FLOATS for v in operands) and step and not known:
            return False
        if self.undefined(text, operands, result):
            return False
        if text.startswith("torch.where") and not self.exact[op.operands[0]]:
            return False
        if ".to(" in text and operands[0].dtype in FLOATS and result.dtype in INTEGERS:
            info = torch.iinfo(result.dtype)
            wide = operands[0].double()
            high = min(float(info.max), 2.0**62)
            if not bool((wide.isfinite() & (wide >= info.min) & (wide <= high)).all()):
                return False
        if self.mode != "exact" and result.dtype in FLOATS and result.numel():
            wide = result.double()
            if not self.special and not bool(wide.isfinite().all()):
                return False
            if not op.exact or not known or result.dtype in HALVES:
                most = 1e4 if result.dtype == torch.float16 else 1e15
                if bool((wide.abs().nan_to_num(0, 0, 0) > most).any()):
                    return False
        return result.numel() <= 200000

    @staticmethod
    def undefined(text, operands, result):
        """Where eager's vectors and their tails differ, so that it defines no result."""
        floats = [v for v in operands if v.dtype in FLOATS]
        if any(f".{word}(" in text for word in EXTREMA) and floats:
            zeros = [v.double().signbit()[v == 0] for v in operands if v.dtype != torch.bool]
            return any(z.any() for z in zeros) and not all(z.all() for z in zeros)
        if "signbit" in text or "copysign" in text:  # of NaN it is whatever the processor makes
            return bool(floats) and bool(floats[-1].isnan().any())
        if any(word in text for word in ("fmod", "remainder", "rounding_mode")) and floats:
            wide = [v.double() for v in operands]
            quotient = (wide[0] / wide[1] if len(wide) == 2 else wide[0]).abs()
            quotient = quotient[(wide[-1] != 0) & quotient.isfinite()] if len(wide) == 2 else quotient[quotient.isfinite()]
            # Eager's float16 rounds each step of a floor division.
            most = 100 if result.dtype in HALVES else 1e30
            return bool((quotient > most).any())
        return False

    def safe(self, text, operands):
        """Integer division: by no zero, and no overflow, which kills the process."""
        if any(word in text for word in DIVIDES) and len(operands) == 2:
            a, b = (self.values[n] for n in operands)
            if not b.is_floating_point() and not a.is_floating_point() and "torch.div({0},{1})" not in text:
                return not bool((b == 0).any() | (b == -1).any())
        return not (any(w in text for w in DIVIDES) and re.search(r"\{0\}, ?(0|-1)[,)]", text))

    def add_op(self):
        kind = self.rng.choices(
            (self.unary, self.binary, self.ternary, self.cast, self.reduction, self.named, self.view)
            + (self.movement, self.indexing, self.sequence)
            + (self.product, self.attention, self.convolution, self.pooling, self.scatter_reduce),
            (5, 8, 2, 3, 3, 1.5, 3, 2, 1, 1, 2, 0.7, 0.7, 0.7, 0.5),
        )[0]
        kept = len(self.inputs)
        made = kind(self.any_value())
        if made and made[0]:
            text, operands, exact = made
            if self.safe(text, operands):
                op = Op(f"v{len(self.ops)}", text, tuple(operands), exact)
                op.rounds = not any(f".{word}(" in text for word in UNROUNDED) and kind not in (self.view, self.movement)
                try:
                    result = evaluate(op, self.values)
                except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError):
                    result = None
                if isinstance(result, torch.Tensor) and result.dtype in DTYPES and self.accepts(op, result):
                    known = exact and all(self.exact[n] for n in operands)
                    if self.mode == "default" and op.rounds and result.dtype in HALVES:
                        known = False
                    if "rms_norm" in text:
                        op.eps = torch.finfo(torch.float64 if result.dtype == torch.float64 else torch.float32).eps
                    self.ops.append(op)
                    self.values[op.name], self.exact[op.name] = result, known
                    return True
        for item in self.inputs[kept:]:
            del self.values[item.name], self.exact[item.name]
        del self.inputs[kept:]
        return False

    def program(self):
        rng = self.rng
        self.new_input(self.shape())
        count = rng.randint(1, 12) if not (self.special and self.mode != "exact") else rng.randint(1, 2)
        for _ in range(count * 15):
            if len(self.ops) == count:
                break
            self.add_op()
        outputs = [(self.ops or self.inputs)[-1].name]
        while rng.random() < 0.4 and len(outputs) < 4:
            outputs.append(rng.choice(list(self.values)))
        rounding = "default" if self.mode == "default" else "eager"
        return Program(self.inputs, self.ops, outputs, rounding, self.seed).used()


def _steps(text):
    # The order of elements that are not known to the last bit may be another.
    if any(word in text for word in ("sort", "topk", "cummax", "cummin")):
        return True
    return any(text.split("{")[0] == step.split("{")[0] for step in UNARY_STEP + BINARY_STEP) or "rounding_mode" in text


def _broadcasts(a, b):
    """Whether the two go together without growing much beyond the larger."""
    try:
        shape = torch.broadcast_shapes(a, b)
    except RuntimeError:
        return False
    return math.prod(shape) <= max(math.prod(a), math.prod(b), LARGEST)


def exactness(program, values):
    """Which values PyTorch defines bit by bit, by name (see accepts)."""
    exact = {i.name: True for i in program.inputs}
    for op in program.ops:
        known = op.exact and all(exact[n] for n in op.operands)
        if program.rounding == "default" and op.rounds and values[op.name].dtype in HALVES:
            known = False
        exact[op.name] = known
    return exact
