"""The cases of test/cases, written from public bug reports, against eager CPU.

test/cases/expected.py says what becomes of each: it passes, or needs other
kernels and raises NEFFCompilationError because of exactly those, or fails for a
known cause. Anything else fails here, an unexpected pass too.
"""

from __future__ import annotations

import faulthandler
import pathlib
import re
import sys

import neuron_testing as nt
import pytest
import torch
from kernel_classes import kernel_class

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cases"))
import cases
import run_cases
from expected import CAUSES, EXPECTED

SECONDS = 300


def refused_classes(detail: str) -> dict[str, str]:
    """{class: overload} of "overload (reason), overload (reason)"."""
    found = {}
    for target, reason in re.findall(r"([\w.]+) \(([^()]*(?:\([^()]*\)[^()]*)*)\)", detail):
        found[kernel_class(target, reason) or f"{target}: {reason}"] = target
    return found


@pytest.mark.parametrize("name", cases.CASES)
def test_case(name):
    expected = EXPECTED.get(name, "pass") if nt.BACKEND == "neuron" else "pass"
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        status, why = run_cases.run_one(cases.CASES[name], nt.BACKEND)
    finally:
        faulthandler.cancel_dump_traceback_later()
        torch._dynamo.reset()
    if status == "REFUSED":
        classes = refused_classes(why)
        assert classes, f"NEFFCompilationError names nothing that is not supported: {why}"
        got = " ".join(sorted(classes))
        assert got == expected, f"refused for {got}: {why}"
    elif status == "PASS":
        assert expected == "pass", f"passes, but the table says: {expected}"
    elif name in CAUSES:
        pytest.xfail(CAUSES[name])
    else:
        pytest.fail(f"{status}: {why}")


def test_table_names_cases():
    assert set(EXPECTED) | set(CAUSES) <= set(cases.CASES)
    assert not set(EXPECTED) & set(CAUSES)
