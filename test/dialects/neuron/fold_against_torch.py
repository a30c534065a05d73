"""Compare constant folding with PyTorch, bit for bit.

For each elementwise op and dtype, a function of constants is written, run
through `neuron-opt --canonicalize`, and every function that became a constant
is compared with what torch computes on the same numbers. An op may refuse to
fold; ops that should fold somewhere and never do are an error, too.
"""

import re
import subprocess
import sys

import torch

DTYPES = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "ui8": torch.uint8,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
FLOATS = ["f16", "bf16", "f32", "f64"]
INTS = ["i8", "i16", "i32", "i64", "ui8"]
NUMBERS = INTS + FLOATS
ALL = ["i1"] + NUMBERS


def trunc_div(a, b):
    return torch.div(a, b, rounding_mode="trunc")


# name: (function, dtypes, number of operands)
OPS = {
    "add": (torch.add, NUMBERS, 2),
    "sub": (torch.sub, NUMBERS, 2),
    "mul": (torch.mul, NUMBERS, 2),
    "div": (torch.div, FLOATS, 2),
    "floor_div": (torch.floor_divide, INTS, 2),
    "trunc_div": (trunc_div, INTS, 2),
    "remainder": (torch.remainder, INTS, 2),
    "fmod": (torch.fmod, INTS, 2),
    "pow": (torch.pow, ["f32", "i32"], 2),
    "maximum": (torch.maximum, NUMBERS, 2),
    "minimum": (torch.minimum, NUMBERS, 2),
    "fmax": (torch.fmax, FLOATS, 2),
    "fmin": (torch.fmin, FLOATS, 2),
    "copysign": (torch.copysign, FLOATS, 2),
    "neg": (torch.neg, NUMBERS, 1),
    "abs": (torch.abs, NUMBERS, 1),
    "sign": (torch.sign, NUMBERS, 1),
    "relu": (torch.relu, NUMBERS, 1),
    "square": (torch.square, NUMBERS, 1),
    "reciprocal": (torch.reciprocal, FLOATS, 1),
    "ceil": (torch.ceil, NUMBERS, 1),
    "floor": (torch.floor, NUMBERS, 1),
    "round": (torch.round, NUMBERS, 1),
    "trunc": (torch.trunc, NUMBERS, 1),
    "eq": (torch.eq, ALL, 2),
    "ne": (torch.ne, ALL, 2),
    "lt": (torch.lt, ALL, 2),
    "le": (torch.le, ALL, 2),
    "gt": (torch.gt, ALL, 2),
    "ge": (torch.ge, ALL, 2),
    "logical_and": (torch.logical_and, ALL, 2),
    "logical_or": (torch.logical_or, ALL, 2),
    "logical_xor": (torch.logical_xor, ALL, 2),
    "logical_not": (torch.logical_not, ALL, 1),
    "isnan": (torch.isnan, FLOATS, 1),
    "isinf": (torch.isinf, FLOATS, 1),
    "isfinite": (torch.isfinite, FLOATS, 1),
    "signbit": (torch.signbit, NUMBERS, 1),
    "bitwise_not": (torch.bitwise_not, ["i1"] + INTS, 1),
    "bitwise_and": (torch.bitwise_and, ["i1"] + INTS, 2),
    "bitwise_or": (torch.bitwise_or, ["i1"] + INTS, 2),
    "bitwise_xor": (torch.bitwise_xor, ["i1"] + INTS, 2),
    "shift_left": (torch.bitwise_left_shift, INTS, 2),
    "shift_right": (torch.bitwise_right_shift, INTS, 2),
}
COMPARES = {"eq", "ne", "lt", "le", "gt", "ge"}
TESTS = {"isnan", "isinf", "isfinite", "signbit"}
PLAIN = {"logical_and", "logical_or", "logical_xor", "logical_not"} | TESTS | COMPARES
CASES = 40


def is_float(dtype):
    return dtype in FLOATS


def bits_of(tensor):
    """The tensor's bits, as unsigned integers of its own width."""
    raw = (
        tensor.reshape(-1)
        .contiguous()
        .view(torch.uint8)
        .reshape(-1, tensor.element_size())
    )
    return [int.from_bytes(bytes(row), "little") for row in raw.tolist()]


def literal(tensor):
    """An MLIR literal of a scalar; floats by their bits, so none is rounded."""
    if tensor.dtype is torch.bool:
        return "true" if tensor.item() else "false"
    if tensor.is_floating_point():
        return f"0x{bits_of(tensor)[0]:0{2 * tensor.element_size()}X}"
    return str(tensor.item())


