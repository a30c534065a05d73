"""LayerNorm as in AWS's NKI tutorial: rows on partitions, 128 at a time.

`v1` is written with nki.language: sum, squares, sum of squares, shift and scale,
gamma, beta, each a pass of the Vector engine. `v2` gets mean and variance from
bn_stats, one pass in pieces of 512 (here a sum of the same cost).
"""

from ..nisa import Program


def layer_norm(rows: int, cols: int, version: int) -> Program:
    p = Program(f"layer_norm_v{version}")
    source, out = p.input("x", rows, cols), p.output("out", rows, cols)
    parameters = [p.input(name, 1, cols) for name in ("gamma", "beta")]
    epsilon = p.number(1e-5)
    gamma, beta = p.sbuf(cols), p.sbuf(cols)
    for tile, parameter in zip((gamma, beta), parameters):
        p.load(tile, parameter, window=([128], [0], [cols], [1]))
    with p.loop(rows // 128) as block:
        x, shifted, result = p.sbuf(cols), p.sbuf(cols), p.sbuf(cols)
        mean, scale, square, scratch = (p.sbuf(1) for _ in range(4))
        p.load(x, source, row={block: 128})
        if version == 1:
            p.reduce(mean, "add", x)
            p.tensor_tensor(shifted, "mul", x, x)
            p.reduce(square, "add", shifted)
        else:
            pieces = cols // 512
            stats = p.sbuf(pieces)
            for i in range(pieces):
                p.reduce(p.part(stats, i, 1), "add", p.part(x, i * 512, 512))
            p.reduce(mean, "add", stats)
            p.reduce(square, "add", stats)
        n = p.number(1.0 / cols)
        p.tensor_scalar(mean, "mul", mean, n)
        p.tensor_tensor(scratch, "mul", mean, mean)
        p.op(
            "scalar_tensor_tensor",
            square,
            square,
            n,
            scratch,
            engine="vector",
            fn="mul sub",
            extra="reverse = array<i1: false, false>",
        )
        p.tensor_scalar(scratch, "add", square, epsilon)
        p.activation(scale, "exp", scratch)  # of the cost of rsqrt
        p.tensor_scalar(shifted, "sub mul", x, mean, scale)
        p.tensor_tensor(result, "mul", shifted, gamma)
        p.tensor_tensor(result, "add", result, beta)
        p.store(result, out, row={block: 128}, engine="scalar")
    return p
