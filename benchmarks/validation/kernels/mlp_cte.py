"""mlp_cte of AWS's NKI library on one core, bfloat16: down(silu(gate(x)) * up(x)).

Tiles of 512 tokens, one phase after the other: load, norm (squares and their sum
on Scalar), turn the rows (Tensor, four squares a bank), gate, up, activation,
turn, down. Weights are read again for each tile.
"""

from ..nisa import Program


def _pieces(size: int, step: int):
    return [(begin, min(step, size - begin)) for begin in range(0, size, step)]


def mlp_cte(tokens: int, hidden: int, inner: int, norm: bool, gate: bool) -> Program:
    p = Program("mlp_cte")
    x = p.input("x", tokens, hidden, dtype="bf16")
    projections = [p.input(name, hidden, inner, dtype="bf16") for name in (["gate", "up"] if gate else ["up"])]
    down = p.input("down", inner, hidden, dtype="bf16")
    out = p.output("out", tokens, hidden, dtype="bf16")
    steps, inner_tiles = _pieces(hidden, 128), _pieces(inner, 128)
    turn_banks, banks = p.banks(2, 512, "bf16"), p.banks(6)
    # Weights of 1024 hidden features at a time: four buffers of the projections'
    # and eight of the last one's.
    weight_sets = [[p.sbuf(inner, "bf16") for _ in range(8)] for _ in range(4)]
    down_sets = [[p.sbuf(1024, "bf16", parts=size) for _, size in inner_tiles] for _ in range(2)]
    token_tiles = _pieces(tokens, 512)
    loads = 0
    for begin, count in token_tiles:
        rows = _pieces(count, 128)
        loaded = [p.sbuf(hidden, "bf16", parts=size) for _, size in rows]
        for (row, _), tile in zip(rows, loaded):
            p.load(tile, x, row={None: begin + row})
        scales = [p.sbuf(1, parts=size) for _, size in rows]
        if norm:
            for tile, scale in zip(loaded, scales):
                squares = p.sbuf(hidden, "bf16", parts=tile.parts)
                p.activation(squares, "square", tile, acc=scale)
                p.activation(scale, "exp", scale)  # of the cost of rsqrt
        turned = [p.sbuf(128 * len(steps), "bf16") for _ in rows]
        for r, tile in enumerate(loaded):
            if norm:
                p.tensor_scalar(tile, "mul", tile, scales[r])
            for first in range(0, len(steps), 4):
                bank, squares = next(turn_banks), min(4, len(steps) - first)
                for i in range(squares):
                    p.transpose(p.part(bank, i * 128, tile.parts), p.part(tile, (first + i) * 128, 128))
                p.copy(p.part(turned[r], first * 128, squares * 128), p.part(bank, 0, squares * 128))
        products = []
        for matrix in projections:
            sums = [p.part(next(banks), 0, inner) for _ in rows]
            for first in range(0, len(steps), 8):
                weights = weight_sets[loads % 4]
                loads += 1
                here = steps[first : first + 8]
                for tile, (row, _) in zip(weights, here):
                    p.load(tile, matrix, row={None: row}, queue=1)
                for r, (_, size) in enumerate(rows):
                    for i, tile in enumerate(weights[: len(here)]):
                        stationary = p.part(turned[r], (first + i) * 128, size)
                        p.matmul(sums[r], stationary, tile, first + i > 0)
            products.append(sums)
        middle = [p.sbuf(inner, "bf16", parts=size) for _, size in rows]
        for r, tile in enumerate(middle):
            p.activation(tile, "silu", products[0][r])
            if gate:
                p.tensor_tensor(tile, "mul", tile, products[1][r])
        columns = [p.sbuf(count, "bf16", parts=size) for _, size in inner_tiles]
        for r, tile in enumerate(middle):
            bank = next(turn_banks)
            for i, (start, size) in enumerate(inner_tiles):
                square = p.part(bank, i * 128, tile.parts)
                p.transpose(square, p.part(tile, start, size))
                p.copy(p.part(columns[i], r * 128, tile.parts), square)
        results = [p.sbuf(hidden, "bf16", parts=size) for _, size in rows]
        for n, (column, width) in enumerate(_pieces(hidden, 1024)):
            weights = down_sets[n % 2]
            for tile, (start, _) in zip(weights, inner_tiles):
                p.load(p.part(tile, 0, width), down, row={None: start}, col={None: column}, queue=1)
            for r, (row, size) in enumerate(rows):
                for half, bank_width in _pieces(width, 512):
                    psum = p.part(next(banks), 0, bank_width)
                    for i, tile in enumerate(weights):
                        p.matmul(psum, p.part(columns[i], row, size), p.part(tile, half, bank_width), i > 0)
                    p.copy(p.part(results[r], column + half, bank_width), psum)
        for (row, _), tile in zip(rows, results):
            p.store(tile, out, row={None: begin + row}, engine="scalar")
    return p
