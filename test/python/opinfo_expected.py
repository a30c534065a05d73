"""What fails in test_opinfo.py, and why: (operator, dtype) -> cause.

An entry whose samples all pass in the full run fails the test.
"""

EXPECTED: dict[tuple[str, str], str] = {}
