"""A matrix turned in squares of 128 by the Tensor engine (CS 149's exercise)."""

from ..nisa import Program

AHEAD = 4  # squares that are loaded before the first is stored


def transpose(rows: int, cols: int, dtype: str) -> Program:
    p = Program("transpose")
    source, out = p.input("x", rows, cols, dtype=dtype), p.output("out", cols, rows, dtype=dtype)
    banks = p.banks(4, 128, dtype)
    squares = [(m, n) for m in range(rows // 128) for n in range(cols // 128)]
    loaded = {}
    for i in range(len(squares) + AHEAD):
        if i < len(squares):
            m, n = squares[i]
            loaded[i] = p.sbuf(128, dtype)
            p.load(loaded[i], source, row={None: m * 128}, col={None: n * 128})
        if i >= AHEAD:
            m, n = squares[i - AHEAD]
            psum, result = next(banks), p.sbuf(128, dtype)
            p.transpose(psum, loaded.pop(i - AHEAD))
            p.copy(result, psum)
            p.store(result, out, row={None: n * 128}, col={None: m * 128})
    return p
