"""attention_cte of AWS's NKI library on one core: softmax(Q K^T) V by groups of
128 queries, in three stages of a pipeline.

Scores of 512 keys are a product in PSUM; the Vector engine takes them to SBUF,
and their maximum with them (tensor_scalar_reduce; here a copy of the same cost);
Scalar makes exponentials and sums; the exponentials are turned, and multiply V.
Here the Tensor engine turns them, in the published kernel a DMA. Stage by stage:
while group g is multiplied by V, g + 1 is exponentiated and g + 2 scored.
"""

from itertools import cycle

from ..nisa import Program

KEYS = 512


def attention_cte(queries: int, keys: int, depth: int, causal: bool) -> Program:
    p = Program("attention_cte")
    groups = queries // 128
    q = p.input("q", depth, queries, dtype="bf16")
    k = p.input("k", depth, keys, dtype="bf16")
    v = p.input("v", keys, depth, dtype="bf16")
    out = p.output("out", queries, depth)
    key_tiles = [p.sbuf(KEYS, "bf16", parts=depth) for _ in range(keys // KEYS)]
    value_tiles = [p.sbuf(4 * depth, "bf16") for _ in range(keys // KEYS)]
    for i, (key, value) in enumerate(zip(key_tiles, value_tiles)):
        p.load(key, k, col={None: i * KEYS})
        for j in range(4):
            p.load(p.part(value, j * depth, depth), v, row={None: i * KEYS + j * 128}, queue=1)

    width = min(keys // KEYS, 16 if keys > 10240 else keys // KEYS)  # tiles of a section
    sets = 3
    query_tiles = [p.sbuf(128, "bf16", parts=depth) for _ in range(sets)]
    scores = [[p.sbuf(KEYS) for _ in range(width)] for _ in range(2)]
    weights = [[p.sbuf(KEYS, "bf16") for _ in range(width)] for _ in range(2)]
    largest, total, partial = p.sbuf(1), [p.sbuf(1) for _ in range(2)], [p.sbuf(width) for _ in range(2)]
    score_banks, turn_banks = p.banks(3), p.banks(3, KEYS, "bf16")
    sum_banks = p.banks(2, depth)
    turned = cycle([p.sbuf(KEYS, "bf16") for _ in range(3)])
    sums = [p.sbuf(depth) for _ in range(2)]
    results = [p.sbuf(depth) for _ in range(2)]

    # (group, first key tile, key tiles) of each step of the pipeline
    steps = []
    for begin in range(0, keys // KEYS, width):
        for g in range(groups):
            end = keys // KEYS if not causal else -(-(g + 1) * 128 // KEYS)
            count = min(end - begin, width)
            if count > 0:
                steps.append((g, begin, count))

    def load_query(s: int):
        p.load(query_tiles[s % sets], q, col={None: steps[s][0] * 128}, queue=2)

    def score(s: int, u: int):
        g, begin, count = steps[s]
        if u == 0 and s + 1 < len(steps):
            load_query(s + 1)
        if u < count:
            psum = next(score_banks)
            p.matmul(psum, query_tiles[s % sets], key_tiles[begin + u])
            p.copy(scores[s % 2][u], psum)

    def exponentiate(s: int, u: int):
        if u < steps[s][2]:
            p.activation(weights[s % 2][u], "exp", scores[s % 2][u], bias=largest, acc=p.part(partial[s % 2], u, 1))

    pending = []  # turned, not yet multiplied: the array turns the next ones meanwhile

    def turn(s: int, u: int):
        if u < steps[s][2]:
            bank, tile = next(turn_banks), next(turned)
            for j in range(4):
                p.transpose(p.part(bank, j * 128, 128), p.part(weights[s % 2][u], j * 128, 128))
            p.copy(tile, bank)
            pending.append((s, u, tile))

    def multiply(s: int, u: int, tile):
        g, begin, count = steps[s]
        if u % 4 == 0:
            multiply.psum = next(sum_banks)
        for j in range(4):
            value = p.part(value_tiles[begin + u], j * depth, depth)
            p.matmul(multiply.psum, p.part(tile, j * 128, 128), value, u % 4 + j > 0)
        if u % 4 == 3 or u == count - 1:
            if u < 4:
                p.copy(sums[s % 2], multiply.psum)
            else:
                p.tensor_tensor(sums[s % 2], "add", sums[s % 2], multiply.psum)
        if u == count - 1:
            p.reduce(total[s % 2], "add", p.part(partial[s % 2], 0, count))
            p.op("reciprocal", total[s % 2], total[s % 2], engine="vector")
            finished.append(s)

    finished = []  # groups to scale and store, behind the next one's exponentials

    def finish(s: int):
        p.activation(results[s % 2], "identity", sums[s % 2], scale=total[s % 2])
        p.store(results[s % 2], out, row={None: steps[s][0] * 128}, engine="gpsimd")

    p.memset(largest)
    load_query(0)
    for s in range(len(steps) + 2):
        for u in range(width):
            if s < len(steps):
                score(s, u)
            if 0 <= s - 1 < len(steps):
                exponentiate(s - 1, u)
            if s >= 2:
                turn(s - 2, u)
            while len(pending) > 1:
                multiply(*pending.pop(0))
            if finished and finished[0] <= s - 3 and u == 2:
                finish(finished.pop(0))
    for item in pending:
        multiply(*item)
    for s in finished:
        finish(s)
    return p
