"""Convolution of a 3 x 3 window over channels: the second part of CS 149's exercise.

Channels lie on partitions. A row of the output is one sum in PSUM over the nine
places of the window and the tiles of input channels; the weights are turned once
by the Tensor engine. The published kernel loads a row of the image for each row
of the window (`rows` = 1); its write-up says that several at once are better.
"""

from itertools import cycle

from ..nisa import Program

TAPS = 3


def conv2d(channels: int, size: int, dtype: str, pool: int = 1, rows: int = 1) -> Program:
    """`channels` in and out, images of `size` x `size`; `rows` of the output a step."""
    p = Program("conv2d")
    tiles, out_size = channels // 128, size - TAPS + 1
    image = p.input("x", channels, size * size, dtype=dtype)
    weights = p.input("w", channels, channels * TAPS * TAPS, dtype=dtype)
    biases = p.input("bias", channels, 1)
    pooled = out_size // pool
    out = p.output("out", channels, pooled * pooled, dtype=dtype)
    banks = p.banks(4)
    turned = p.psum(128, dtype)

    def turn_weights():
        """[co][ci][tap]: 128 input channels by 128 output channels."""
        result = []
        for co in range(tiles):
            result.append([])
            for ci in range(tiles):
                loaded = p.sbuf(128 * TAPS * TAPS, dtype)
                p.load(loaded, weights, row={None: co * 128}, col={None: ci * 128 * TAPS * TAPS})
                taps = []
                for tap in range(TAPS * TAPS):
                    # Of the same cost as the part of stride nine.
                    p.transpose(turned, p.part(loaded, tap * 128, 128))
                    taps.append(p.sbuf(128, dtype))
                    p.copy(taps[-1], turned)
                result[co].append(taps)
        return result

    matrices = turn_weights()
    bias = p.sbuf(1)
    step = max(rows, pool)
    lines = cycle([p.sbuf(size, dtype) for _ in range(12)])
    for co in range(tiles):
        p.load(bias, biases, row={None: co * 128})
        with p.loop(out_size // step) as block:
            sums = [p.sbuf(out_size, dtype, buffers=2) for _ in range(step)]
            if rows > 1:
                strips = [p.sbuf((step + TAPS - 1) * size, dtype, buffers=2) for _ in range(tiles)]
                for ci, strip in enumerate(strips):
                    p.load(strip, image, row={None: ci * 128}, col={block: step * size})
            for r in range(step):
                psum, first = next(banks), True
                for ci in range(tiles):
                    for i in range(TAPS):
                        if rows > 1:
                            line, begin = strips[ci], (r + i) * size
                        else:
                            line, begin = next(lines), 0
                            p.load(line, image, row={None: ci * 128}, col={None: (r + i) * size, block: step * size})
                        for j in range(TAPS):
                            moving = p.part(line, begin + j, out_size)
                            p.matmul(p.part(psum, 0, out_size), matrices[co][ci][i * TAPS + j], moving, not first)
                            first = False
                p.tensor_scalar(sums[r], "add", p.part(psum, 0, out_size), bias)
            if pool == 1:
                for r, row in enumerate(sums):
                    p.store(
                        row,
                        out,
                        row={None: co * 128},
                        col={None: r * out_size, block: step * out_size},
                        engine="scalar",
                    )
                continue
            # Rows, then neighbours (of the same cost as elements of stride two).
            p.tensor_tensor(sums[0], "hw_max", sums[0], sums[1])
            result = p.sbuf(pooled, dtype, buffers=2)
            p.tensor_tensor(result, "hw_max", p.part(sums[0], 0, pooled), p.part(sums[0], pooled, pooled))
            p.store(result, out, row={None: co * 128}, col={block: pooled}, engine="scalar")
    return p
