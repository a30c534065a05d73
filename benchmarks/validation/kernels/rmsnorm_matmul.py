"""rmsnorm(x + z) * g, times w, as in NKIBench: 128 rows at a time.

Each step of the product loads its tile of w again, turns a square of the
normalized rows, multiplies, and adds the product to the sum in PSUM.
"""

from ..nisa import Program


def rmsnorm_matmul(rows: int, k: int, n: int) -> Program:
    p = Program("rmsnorm_matmul")
    x, z, w = p.input("x", rows, k), p.input("z", rows, k), p.input("w", k, n)
    g, out = p.input("g", 1, k), p.output("out", rows, n)
    gains, share, epsilon = p.sbuf(k), p.number(1.0 / k), p.number(1e-5)
    p.load(gains, g, window=([128], [0], [k], [1]))
    banks, turn_banks = p.banks(4), p.banks(4, 128)
    with p.loop(rows // 128) as block:
        left, right, normal = (p.sbuf(k, buffers=2) for _ in range(3))
        mean, scale = p.sbuf(1), p.sbuf(1)
        p.load(left, x, row={block: 128})
        p.load(right, z, row={block: 128})
        p.tensor_tensor(left, "add", left, right)
        p.activation(right, "square", left)
        p.reduce(mean, "add", right)
        p.tensor_scalar(mean, "mul add", mean, share, epsilon)
        p.activation(scale, "exp", mean)  # of the cost of rsqrt
        p.tensor_scalar(normal, "mul", left, scale)
        p.tensor_tensor(normal, "mul", normal, gains)
        for column in range(n // 512):
            psum = next(banks)
            for i in range(k // 128):
                weights, square, turned = p.sbuf(512), next(turn_banks), p.sbuf(128)
                p.load(weights, w, row={None: i * 128}, col={None: column * 512}, queue=1)
                p.transpose(square, p.part(normal, i * 128, 128))
                p.copy(turned, square)
                p.matmul(psum, turned, weights, i > 0)
            result = p.sbuf(512)
            p.copy(result, psum)
            p.store(result, out, row={block: 128}, col={None: column * 512}, engine="scalar")
    return p
