"""What the documentation quotes runs, and prints what it says."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    __import__("sys").modules[name] = module
    spec.loader.exec_module(module)
    return module


pages = load("pages")


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.name)
def test_page(page, tmp_path):
    differences = pages.run_page(page, tmp_path)
    assert not differences, "\n\n".join(map(str, differences))


def test_comparison_can_fail():
    assert pages.matches("a ... c\n...\nz\n", "a b c\n1\n2\nz\n")
    assert pages.matches("", "")
    assert not pages.matches("a ... c\n", "a b d\n")
    assert not pages.matches("a\n", "a\nb\n")
    assert not pages.matches("a\n", "")


def test_tables_are_current():
    tables = load("tables")
    assert "| 2 ulp | " in tables.error_bounds() and "`exp`" in tables.error_bounds()
    assert "| `rounding` | `'default'` | `NEURON_MLIR_ROUNDING` |" in tables.options()
    assert tables.stale() == []
