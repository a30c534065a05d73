"""A few hundred random programs, and the gradients of some, against eager; see test/fuzz.

NEURON_FUZZ_SEED sets the first seed, NEURON_FUZZ_COUNT how many programs a test.
"""

from __future__ import annotations

import os
import pathlib
import sys

import neuron_testing as nt
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fuzz"))
import fuzz_row_kernels
import fuzz_training

SEED = int(os.environ.get("NEURON_FUZZ_SEED", "0"))
COUNT = int(os.environ.get("NEURON_FUZZ_COUNT", "25"))


@pytest.mark.parametrize("part", range(12))
def test_random_programs(part):
    tally, failures = fuzz_row_kernels.fuzz(SEED + part * COUNT, COUNT)
    assert not failures, "\n\n".join(failures)
    # The programs are of a class that compiles: hardly any may be refused.
    assert tally[nt.RIGHT] >= 0.9 * COUNT, dict(tally)


def test_a_wrong_result_is_found(monkeypatch):
    """The comparison itself: one element off by little more than rounding."""
    real = fuzz_row_kernels.compiled
    found = 0

    def wrong(program, form):
        out = list(real(program, form))
        for index, value in enumerate(out):
            if value.is_floating_point() and value.numel():
                value = value.clone()
                value.view(-1)[-1] += value.abs().max() * 0.125 + 1
                out[index] = value
        return tuple(out)

    monkeypatch.setattr(fuzz_row_kernels, "compiled", wrong)
    for seed in range(1000, 1020):
        program = fuzz_row_kernels.Generator(seed).program()
        values = program.evaluate()
        last = [values[name] for name in program.outputs]
        if not all(v.is_floating_point() and v.numel() and v.isfinite().all() for v in last):
            continue
        status, _ = fuzz_row_kernels.run(program)
        assert status == nt.WRONG, program.reproducer()
        found += 1
    assert found >= 5


@pytest.mark.parametrize("part", range(4))
def test_gradients_of_random_programs(part):
    tally, failures = fuzz_training.fuzz(SEED + part * COUNT, COUNT)
    assert not failures, "\n\n".join(failures)
    assert tally[nt.RIGHT] >= 0.9 * (sum(tally.values()) - tally[fuzz_training.NOT_DIFFERENTIABLE]), dict(tally)


def test_a_wrong_gradient_is_found(monkeypatch):
    """One that is a thousandth too large."""
    compiled = fuzz_training.torch.compile

    def wrong(fn, **options):
        inner = compiled(fn, **options)
        if options["backend"] != "neuron":
            return inner
        return lambda *inputs: tuple(
            out * 1.001 if out.requires_grad else out for out in inner(*inputs)
        )  # so are its gradients

    monkeypatch.setattr(fuzz_training.torch, "compile", wrong)
    found = [fuzz_training.run(fuzz_training.without_halves(fuzz_training.Generator(n).program())) for n in range(40)]
    statuses = [status for status, _ in found]
    assert statuses.count(nt.WRONG) >= 5, statuses
