"""What of the zoo is not right, and why: (network, step, dtype) -> cause. What passes all the same fails the test."""

EXPECTED: dict[tuple[str, str, str], str] = {}
