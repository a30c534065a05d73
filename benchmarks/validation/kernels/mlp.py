"""Multi-layer perceptrons in float32.

`mlp`: three layers, activations kept transposed (features on partitions), so
that each layer's result is the next one's moving operand. `swiglu`: gate and up
projections of turned rows, the product through HBM, then the down projection,
in the order of NKIBench's kernel.
"""

from ..nisa import Program

BATCH = 512  # moving columns


def _turn(p: Program, banks, source, tiles: int):
    """Squares of `source` [128 rows, tiles * 128] turned, as parts of 128 columns."""
    for i in range(tiles):
        psum = p.part(next(banks), 0, 128)
        p.transpose(psum, p.part(source, i * 128, 128))
        yield i, psum


def mlp(batch: int, widths: list[int]) -> Program:
    p = Program("mlp")
    x = p.input("x", batch, widths[0])
    weights = [p.input(f"w{i}", k, n) for i, (k, n) in enumerate(zip(widths, widths[1:]))]
    out = p.output("out", batch, widths[-1])
    banks = p.banks()
    slab = [[p.sbuf(512) for _ in range(max(widths) // 128)] for _ in range(2)]
    loads = 0
    with p.loop(batch // BATCH) as block:
        hidden = [p.sbuf(BATCH) for _ in range(widths[0] // 128)]
        for r in range(BATCH // 128):
            rows = p.sbuf(widths[0])
            p.load(rows, x, row={None: r * 128, block: BATCH})
            for i, psum in _turn(p, banks, rows, widths[0] // 128):
                p.copy(p.part(hidden[i], r * 128, 128), psum)
        for layer, matrix in enumerate(weights):
            k, n = widths[layer], widths[layer + 1]
            last = layer == len(weights) - 1
            results = [] if last else [p.sbuf(BATCH) for _ in range(n // 128)]
            for column in range(n // 512):
                here = slab[loads % 2]
                loads += 1
                for i in range(k // 128):
                    p.load(here[i], matrix, row={None: i * 128}, col={None: column * 512}, queue=1)
                for part in range(4):
                    psum = next(banks)
                    for i in range(k // 128):
                        stationary = p.part(hidden[i] if last else here[i], part * 128, 128)
                        p.matmul(psum, stationary, here[i] if last else hidden[i], i > 0)
                    if last:
                        result = p.sbuf(512)
                        p.activation(result, "identity", psum)
                        p.store(
                            result, out, row={None: part * 128, block: BATCH}, col={None: column * 512}, engine="gpsimd"
                        )
                    else:
                        p.activation(results[column * 4 + part], "abs", psum)  # of the cost of relu
            hidden = results
    return p


def swiglu(rows: int, inner: int, width: int) -> Program:
    """x[rows, width], gate and up [width, inner], down [inner, width]."""
    p = Program("swiglu")
    x = p.input("x", rows, width)
    gate_w, up_w = p.input("gate", width, inner), p.input("up", width, inner)
    down_w, out = p.input("down", inner, width), p.output("out", rows, width)
    product = p.output("product", inner, rows)
    gates = p.output("gates", inner, rows)
    one = p.number(1.0)
    banks = p.banks()
    steps = width // 128

    def project(weights, finish):
        with p.loop(inner // 1024) as slab:
            matrix = [p.sbuf(1024) for _ in range(steps)]
            for i, tile in enumerate(matrix):
                p.load(tile, weights, row={None: i * 128}, col={slab: 1024}, queue=1)
            with p.loop(rows // BATCH) as block:
                turned = [p.sbuf(BATCH, buffers=2) for _ in range(steps)]
                for r in range(BATCH // 128):
                    loaded = p.sbuf(width, buffers=2)
                    p.load(loaded, x, row={None: r * 128, block: BATCH})
                    for i, psum in _turn(p, banks, loaded, steps):
                        p.copy(p.part(turned[i], r * 128, 128), psum)
                for column in range(8):
                    psum = next(banks)
                    for i in range(steps):
                        p.matmul(psum, p.part(matrix[i], column * 128, 128), turned[i], i > 0)
                    finish(psum, dict(row={None: column * 128, slab: 1024}, col={block: BATCH}))

    def keep_gate(psum, place):
        gate = p.sbuf(BATCH)
        p.activation(gate, "identity", psum)
        p.store(gate, gates, **place, engine="scalar")

    def gate_times_up(psum, place):
        gate = p.sbuf(BATCH)
        p.load(gate, gates, **place, queue=2)
        weight, denominator, result = p.sbuf(BATCH), p.sbuf(BATCH), p.sbuf(BATCH)
        p.activation(weight, "exp", gate, scale=p.number(-1.0))
        p.tensor_scalar(weight, "add", weight, one)
        p.op("reciprocal", denominator, weight, engine="vector")
        p.tensor_tensor(result, "mul", gate, denominator)
        p.tensor_tensor(result, "mul", result, psum)
        p.store(result, product, **place, engine="scalar")

    project(gate_w, keep_gate)
    project(up_w, gate_times_up)
    matrix = [p.sbuf(width) for _ in range(inner // 128)]
    for i, tile in enumerate(matrix):
        p.load(tile, down_w, row={None: i * 128}, queue=1)
    with p.loop(rows // BATCH) as block:
        columns = [p.sbuf(BATCH) for _ in range(inner // 128)]
        for i, tile in enumerate(columns):
            p.load(tile, product, row={None: i * 128}, col={block: BATCH})
        for r in range(BATCH // 128):
            result = p.sbuf(width)
            for half in range(width // 512):
                psum = next(banks)
                for i in range(inner // 128):
                    p.matmul(psum, p.part(columns[i], r * 128, 128), p.part(matrix[i], half * 512, 512), i > 0)
                p.activation(p.part(result, half * 512, 512), "identity", psum)
            p.store(result, out, row={None: r * 128, block: BATCH}, engine="scalar")
    return p
