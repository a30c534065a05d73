"""OpInfo: the operators of the row-kernel class against eager CPU.

Each sample is compiled as one graph (fullgraph=True) and executed; a pass needs
an executed NEFF unless there is nothing to compute. What needs another class of
kernels raises NEFFCompilationError and is counted apart. Wrong is never allowed.

    pytest test/python/test_opinfo.py                 a few samples an operator
    NEURON_OPINFO=full pytest -n 2 test/python/test_opinfo.py         all samples
    NEURON_OPINFO_SAMPLE=3 pytest test/python/test_opinfo.py -k 'add-float32'

A table of what passed is printed at the end of the run.
"""

from __future__ import annotations

import collections
import faulthandler
import os

import neuron_testing as nt  # before torch: sets the number of threads
import pytest
import torch
from opinfo_expected import EXPECTED
from opinfo_selection import selection

pytest.importorskip("expecttest")
import torch.testing._internal.common_methods_invocations as cmi

# The samples of some operators freeze the random state inside the traced
# function, which Dynamo cannot follow.
cmi.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)

FULL = os.environ.get("NEURON_OPINFO") == "full"
ONLY = os.environ.get("NEURON_OPINFO_SAMPLE")
# Samples an operator and dtype when not all are run.
BOUND = {torch.float32: 2, torch.bfloat16: 1, torch.int64: 1, torch.bool: 1, torch.complex64: 1}
DTYPES = tuple(BOUND)
SECONDS = 120  # a sample that takes longer hangs


def cases():
    for op in selection(cmi.op_db):
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        for dtype in DTYPES:
            if dtype in op.dtypes:
                text = str(dtype).removeprefix("torch.")
                yield pytest.param(op, dtype, name, text, id=f"{name}-{text}")


def spread(count, bound):
    """`bound` of range(count), with the ends."""
    if FULL or count <= bound:
        return range(count)
    if bound == 1:
        return [count // 2]
    return sorted({i * (count - 1) // (bound - 1) for i in range(bound)})


@pytest.mark.parametrize(("op", "dtype", "name", "text"), list(cases()))
def test_opinfo(op, dtype, name, text, record_property):
    torch.manual_seed(0)
    with torch.no_grad():
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    indices = spread(len(samples), BOUND[dtype]) if ONLY is None else [int(ONLY)]
    tally, unsupported, bad = collections.Counter(), collections.Counter(), []
    function = op.get_op()

    for index in indices:
        sample = samples[index]

        def fn(input, args, kwargs):
            return function(input, *args, **kwargs)

        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            with torch.no_grad():
                outcome = nt.compare_with_eager(fn, (sample.input, sample.args, sample.kwargs))
        finally:
            faulthandler.cancel_dump_traceback_later()
        tally[outcome.status] += 1
        if outcome.status == nt.UNSUPPORTED:
            unsupported.update(outcome.detail.split(", "))
        elif not outcome.ok:
            bad.append(f"sample {index}: {outcome.status}: {outcome.detail}")

    record_property("opinfo", {"name": name, "dtype": text, **tally})
    record_property("opinfo_unsupported", dict(unsupported))
    cause = EXPECTED.get((name, text))
    if cause is None:
        if bad:
            pytest.fail("\n".join(bad), pytrace=False)
    elif bad:
        pytest.xfail(cause)
    elif FULL:
        pytest.fail(f"passes, but is expected to fail: {cause}")
