"""The state-space kernel of AWS's NKI tutorial "fused Mamba", three versions.

Channels lie on partitions. For each state: exp(delta * A) on Scalar, delta * u * B,
a scan, times C, added up; all but the exponential on Vector. B and C are rows that
the Tensor engine broadcasts to 128 partitions. `v1` goes over states outside of
channels and loads delta and u again; `v2` keeps them; `v3` cuts the sequence in
pieces of 512, so that a broadcast row is used from its bank of PSUM. delta * u is
the same for every state: v2 and v3, whose loops are unrolled, make it once.
"""

from itertools import cycle

from ..nisa import Program

PIECE = 512
SBUF = 180000  # bytes of a partition that the tiles of v2 may take


class _Operands:
    def __init__(self, p: Program, channels: int, length: int, states: int):
        self.delta, self.u = p.input("delta", channels, length), p.input("u", channels, length)
        self.a = p.input("a", channels, states)
        self.b, self.c = p.input("b", states, length), p.input("c", states, length)
        self.out = p.output("out", channels, length)
        self.ones = p.sbuf(128, parts=1)
        p.memset(self.ones, 1.0)
        self.banks = p.banks(8)
        self.rows = cycle([p.sbuf(PIECE, parts=1) for _ in range(4)])
        self.scales = cycle([p.sbuf(1) for _ in range(4)])


def _scale(p: Program, o: _Operands, channel, state: int):
    scale = next(o.scales)
    p.load(scale, o.a, row=channel, col={None: state})
    return scale


def _start(p: Program, o: _Operands, channel, delta, product, total):
    """Of a tile of channels: delta, delta * u, and no sum yet."""
    p.load(delta, o.delta, row=channel)
    p.load(product, o.u, row=channel)
    p.tensor_tensor(product, "mul", delta, product)
    p.memset(total)


def _broadcast(p: Program, o: _Operands, source, row, begin: int):
    """A piece of a row of B or C in all partitions of a bank."""
    line, bank = next(o.rows), next(o.banks)
    p.load(line, source, row=row, col={None: begin}, queue=1)
    p.matmul(bank, o.ones, line)
    return bank


def _scan(p: Program, out, decay, drive, initial):
    p.op("tensor_tensor_scan", out, decay, drive, initial, engine="vector", fn="mul add")


def v1(channels: int, length: int, states: int = 16) -> Program:
    p = Program("mamba_v1")
    o = _Operands(p, channels, length, states)
    tiles = channels // 128
    sums = [p.sbuf(length) for _ in range(tiles)]
    zero = p.number(0.0)
    for tile in sums:
        p.memset(tile)
    sets = cycle([[p.sbuf(length) for _ in range(7)] for _ in range(3)])
    with p.loop(states) as state:
        for i in range(tiles):
            delta, u, decay, product, drive, scan, result = next(sets)
            channel = {None: i * 128}
            scale = next(o.scales)
            p.load(delta, o.delta, row=channel)
            p.load(scale, o.a, row=channel, col={state: 1})
            p.activation(decay, "exp", delta, scale=scale)
            p.load(u, o.u, row=channel)
            b = _broadcast(p, o, o.b, {state: 1}, 0)
            p.tensor_tensor(product, "mul", delta, u)
            p.tensor_tensor(drive, "mul", product, b)
            _scan(p, scan, decay, drive, zero)
            c = _broadcast(p, o, o.c, {state: 1}, 0)
            p.tensor_tensor(result, "mul", scan, c)
            p.tensor_tensor(sums[i], "add", sums[i], result)
    for i, tile in enumerate(sums):
        p.store(tile, o.out, row={None: i * 128})
    return p


def v2(channels: int, length: int, states: int = 16) -> Program:
    """A row of B or C does not fit a bank: it goes to SBUF in pieces, B's by
    Vector and C's by Scalar. What a step makes replaces what it used."""
    p = Program("mamba_v2")
    o = _Operands(p, channels, length, states)
    zero = p.number(0.0)
    delta, product, total, decay, drive = (p.sbuf(length) for _ in range(5))
    # Where SBUF has no sixth tile, C takes the place of the decay after the scan.
    c = p.sbuf(length) if 6 * 4 * length <= SBUF - 5 * 4 * PIECE else decay
    with p.loop(channels // 128) as tile:
        channel = {tile: 128}
        _start(p, o, channel, delta, product, total)
        for state in range(states):
            scale = _scale(p, o, channel, state)
            p.activation(decay, "exp", delta, scale=scale)
            for begin in range(0, length, PIECE):
                p.copy(p.part(drive, begin, PIECE), _broadcast(p, o, o.b, {None: state}, begin))
            p.tensor_tensor(drive, "mul", product, drive)
            _scan(p, drive, decay, drive, zero)
            for begin in range(0, length, PIECE):
                p.copy(p.part(c, begin, PIECE), _broadcast(p, o, o.c, {None: state}, begin), engine="scalar")
            p.tensor_tensor(drive, "mul", drive, c)
            p.tensor_tensor(total, "add", total, drive)
        p.store(total, o.out, row=channel)
    return p


def v3(channels: int, length: int, states: int = 16) -> Program:
    p = Program("mamba_v3")
    o = _Operands(p, channels, length, states)
    zero = p.number(0.0)
    delta, product, total = (p.sbuf(length) for _ in range(3))
    sets = cycle([[p.sbuf(PIECE) for _ in range(4)] for _ in range(3)])
    with p.loop(channels // 128) as tile:
        channel = {tile: 128}
        _start(p, o, channel, delta, product, total)
        for state in range(states):
            scale, initial = _scale(p, o, channel, state), zero
            for begin in range(0, length, PIECE):
                decay, drive, scan, result = next(sets)
                p.activation(decay, "exp", p.part(delta, begin, PIECE), scale=scale)
                b = _broadcast(p, o, o.b, {None: state}, begin)
                p.tensor_tensor(drive, "mul", p.part(product, begin, PIECE), b)
                _scan(p, scan, decay, drive, initial)
                initial = p.part(scan, PIECE - 1, 1)
                c = _broadcast(p, o, o.c, {None: state}, begin)
                p.tensor_tensor(result, "mul", scan, c)
                here = p.part(total, begin, PIECE)
                p.tensor_tensor(here, "add", here, result)
        p.store(total, o.out, row=channel)
    return p
