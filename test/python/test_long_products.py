"""Products of so many terms that a tile of rows does not fit SBUF with them."""

import pytest
import torch
from direct import assert_near_float64, compiled, data

TERMS = 40003
FORMS = {
    "along the terms": lambda a, b: a @ b.t(),
    "a transposed": lambda a, b: a.t().contiguous().t() @ b.t(),
    "b transposed": lambda a, b: a @ b.t().contiguous(),
    "epilogue": lambda a, b: torch.sigmoid(a @ b.t() + 1) * 2,
    "prologue": lambda a, b: torch.tanh(a) @ b.t(),
    "softmax": lambda a, b: torch.softmax(a @ b.t() / 200, -1),
    "batches": lambda a, b: torch.stack([a, a + 1]) @ torch.stack([b, -b]).transpose(1, 2),
    "two": lambda a, b: a @ b.t() + (a * 2) @ b.flip(1).t(),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows, columns", [(130, 3), (1, 140), (3, 600)])
@pytest.mark.parametrize("name", FORMS)
def test_forms(name, rows, columns, dtype):
    a, b = data(rows, TERMS, dtype=dtype), data(columns, TERMS + 1, dtype=dtype)[:, 1:].contiguous()
    assert_near_float64(FORMS[name], a, b, units=1)


def test_both_forms_of_the_simulator_agree():
    a, b = data(5, TERMS), data(7, TERMS)
    fn = FORMS["epilogue"]
    (got,) = compiled(fn, a, b, simulator="compiled")([a, b])
    (expected,) = compiled(fn, a, b, simulator="interpreter")([a, b])
    assert torch.equal(got, expected)
