"""The device model beside published measurements: docs/device-model.md."""

import re

import pytest

from benchmarks.validation import compare as validation
from benchmarks.validation.rows import ROWS


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("validation")
    launches = {target: validation.launch_us(target, folder) for target in {row.target for row in ROWS}}
    return [validation.compare(row, folder, launches) for row in ROWS]


@pytest.mark.parametrize("target", ["trn1", "trn2"])
def test_predictions_are_near_what_was_measured(results, target):
    """The goal: a median error of at most 10 %, at least 80 % of the rows within 20 %."""
    text = validation.summary([result for result in results if result["target"] == target])
    median, near = re.search(r"median error ([0-9.]+)%, \d+ \((\d+)%\)", text).groups()
    assert float(median) <= 10, text
    assert int(near) >= 80, text


def test_each_outlier_is_explained(results):
    far = [
        r["name"] for r in results if (r["error"] is None or abs(r["error"]) > validation.TOLERANCE) and not r["note"]
    ]
    assert not far


def test_a_program_takes_no_time_but_its_launch(tmp_path):
    assert validation.launch_us("trn1", tmp_path) == pytest.approx(14.03, abs=0.01)
    assert validation.launch_us("trn2", tmp_path) == pytest.approx(9.43, abs=0.01)
