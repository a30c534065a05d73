"""Published run times, and the programs that stand for what was run.

A row's time is as published, in microseconds. Sources: D AWS's documentation (NKI
tutorials), Do its earlier editions, I read off a profile in it, C Stanford's CS 149
(public write-ups), T third-party measurements on trn2 (voyager-compiler, NKIBench
kernels), Q the quality-of-results numbers in the tests of AWS's NKI library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .kernels import attention, conv2d, mamba, matmul, mlp, mlp_cte, norms, rmsnorm_matmul, transpose, vector_add
from .nisa import Program

# The launch of a NEFF that is part of Q's times, as their tests say: 25 to 45 us.
QOR_LAUNCH_US = 35.0


@dataclass(frozen=True)
class Row:
    target: str
    name: str
    published_us: float
    source: str
    program: Callable[[], Program] | None
    note: str = ""  # what is known of a difference

    @property
    def is_qor(self) -> bool:
        return self.source == "Q"


def _products(target: str, dtype: str, times, source: str, **blocks):
    shape = (4096, 8192, 8192, dtype)
    makers = [("tiled", matmul.tiled, {}), ("hoisted", matmul.hoisted, {}), ("blocked", matmul.blocked, blocks)]
    for (name, make, options), time in zip(makers, times):
        yield Row(
            target, f"matmul {dtype}, {name}", time, source, lambda make=make, options=options: make(*shape, **options)
        )


def _additions(target: str, times):
    for (n, parts, free), (time, note) in times.items():
        yield Row(
            target,
            f"vector add {n}, tile [{parts},{free}]",
            time,
            "C",
            lambda n=n, p=parts, f=free: vector_add.vector_add(n, p, f),
            note,
        )


def _convolutions(target: str, rows: int, times):
    for (dtype, pool), (time, note) in times.items():
        name = f"conv2d 256 x 224 x 224 {dtype}" + (", pool" if pool > 1 else "")
        yield Row(target, name, time, "C", lambda d=dtype, p=pool: conv2d.conv2d(256, 224, d, p, rows), note)


def _mambas():
    spills = "the published kernel spills to HBM what SBUF does not hold; this one waits instead"
    v2 = {1024: 4400, 2048: 8900, 3072: 13100, 4096: 17600, 5120: 23700, 6144: 27500, 7168: 41300, 8192: 52200}
    v3 = {1024: 3300, 2048: 6600, 3072: 10100, 4096: 13300, 5120: 17300, 6144: 19600, 7168: 24200, 8192: 27800}
    yield Row("trn1", "mamba v1, 256 channels x 512", 172.93, "D", lambda: mamba.v1(256, 512))
    yield Row("trn1", "mamba v1, 4096 channels x 512", 2340, "D", lambda: mamba.v1(4096, 512))
    for length in v2:
        note = spills if length > 6144 else ""
        yield Row(
            "trn1", f"mamba v2, 4096 channels x {length}", v2[length], "D", lambda n=length: mamba.v2(4096, n), note
        )
        yield Row("trn1", f"mamba v3, 4096 channels x {length}", v3[length], "D", lambda n=length: mamba.v3(4096, n))


_SCRIPT_SHAPE = "the page names (300, 1000), which cannot take so long; its script's default is 4096 x 8192"
_NO_PROGRAM = "its instructions are not published"

ROWS: list[Row] = [
    *_products("trn1", "bf16", (51800, 42960, 6970), "D"),
    *_mambas(),
    Row(
        "trn1",
        "mamba, unfused by PyTorch",
        151830,
        "D",
        None,
        _NO_PROGRAM + ": a chain of compiler-made kernels through HBM",
    ),
    Row("trn1", "LayerNorm v1", 2311, "Do", lambda: norms.layer_norm(4096, 8192, 1), _SCRIPT_SHAPE),
    Row("trn1", "LayerNorm v2", 1969, "Do", lambda: norms.layer_norm(4096, 8192, 2), _SCRIPT_SHAPE),
    *_additions(
        "trn1",
        {
            (25600, 1, 1): (27404, ""),
            (25600, 128, 1): (206, ""),
            (25600, 128, 2): (
                53,
                "130 ns a DMA, where the row above takes 320: no public mechanism tells these two kernels apart",
            ),
            (25600, 128, 200): (19, ""),
            (256000, 128, 2000): (34, ""),
            (256000, 128, 1000): (29, ""),
        },
    ),
    *_convolutions("trn1", 1, {("f32", 1): (3681, ""), ("f32", 2): (3741, ""), ("f16", 2): (1275, "")}),
    *_products("trn2", "f32", (39890, 28200, 28300), "I", tiles_m=8, sets=1),
    *_additions(
        "trn2",
        {
            (25600, 1, 1): (37318, ""),
            (25600, 128, 1): (378, ""),
            (25600, 128, 2): (186, ""),
            (25600, 128, 200): (15, ""),
            (256000, 128, 2000): (28, "a profile's time, not the benchmark's"),
            (256000, 128, 1000): (26, "a profile's time, not the benchmark's"),
        },
    ),
    Row("trn2", "transpose 1024 x 1024 f32", 86, "C", lambda: transpose.transpose(1024, 1024, "f32")),
    *_convolutions(
        "trn2",
        2,
        {
            ("f32", 1): (
                3832,
                "65 cycles a pass more than a product of 512 columns has; no law of short f32 products is published",
            ),
            ("f32", 2): (3830, "as without pool"),
            ("f16", 1): (824, ""),
            ("f16", 2): (825, ""),
        },
    ),
    Row("trn2", "attention 4096 x 9216 d64", 580, "Q", lambda: attention.attention_cte(4096, 9216, 64, False)),
    Row("trn2", "attention 16384^2 d64 causal", 1960, "Q", lambda: attention.attention_cte(16384, 16384, 64, True)),
    Row("trn2", "attention 16384^2 d128 causal", 2030, "Q", lambda: attention.attention_cte(16384, 16384, 128, True)),
    Row("trn2", "attention 16384 x 2048 d128", 520, "Q", lambda: attention.attention_cte(16384, 2048, 128, False)),
    Row(
        "trn2",
        "MLP 512 x 1024 x 448 bf16, norm",
        80.5,
        "Q",
        lambda: mlp_cte.mlp_cte(512, 1024, 448, norm=True, gate=True),
    ),
    Row(
        "trn2",
        "MLP 578 x 1408 x 352 bf16, no gate",
        66.4,
        "Q",
        lambda: mlp_cte.mlp_cte(578, 1408, 352, norm=False, gate=False),
        "between 21 and 41 us remain without the launch, which is known to 20 us",
    ),
    Row(
        "trn2",
        "MLP 8192 x 8192 x 448 bf16, norm",
        4297,
        "Q",
        lambda: mlp_cte.mlp_cte(8192, 8192, 448, norm=True, gate=True),
    ),
    Row("trn2", "MLP 2048-2048-1024-1024 f32", 1870, "I", lambda: mlp.mlp(2048, [2048, 2048, 1024, 1024])),
    Row("trn2", "LayerNorm 4096 x 8192 f32", 1728, "T", lambda: norms.layer_norm(4096, 8192, 1)),
    Row("trn2", "SwiGLU 4096 x 3072 x 1024 f32", 4082, "T", lambda: mlp.swiglu(4096, 3072, 1024)),
    Row(
        "trn2",
        "RMSNorm + matmul 4096 x 1024 x 2048 f32",
        4114,
        "T",
        lambda: rmsnorm_matmul.rmsnorm_matmul(4096, 1024, 2048),
        "3.9 us a step of the product: the compiler that made it ran the steps one after the other; here they overlap",
    ),
    Row("trn2", "SwiGLU of four 128 x 128, f32", 69, "T", None, _NO_PROGRAM),
]
