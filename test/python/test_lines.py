"""Errors name the lines of the program that runs, also when AOTAutograd's cache has what another one compiled."""

import os
import subprocess
import sys

import pytest

PROGRAM = """import sys, torch, torch_neuronx
from torch_neuronx import metrics
{above}
def fn(x, i):
    y = x * 2
{between}
    return {expression}

f = torch.compile(fn, backend="neuron", fullgraph=True)
x = torch.arange(8).reshape(4, 2).{dtype}().requires_grad_({grad})
f(x, torch.tensor([1, 2]))
hits = metrics.get_counter_value("CompilationCache.AOTAutogradHits") or 0
try:
    f(x, torch.tensor([0, 99]))
except RuntimeError as error:
    print(hits, error)
"""
INDEX = ("y[i].sum() / 2", "float", False, "out of bounds", "aten.index.Tensor")
TRAINING = (
    "(torch.nn.functional.embedding(i, y) * y[0]).sum()",
    "float",
    True,
    "out of bounds",
    "aten.embedding.default",
)
DIVISION = (
    "torch.div(y[0], i, rounding_mode='floor')",
    "int",
    False,
    "divides an integer by zero",
    "aten.div.Tensor_mode",
)


def run(tmp_path, text, name="program.py"):
    path = tmp_path / name
    path.write_text(text)
    # Other tests of this process switch PyTorch's own caches off.
    inherited = {name: value for name, value in os.environ.items() if "DISABLE_CACHE" not in name}
    done = subprocess.run(
        [sys.executable, path],
        capture_output=True, text=True, check=False,
        env={**inherited, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "torch")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    hits, _, error = done.stdout.partition(" ")
    return int(hits), error


@pytest.mark.parametrize("expression, dtype, grad, what, op", [INDEX, TRAINING, DIVISION])
def test_lines_of_a_hit_are_the_current_ones(tmp_path, expression, dtype, grad, what, op):
    def program(above, between):
        return PROGRAM.format(above=above, between=between, expression=expression, dtype=dtype, grad=grad)

    def check(error, name, text):
        line = text.split("\n").index(f"    return {expression}") + 1
        where = f'File "{tmp_path / name}", line {line}, in fn\n        return {expression}\n'
        assert what in error and op in error and where in error, error

    before = program("", "")
    hits, error = run(tmp_path, before)
    assert hits == 0
    check(error, "program.py", before)
    # Moved down by comments, then also in another file.
    after = program("# a comment\n# and another", "    # within")
    for name in ("program.py", "other.py"):
        hits, error = run(tmp_path, after, name)
        assert hits > 0
        check(error, name, after)


def test_two_operations_of_one_line_that_is_split_later(tmp_path):
    """The same text of a place before; told apart by the node of Dynamo's graph."""
    text = PROGRAM.format(above="", between="", expression="z", dtype="float", grad=False)
    one = text.replace("    return z", "    w = x[i - i]; z = w + y[i]\n    return z")
    two = text.replace("    return z", "    w = x[i - i]\n    z = w + y[i]\n    return z")
    _, error = run(tmp_path, one)
    assert "        w = x[i - i]; z = w + y[i]\n" in error
    hits, error = run(tmp_path, two)
    assert hits == 1
    assert "        z = w + y[i]\n" in error
