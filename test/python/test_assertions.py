"""What a graph asserts of its tensors: RuntimeError after the execution, with the message and the user's line."""

import pytest
import torch
from torch_neuronx.neuron_dynamo_backend import NEFFCompilationError, NEFFExecutionError


def neuron(fn):
    torch._dynamo.reset()
    return torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)


def asserted(x):
    torch._assert_async(x.sum() > 0, "the sum must be positive")
    return x * 2


# pytest would rewrite the statement.
_scope: dict = {}
exec(compile("def by_statement(x):\n    assert (x < 10).all(), 'too large'\n    return x\n", __file__, "exec"), _scope)


def twice(x):
    torch._assert_async((x > 0).all(), "first")
    torch._assert_async((x > 1).any(), "second")
    return x


def in_place(x):
    torch._assert_async((x > 0).all(), "first")
    x.add_(1)


CASES = {
    "async": (asserted, [1, 2], [1, -2], "the sum must be positive"),
    "statement": (_scope["by_statement"], [1, 2], [1, 20], "too large"),
    "first of two": (twice, [1, 2], [0, 0], "first"),
    "second of two": (twice, [1, 2], [1, 1], "second"),
    "in place": (in_place, [1, 2], [1, 0], "first"),
    "one_hot": (lambda x: torch.nn.functional.one_hot(x, 3), [0, 2], [0, 3], "smaller than num_classes"),
    "one_hot of a negative": (lambda x: torch.nn.functional.one_hot(x, 3), [0, 2], [0, -1], "non-negative"),
}


@pytest.mark.parametrize("simulator", ["interpreter", "compiled"])
@pytest.mark.parametrize("name", CASES)
def test_assertion(name, simulator, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", simulator)
    fn, good, bad, message = CASES[name]
    compiled = neuron(fn)
    for _ in range(2):  # a failure does not disturb the next call
        x, y = torch.tensor(good), torch.tensor(good)
        want, got = fn(x), compiled(y)
        assert torch.equal(x, y) and (want is None or torch.equal(got, want))
        with pytest.raises(NEFFExecutionError, match=message) as caught:
            compiled(torch.tensor(bad))
        assert isinstance(caught.value, RuntimeError)
        text = str(caught.value)
        assert "aten._assert_async" in text and __file__ in text, text


def test_known_to_fail():
    def fn(x):
        torch._assert_async(torch.zeros((), dtype=torch.bool), "never")
        return x + 1

    with pytest.raises(NEFFExecutionError, match="never"):
        neuron(fn)(torch.ones(2))


def checked(x):
    n = x.sum().item()
    torch._check(n > 3)
    torch._check(n < 100, lambda: "too large")
    return x * 2


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bfloat16], ids=str)
def test_checks_of_elements(dtype):
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled = neuron(checked)
        assert torch.equal(compiled(torch.tensor([1, 3], dtype=dtype)), torch.tensor([2, 6], dtype=dtype))
        with pytest.raises(NEFFExecutionError, match="too large|u0 <= 99"):
            compiled(torch.tensor([1, 300], dtype=dtype))
        with pytest.raises(NEFFExecutionError, match="Runtime assertion failed"):
            compiled(torch.tensor([1, 1], dtype=dtype))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: torch.zeros(x.sum().item()),
        lambda x: torch._check(x.sum().item() * 2 > 1) or x,  # Python's numbers have no bounds
    ],
)
def test_other_uses_of_elements_are_refused(fn):
    with torch._dynamo.config.patch(capture_scalar_outputs=True), pytest.raises(NEFFCompilationError):
        neuron(fn)(torch.tensor([1, 2]))