def sample(dtype, generator):
    """A scalar: special values, small ones, and any bits."""
    torch_dtype = DTYPES[dtype]
    kind = torch.randint(4, (), generator=generator).item()
    if dtype == "i1":
        return torch.tensor(kind % 2 == 0)
    if kind == 0:
        special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            0.5,
            -2.5,
            float("inf"),
            -float("inf"),
            float("nan"),
        ]
        if not is_float(dtype):
            info = torch.iinfo(torch_dtype)
            special = [0, 1, 2, info.min, info.max]
        pick = torch.randint(len(special), (), generator=generator).item()
        return torch.tensor(special[pick]).to(torch_dtype)
    if kind == 1:
        number = torch.randint(-9, 10, (), generator=generator)
        return (number / 2 if is_float(dtype) else number).to(torch_dtype)
    size = torch.empty((), dtype=torch_dtype).element_size()
    raw = torch.randint(0, 256, (size,), generator=generator, dtype=torch.uint8)
    return raw.view(torch_dtype).reshape(())


def make_cases():
    generator = torch.Generator().manual_seed(7)
    for name, (function, dtypes, arity) in OPS.items():
        for dtype in dtypes:
            for _ in range(CASES):
                operands = [sample(dtype, generator) for _ in range(arity)]
                result = "i1" if name in PLAIN else dtype
                yield name, function, dtype, result, operands
    for dtype in ALL:
        for result in ALL:
            if dtype == result:
                continue
            for _ in range(CASES):
                yield "cast", None, dtype, result, [sample(dtype, generator)]


def text_of(index, name, dtype, result, operands):
    values = ", ".join(f"%{i}" for i in range(len(operands)))
    types = ", ".join([f"tensor<{dtype}>"] * len(operands))
    if name == "cast":
        signature = f"{types} to tensor<{result}>"
    elif name in PLAIN or len(operands) == 2:
        signature = f"({types}) -> tensor<{result}>"
    else:
        signature = types
    lines = [f"func.func @f{index}() -> tensor<{result}> {{"]
    for i, operand in enumerate(operands):
        lines.append(
            f"  %{i} = neuron.constant dense<{literal(operand)}> : tensor<{dtype}>"
        )
    lines += [
        f"  %r = neuron.{name} {values} : {signature}",
        f"  return %r : tensor<{result}>",
        "}",
    ]
    return "\n".join(lines)


def parse_constants(output):
    """The constants that functions became: index -> literal."""
    found = {}
    for function in output.split("func.func @f")[1:]:
        if "neuron." in function.replace("neuron.constant", ""):
            continue
        match = re.search(r"neuron\.constant dense<(.*?)> : tensor", function)
        found[int(function.split("(")[0])] = match[1]
    return found


def value_of(text, dtype):
    if text in ("true", "false"):
        return torch.tensor(text == "true")
    if text.startswith("0x"):
        size = torch.empty((), dtype=DTYPES[dtype]).element_size()
        raw = torch.tensor(
            list(int(text, 16).to_bytes(size, "little")), dtype=torch.uint8
        )
        return raw.view(DTYPES[dtype]).reshape(())
    if is_float(dtype):
        return torch.tensor(float(text), dtype=torch.float64).to(DTYPES[dtype])
    return torch.tensor(int(text), dtype=DTYPES[dtype])


def expected_value(name, function, result, operands):
    """What torch computes, by scalar code and by vector code."""
    values = []
    for size in (1, 64):
        tensors = [operand.expand(size).contiguous() for operand in operands]
        value = tensors[0].to(DTYPES[result]) if name == "cast" else function(*tensors)
        values.append(value[0])
    return values


def is_same(actual, expected):
    """Equal bits; of NaN, torch's own payload differs from CPU to CPU."""
    if actual.is_floating_point() and actual.isnan() and expected.isnan():
        return True
    return bits_of(actual) == bits_of(expected)


def main(neuron_opt):
    cases = list(make_cases())
    module = "\n".join(
        text_of(i, name, dtype, result, operands)
        for i, (name, _, dtype, result, operands) in enumerate(cases)
    )
    run = subprocess.run(
        [neuron_opt, "--canonicalize"],
        input=module,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        sys.exit(run.stderr)
    folded = parse_constants(run.stdout)
    wrong = 0
    seen = {}
    for index, text in folded.items():
        name, function, dtype, result, operands = cases[index]
        actual = value_of(text, result)
        seen[name, dtype] = seen.get((name, dtype), 0) + 1
        for expected in expected_value(name, function, result, operands):
            if not is_same(actual, expected):
                wrong += 1
                print(
                    f"{name} {dtype}->{result} {[literal(o) for o in operands]}: "
                    f"folded to {text}, torch says {literal(expected)}"
                )
    missing = [
        f"{name} of {dtype}"
        for name, (_, dtypes, _) in OPS.items()
        for dtype in dtypes
        if (name, dtype) not in seen
    ]
    for what in missing:
        print(f"{what} never folds")
    print(f"{len(folded)} of {len(cases)} cases folded, {wrong} differ from torch")
    sys.exit(bool(wrong or missing))


if __name__ == "__main__":
    main(sys.argv[1])
