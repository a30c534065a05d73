# generate.py KIND N - prints a graph of about N ops for the scaling tests.
import sys

T, W = "tensor<64x128xf32>", "tensor<128xf32>"


def chain(n):
    """Each op reads the one before."""
    for i in range(n):
        yield f"%v{i + 1} = neuron.{('exp', 'sin')[i % 2]} %v{i} : {T}"


def diamonds(n):
    """Two ops read a value, a third joins them; per diamond 3 ops."""
    for i in range(n // 3):
        yield f"%a{i} = neuron.exp %v{i} : {T}"
        yield f"%b{i} = neuron.sin %v{i} : {T}"
        yield f"%v{i + 1} = neuron.add %a{i}, %b{i} : ({T}, {T}) -> {T}"


def statistics(n):
    """A statistic of one input is made and used, again and again."""
    s = "tensor<64x1xf32>"
    for i in range(n // 2):
        yield f"%s{i} = neuron.mean %v0 dims [1] keepdim : ({T}) -> {s}"
    for i in range(n // 2):
        yield f"%v{i + 1} = neuron.mul %v{i}, %s{i} : ({T}, {s}) -> {T}"


def both_ways(n):
    """As statistics, but every other one is of the other dimension."""
    s = ("tensor<64x1xf32>", "tensor<1x128xf32>")
    for i in range(n // 2):
        yield f"%s{i} = neuron.mean %v0 dims [{1 - i % 2}] keepdim : ({T}) -> {s[i % 2]}"
    for i in range(n // 2):
        yield f"%v{i + 1} = neuron.mul %v{i}, %s{i} : ({T}, {s[i % 2]}) -> {T}"


def sides(n):
    """Arithmetic on a weight joins the chain at every third op."""
    for i in range(n // 3):
        yield f"%a{i} = neuron.exp %w : {W}"
        yield f"%b{i} = neuron.sin %a{i} : {W}"
        yield f"%v{i + 1} = neuron.add %v{i}, %b{i} : ({T}, {W}) -> {T}"


def passes(n):
    """A chain of normalisations: each waits for a reduction of the last."""
    s = "tensor<64x1xf32>"
    for i in range(n // 2):
        yield f"%s{i} = neuron.max %v{i} dims [1] keepdim : ({T}) -> {s}"
        yield f"%v{i + 1} = neuron.sub %v{i}, %s{i} : ({T}, {s}) -> {T}"


def concats(n):
    """Cut in two, each part computed with, put together again."""
    a, b = "tensor<40x128xf32>", "tensor<24x128xf32>"
    for i in range(n // 5):
        yield f"%a{i} = neuron.slice %v{i} starts [24, 0] steps [1, 1] : ({T}) -> {a}"
        yield f"%b{i} = neuron.slice %v{i} starts [23, 0] steps [-1, 1] : ({T}) -> {b}"
        yield f"%c{i} = neuron.exp %a{i} : {a}"
        yield f"%d{i} = neuron.sin %b{i} : {b}"
        yield f"%v{i + 1} = neuron.concat %c{i}, %d{i} dim 0 : ({a}, {b}) -> {T}"


kind, count = sys.argv[1], int(sys.argv[2])
lines = list(globals()[kind](count))
last = [line.split()[0] for line in lines if line.startswith("%v")][-1]
print(f"func.func @main(%v0: {T}, %w: {W}) -> {T} {{")
print("\n".join("  " + line for line in lines))
print(f"  return {last} : {T}\n}}")
