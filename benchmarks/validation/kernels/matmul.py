"""The products of AWS's NKI tutorial: lhsT[K, M] and rhs[K, N] to [M, N].

`tiled` loads both tiles for every instruction; `hoisted` loads a column of each
before its use; `blocked` keeps blocks of all three dimensions in SBUF and adds
up blocks of the contracted one there.
"""

from ..nisa import Program

TILE_M, TILE_K, TILE_N = 128, 128, 512


def _operands(p: Program, m: int, k: int, n: int, dtype: str):
    return p.input("lhsT", k, m, dtype=dtype), p.input("rhs", k, n, dtype=dtype), p.output("out", m, n, dtype=dtype)


def _evict(p: Program, psum, out, dtype: str, row, col):
    result = p.sbuf(TILE_N, dtype)
    p.copy(result, psum)
    p.store(result, out, row=row, col=col, engine="scalar")


def tiled(m: int, k: int, n: int, dtype: str) -> Program:
    p = Program("matmul_tiled")
    lhs, rhs, out = _operands(p, m, k, n, dtype)
    with p.loop(m // TILE_M) as im, p.loop(n // TILE_N) as jn:
        psum = p.psum(TILE_N)

        def step(buffers: int, row, accumulate: bool):
            left = p.sbuf(TILE_M, dtype, buffers=buffers)
            right = p.sbuf(TILE_N, dtype, buffers=buffers)
            p.load(left, lhs, row=row, col={im: TILE_M}, queue=0)
            p.load(right, rhs, row=row, col={jn: TILE_N}, queue=1)
            p.matmul(psum, left, right, accumulate)

        step(1, {}, False)
        with p.loop(k // TILE_K - 1) as lk:
            step(8, {None: TILE_K, lk: TILE_K}, True)
        _evict(p, psum, out, dtype, {im: TILE_M}, {jn: TILE_N})
    return p


def hoisted(m: int, k: int, n: int, dtype: str) -> Program:
    p = Program("matmul_hoisted")
    lhs, rhs, out = _operands(p, m, k, n, dtype)
    steps = k // TILE_K
    with p.loop(m // TILE_M) as im:
        left = [p.sbuf(TILE_M, dtype) for _ in range(steps)]
        for i, tile in enumerate(left):
            p.load(tile, lhs, row={None: i * TILE_K}, col={im: TILE_M}, queue=0)
        with p.loop(n // TILE_N) as jn:
            right = [p.sbuf(TILE_N, dtype) for _ in range(steps)]
            psum = p.psum(TILE_N, buffers=2)
            for i, tile in enumerate(right):
                p.load(tile, rhs, row={None: i * TILE_K}, col={jn: TILE_N}, queue=1)
            for i in range(steps):
                p.matmul(psum, left[i], right[i], i > 0)
            _evict(p, psum, out, dtype, {im: TILE_M}, {jn: TILE_N})
    return p


def blocked(
    m: int, k: int, n: int, dtype: str, tiles_m: int = 16, tiles_n: int = 2, tiles_k: int = 8, sets: int = 2
) -> Program:
    """Sums of blocks of K stay in SBUF. A sum that is complete is stored and
    cleared at once, behind the products of the next one. `sets`: blocks of each
    operand that SBUF holds, so that one loads while another is used."""
    p = Program("matmul_blocked")
    lhs, rhs, out = _operands(p, m, k, n, dtype)
    block_m, block_n, block_k = tiles_m * TILE_M, tiles_n * TILE_N, tiles_k * TILE_K
    rows, blocks_m = m // TILE_M, m // block_m
    sums = [[p.sbuf(TILE_N, dtype) for _ in range(tiles_n)] for _ in range(rows)]
    right = [[p.sbuf(block_n, dtype) for _ in range(tiles_k)] for _ in range(sets)]
    left = [[p.sbuf(block_m, dtype) for _ in range(tiles_k)] for _ in range(sets)]
    packed = p.sbuf(block_n, dtype)
    banks = p.banks()
    for tile in sum(sums, []):
        p.memset(tile)

    def block(loop, number: int, column, last: bool):
        """Block `number` of K, counted from the loop's."""

        def rows_of(i: int):
            place = {None: number * block_k + i * TILE_K}
            return place if loop is None else {**place, loop: sets * block_k}

        moving = right[number % sets]
        for i, tile in enumerate(moving):
            p.load(tile, rhs, row=rows_of(i), col=column, queue=1)
        for bm in range(blocks_m):
            here = left[bm % sets]
            for i, tile in enumerate(here):
                p.load(tile, lhs, row=rows_of(i), col={None: bm * block_m}, queue=0)
            for i in range(tiles_m):
                row = bm * tiles_m + i
                for j in range(tiles_n):
                    psum = next(banks)
                    for s in range(tiles_k):
                        p.matmul(
                            psum, p.part(here[s], i * TILE_M, TILE_M), p.part(moving[s], j * TILE_N, TILE_N), s > 0
                        )
                    p.tensor_tensor(sums[row][j], "add", sums[row][j], psum)
                    if last:
                        p.copy(p.part(packed, j * TILE_N, TILE_N), sums[row][j])
                        p.memset(sums[row][j])
                if last:
                    p.store(packed, out, row={None: row * TILE_M}, col=column, engine="scalar")

    blocks_k = k // block_k
    with p.loop(n // block_n) as jn:
        with p.loop(blocks_k // sets - 1) as lk:
            for number in range(sets):
                block(lk, number, {jn: block_n}, last=False)
        for number in range(blocks_k - sets, blocks_k):
            block(None, number, {jn: block_n}, last=number == blocks_k - 1)
    return p
