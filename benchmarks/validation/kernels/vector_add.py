"""Addition of two vectors in tiles: the first exercise of Stanford's CS 149.

`tiled` moves rows of one element a partition, `stream` sees the vector as a
matrix of 128 rows. Every DMA is issued by one engine; stores are issued behind
the loads of the next tiles, once their sums are there.
"""

from ..nisa import Program

AHEAD = 8  # tiles that are loaded before the first is stored
BLOCK = 200  # tiles written out; a loop repeats them


def vector_add(n: int, parts: int, free: int) -> Program:
    p = Program("vector_add")
    tiles = n // (parts * free)
    a, b, out = (make(name, n) for make, name in ((p.input, "a"), (p.input, "b"), (p.output, "out")))
    columns = n // parts if free > 1 else free
    # Row r of a tile: neighbours in the vector (tiled), or rows of the matrix.
    window = ([n], [1], [1], [1]) if free == 1 else ([parts], [columns], [columns], [1])
    block = min(tiles, BLOCK)
    step = parts if free == 1 else free

    def place(loop, i):
        terms = {None: i * step}
        if loop is not None:
            terms[loop] = block * step
        return dict(row=terms) if free == 1 else dict(col=terms)

    def body(loop, count):
        loaded = {}
        for i in range(count + min(AHEAD, count)):
            if i < count:
                loaded[i] = [p.sbuf(free, parts=parts) for _ in range(2)]
                for queue, (tile, vector) in enumerate(zip(loaded[i], (a, b))):
                    p.load(tile, vector, queue=queue, window=window, **place(loop, i))
            j = i - min(AHEAD, count)
            if j >= 0:
                left, right = loaded.pop(j)
                total = p.sbuf(free, parts=parts)
                if free == 1:
                    p.tensor_scalar(total, "add", left, right)
                else:
                    p.tensor_tensor(total, "add", left, right)
                p.store(total, out, window=window, **place(loop, j))

    if tiles > block:
        with p.loop(tiles // block) as loop:
            body(loop, block)
    else:
        body(None, tiles)
    return p
