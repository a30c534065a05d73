"""What of the zoo is not right, and why: (network, step, dtype) -> cause. What passes all the same fails the test."""

_KINK = (
    "in {} the number before a ReLU is so near 0 for one token that bfloat16 rounds it to the other side than float64 "
    "does, and that token's part of their gradient is there or not; of other tokens, eager's error has such rows as well"
)

EXPECTED: dict[tuple[str, str, str], str] = {
    ("t5", "training", "bfloat16"): _KINK.format("2 of 128 hidden units of the decoder's first block"),
}
