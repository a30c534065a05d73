# fuzz_graphs.py NEURON_OPT COUNT [SEED] [f64|bf16] - random graphs before and
# after the graph and fusion passes must compute the same numbers.
#
# Graphs of f64 are raised and fused: what differs is wrong and not rounded.
# Graphs of bf16 are compiled with eager rounding, and must agree bit for bit.
# Both forms are printed generically and evaluated here with NumPy. Rules F1 to
# F6 are checked on the way.
import math
import random
import re
import subprocess
import sys

import numpy as np

ELEMENT = sys.argv[4] if len(sys.argv) > 4 else "f64"
PASSES = (
    "canonicalize,cse,neuron-raise-named-ops{rounding=eager},canonicalize,cse,"
    "neuron-form-kernels{sbuf-bytes=%d},neuron-verify-kernels,"
    "neuron-rounding{mode=eager},canonicalize,cse,neuron-verify-kernels"
)


class Graph:
    """Builds the text of a random function, one value at a time."""

    def __init__(self, rng):
        self.rng, self.lines, self.values, self.args = rng, [], [], []

    @staticmethod
    def type(shape, element=ELEMENT):
        return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"

    def argument(self, shape):
        self.args.append(shape)
        self.values.append((f"%arg{len(self.args) - 1}", tuple(shape)))

    def op(self, name, operands, shape, attributes="", element=ELEMENT, keep=True):
        result = f"%v{len(self.lines)}"
        types = ", ".join(self.type(s, "i1" if v[0:2] == "%b" else ELEMENT) for v, s in operands)
        if element == "i1":
            result = "%b" + result[1:]
        self.lines.append(
            f'{result} = "neuron.{name}"({", ".join(v for v, _ in operands)}) {attributes} : '
            f"({types}) -> {self.type(shape, element)}"
        )
        value = (result, tuple(shape))
        if keep and element != "i1":
            self.values.append(value)
        return value

    def constant(self, number):
        return self.op("constant", [], (), f"<{{value = dense<{number!r}> : tensor<{ELEMENT}>}}>", keep=False)

    def pick(self):
        recent = self.values[-6:]
        return self.rng.choice(recent if self.rng.random() < 0.7 else self.values)

    def broadcastable(self, shape):
        """A value that broadcasts with the shape, and the shape of the result."""
        found = []
        for value in self.values:
            try:
                result = np.broadcast_shapes(shape, value[1])
            except ValueError:
                continue
            if math.prod(result) <= 4096 and len(result) <= 6:
                found.append((value, result))
        return self.rng.choice(found)

    # Each of the following adds one thing to the graph.
    def unary(self):
        value = self.pick()
        self.op(self.rng.choice(["neg", "sin", "tanh", "sigmoid", "abs", "relu"]), [value], value[1])

    def binary(self):
        value = self.pick()
        other, shape = self.broadcastable(value[1])
        operands = [value, other]
        self.rng.shuffle(operands)
        self.op(self.rng.choice(["add", "sub", "mul", "maximum"]), operands, shape)

    def with_constant(self):
        value = self.pick()
        number = self.constant(self.rng.choice([0.5, -1.0, 2.0, 0.25]))
        self.op(self.rng.choice(["add", "mul", "sub"]), [number, value], value[1])

    def select(self):
        value = self.pick()
        other, shape = self.broadcastable(value[1])
        test = self.op("gt", [value, other], shape, element="i1")
        self.op("select", [test, value, other], shape)

    def dims(self, shape):
        count = self.rng.randint(1, len(shape))
        if self.rng.random() < 0.6:
            return [len(shape) - 1]
        return sorted(self.rng.sample(range(len(shape)), count))

    def reduce(self, value=None, name=None, dims=None):
        value = value or self.pick()
        shape = value[1]
        if not shape:
            return None
        dims = dims or self.dims(shape)
        name = name or self.rng.choice(["sum", "mean", "max", "min", "var"])
        keep = self.rng.random() < 0.5
        out = [1 if d in dims else s for d, s in enumerate(shape) if keep or d not in dims]
        extra = ", correction = 0.0 : f64" if name == "var" else ""
        return self.op(
            name, [value], out,
            f"<{{dims = array<i64: {str(dims)[1:-1]}>{', keepdim' if keep else ''}{extra}}}>",
        )

    def rekept(self, value, shape, dims):
        """A statistic with its reduced dimensions put back, in some spelling."""
        kept = [1 if d in dims else s for d, s in enumerate(shape)]
        if list(value[1]) != kept:
            value = self.op("reshape", [value], kept)
        if self.rng.random() < 0.3:
            value = self.op("expand", [value], shape)
        return value

    def normalise(self):
        """Something like a norm or a softmax; or nearly."""
        x = self.pick()
        if not x[1]:
            return
        dims, rng = self.dims(x[1]), self.rng
        count = math.prod(x[1][d] for d in dims)
        if rng.random() < 0.5:
            m = self.rekept(self.reduce(x, rng.choice(["max", "max", "mean"]), dims), x[1], dims)
            d = self.op("sub", [x, m], x[1])
            e = self.op("exp", [d], x[1])
            s = self.reduce(e, "sum", dims)
            if rng.random() < 0.5:
                self.op("div", [e, self.rekept(s, x[1], dims)], x[1])
            else:
                log = self.rekept(self.op("log", [s], s[1]), x[1], dims)
                self.op("sub", [d, log], x[1])
            return
        base = x
        if rng.random() < 0.5:
            m = self.rekept(self.reduce(x, "mean", dims), x[1], dims)
            base = self.op("sub", [x, m], x[1])
        square = self.op("mul", [base, base], x[1]) if rng.random() < 0.5 else self.op("square", [base], x[1])
        if rng.random() < 0.5:
            v = self.reduce(square, "mean", dims)
        else:
            s = self.reduce(square, "sum", dims)
            v = self.op("div", [s, self.constant(float(rng.choice([count, count, count + 1])))], s[1])
        eps = self.constant(1e-3)
        v = self.op("add", [v, eps], v[1])
        r = self.op(rng.choice(["rsqrt", "rsqrt", "sqrt"]), [v], v[1])
        r = self.rekept(r, x[1], dims)
        n = self.op(rng.choice(["mul", "div"]), [base, r], x[1])
        if rng.random() < 0.5:
            other, shape = self.broadcastable(n[1])
            self.op(rng.choice(["mul", "add"]), [n, other], shape)

    def gate(self):
        x = self.pick()
        rng = self.rng
        if rng.random() < 0.5:
            s = self.op("sigmoid", [x], x[1])
            other, shape = (x, x[1]) if rng.random() < 0.8 else self.broadcastable(x[1])
            self.op("mul", [s, other], shape)
            return
        z = self.op("mul", [x, self.constant(rng.choice([math.sqrt(0.5), 0.7]))], x[1])
        t = self.op("add", [self.op("erf", [z], x[1]), self.constant(1.0)], x[1])
        h = self.op("mul", [x, self.constant(0.5)], x[1])
        self.op("mul", [h, t], x[1])

    def view(self):
        value = self.pick()
        shape, rng = list(value[1]), self.rng
        kind = rng.choice(["reshape", "reshape", "expand", "permute", "slice"])
        if kind == "reshape":
            if rng.random() < 0.5 and len(shape) > 1:
                d = rng.randrange(len(shape) - 1)
                shape[d : d + 2] = [shape[d] * shape[d + 1]]
            elif rng.random() < 0.5:
                shape.insert(rng.randint(0, len(shape)), 1)
            else:
                split = [d for d, s in enumerate(shape) if s in (4, 6, 8, 12, 16, 24, 32, 48, 64, 96)]
                if split and len(shape) < 6:
                    d = rng.choice(split)
                    shape[d : d + 1] = [2, shape[d] // 2]
            self.op("reshape", [value], shape)
        elif kind == "expand":
            new = [s if s != 1 or rng.random() < 0.3 else rng.choice([2, 3, 4]) for s in shape]
            if len(new) < 4 and rng.random() < 0.4:
                new = [2] + new
            if math.prod(new) <= 4096:
                self.op("expand", [value], new)
        elif kind == "permute":
            perm = list(range(len(shape)))
            rng.shuffle(perm)
            self.op("permute", [value], [shape[p] for p in perm], f"<{{permutation = array<i64{': ' if perm else ''}{str(perm)[1:-1]}>}}>")
        elif shape:
            starts = [rng.randint(0, s - 1) if rng.random() < 0.4 else 0 for s in shape]
            steps = [rng.choice([1, 1, 2]) for _ in shape]
            new = [(s - a + k - 1) // k for s, a, k in zip(shape, starts, steps)]
            self.op("slice", [value], new, f"<{{starts = array<i64: {str(starts)[1:-1]}>, steps = array<i64: {str(steps)[1:-1]}>}}>")

    def iota(self):
        shape = [self.rng.choice([4, 8])] * self.rng.randint(1, 2)
        self.op("iota", [], shape, f"<{{dim = {self.rng.randrange(len(shape))} : i64, start = 0.0 : f64, step = 0.5 : f64}}>")

    def text(self):
        rng = self.rng
        base = [rng.choice([1, 2, 3, 4, 8, 8]) for _ in range(rng.randint(1, 4))]
        self.argument(base)
        for _ in range(rng.randint(1, 3)):
            shape = [s if rng.random() < 0.7 else 1 for s in base]
            self.argument(shape[rng.randint(0, len(shape)) if rng.random() < 0.4 else 0 :])
        kinds = [self.unary, self.unary, self.binary, self.binary, self.binary, self.with_constant, self.select,
                 self.reduce, self.reduce, self.normalise, self.normalise, self.gate, self.view, self.view, self.iota]
        for _ in range(rng.randint(3, 20)):
            rng.choice(kinds)()
        results = [self.values[-1]] + rng.sample(self.values, min(len(self.values), rng.randint(0, 3)))
        types = ", ".join(self.type(s) for _, s in results)
        args = ", ".join(f"%arg{i}: {self.type(s)}" for i, s in enumerate(self.args))
        body = "\n".join("  " + line for line in self.lines)
        return f"func.func @main({args}) -> ({types}) {{\n{body}\n  return {', '.join(v for v, _ in results)} : {types}\n}}\n"


# Evaluation of the generic form.
erf = np.vectorize(math.erf, otypes=[float])
UNARY = {
    "neg": np.negative, "sin": np.sin, "tanh": np.tanh, "abs": np.abs, "exp": np.exp, "log": np.log,
    "sqrt": np.sqrt, "square": np.square, "erf": erf, "cast": lambda x: x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x,
    "silu": lambda x: x / (1 + np.exp(-x)), "gelu": lambda x: 0.5 * x * (1 + erf(x * math.sqrt(0.5))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}  # fmt: skip
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
          "gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal}  # fmt: skip
REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "var": np.var}


def shape_of(text):
    return tuple(int(s) for s in re.findall(r"(\d+)x", text))


def evaluate(name, operands, attributes, result):
    ints = {k: [int(i) for i in v.split(",") if i.strip()] for k, v in re.findall(r"(\w+) = array<i64:? ?([^>]*)>", attributes)}
    number = {k: float(v) for k, v in re.findall(r"(\w+) = ([-+.\deE]+) : f64", attributes)}
    dims = tuple(ints.get("dims", ()))
    if name in UNARY:
        return UNARY[name](operands[0])
    if name in BINARY:
        return BINARY[name](*operands)
    if name == "select":
        return np.where(*operands)
    if name in REDUCE:
        return REDUCE[name](operands[0], axis=dims, keepdims="keepdim" in attributes)
    if name == "reshape":
        return operands[0].reshape(result)
    if name == "expand":
        return np.broadcast_to(operands[0], result)
    if name == "permute":
        return operands[0].transpose(ints["permutation"])
    if name == "slice":
        return operands[0][tuple(slice(a, a + n * k, k) for a, k, n in zip(ints["starts"], ints["steps"], result))]
    if name == "constant":
        value = re.search(r"dense<(.*?)> : tensor", attributes).group(1)
        if value[:3] == '"0x':
            return np.frombuffer(bytes.fromhex(value[3:-1])).reshape(result)
        if value[:2] == "0x" and "bf16" in attributes:
            return np.full(result, np.array([int(value, 16) << 16], dtype=np.uint32).view(np.float32)[0], float)
        if value[:2] == "0x":
            return np.full(result, np.array([int(value, 16)], dtype=np.uint64).view(np.float64)[0])
        return np.broadcast_to(np.array(eval(value.replace("true", "True").replace("false", "False"))), result)
    if name == "iota":
        dim = int(re.search(r"dim = (\d+)", attributes).group(1))
        steps = number["start"] + number["step"] * np.arange(result[dim])
        return np.broadcast_to(steps.reshape([-1 if d == dim else 1 for d in range(len(result))]), result)
    x = operands[0]
    if name in ("softmax", "log_softmax"):
        d = x - x.max(axis=dims, keepdims=True)
        s = np.exp(d).sum(axis=dims, keepdims=True)
        return np.exp(d) / s if name == "softmax" else d - np.log(s)
    if name in ("rms_norm", "layer_norm"):
        d = x - x.mean(axis=dims, keepdims=True) if name == "layer_norm" else x
        n = d / np.sqrt((d * d).mean(axis=dims, keepdims=True) + number["eps"])
        has_weight, has_bias = len(operands) > 1, len(operands) > 2
        if name == "layer_norm":
            sizes = [int(i) for i in re.search(r"operandSegmentSizes = array<i32: ([^>]*)>", attributes).group(1).split(",")]
            has_weight, has_bias = bool(sizes[1]), bool(sizes[2])
        rest = list(operands[1:])
        if has_weight:
            n = n * rest.pop(0)
        return n + rest.pop(0) if has_bias else n
    raise NotImplementedError(name)


def rounded(values, types):
    """To the precision of a type; bf16 by way of f32, to nearest even."""
    if "f64" in types or "i1" in types:
        return values
    values = np.array(values, dtype=np.float32)
    if "bf16" in types:
        bits = values.view(np.uint32)
        even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        values = np.where(np.isnan(values), values, even.astype(np.uint32).view(np.float32))
    return values.astype(np.float64)


def run(text, inputs):
    """Evaluates a function printed in the generic form."""
    env, kernels, results = {}, [], None
    for line in text.splitlines():
        line = line.strip()
        if block := re.match(r"\^bb0\((.*)\):", line):
            names = re.findall(r"(%\w+): ", block.group(1))
            source = kernels[-1][1] if kernels else inputs
            env.update(zip(names, source))
        elif kernel := re.match(r'(%\w+)(?::\d+)? = "neuron.kernel"\((.*?)\) <\{', line):
            operands = [env[v.strip()] for v in kernel.group(2).split(",") if v.strip()]
            kernels.append((kernel.group(1), operands))
        elif op := re.match(r'(?:(%\w+) = )?"(\w+)\.(\w+)"\((.*?)\)(.*) : \((.*)\) -> (.*)', line):
            result, dialect, name, operands, attributes, _, types = op.groups()
            if dialect == "builtin" or (dialect == "func" and name == "func"):
                continue
            operands = [env[v.strip()] for v in operands.split(",") if v.strip()]
            if name == "return":
                results = operands
            elif name == "yield":
                target = kernels.pop()[0]
                env.update({f"{target}#{i}": v for i, v in enumerate(operands)})
                env[target] = operands[0]
            else:
                env[result] = rounded(evaluate(name, operands, attributes, shape_of(types)), types)
                assert env[result].shape == shape_of(types), line
    return results


def compile_all(tool, sources, passes):
    """One run of the tool for many graphs: starting it is what takes time."""
    arguments = [f"--pass-pipeline=builtin.module(func.func({passes}))"] if passes else []
    done = subprocess.run(
        [tool, "--mlir-print-op-generic", "--split-input-file", *arguments],
        input="\n// -----\n".join(sources), capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{passes}: {done.stderr}")
    return done.stdout.split("// -----")


def main():
    tool, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    kernels = raised = 0
    bound = dict(rtol=1e-6, atol=1e-9) if ELEMENT == "f64" else dict(rtol=0, atol=0)
    for start in range(seed, seed + count, 100):
        numbers = range(start, min(start + 100, seed + count))
        graphs = [Graph(random.Random(number)) for number in numbers]
        sources = [graph.text() for graph in graphs]
        passes = PASSES % random.Random(start).choice([0, 64, 512])
        compiled = zip(compile_all(tool, sources, ""), compile_all(tool, sources, passes), strict=True)
        for number, graph, source, outputs in zip(numbers, graphs, sources, compiled, strict=True):
            data = np.random.default_rng(number)
            inputs = [rounded(data.standard_normal(shape), ELEMENT) for shape in graph.args]
            with np.errstate(all="ignore"):
                before, after = (run(text, inputs) for text in outputs)
            for old, new in zip(before, after, strict=True):
                if old.shape != new.shape or not np.allclose(old, new, **bound, equal_nan=True):
                    sys.exit(f"seed {number}: results differ\n{old}\n{new}\n{source}\n{outputs[1]}")
            kernels += outputs[1].count('"neuron.kernel"')
            raised += len(re.findall(r"neuron\.(softmax|log_softmax|rms_norm|layer_norm|silu|gelu)", outputs[1]))
    print(f"{count} graphs agree: {kernels} kernels, {raised} named ops raised")


main()
