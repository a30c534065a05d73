"""Elements of tensors as numbers in one graph (capture_scalar_outputs): numbers and dtypes of eager, or an error."""

import neuron_testing as nt
import pytest
import torch

# Of x [4, 3], y = 2.5, i = 3 and b = True.
RIGHT = {
    "float": lambda x, y, i, b: x * y.item(),
    "int": lambda x, y, i, b: (x + i.item(), i.item() - x, x // i.item(), x % i.item(), x < i.item()),
    "int with integers": lambda x, y, i, b: (x.long() + i.item(), x.to(torch.int8) * i.item(), x.long() & i.item()),
    "with halves": lambda x, y, i, b: (x.half() * y.item(), x.bfloat16() + i.item(), x.half() / i.item()),
    "bool": lambda x, y, i, b: x * b.item(),
    "returned": lambda x, y, i, b: (y.item(), i.item(), b.item(), i.item() > 2, x + 1),
    "arithmetic": lambda x, y, i, b: (
        x * (i.item() * 2 + 1),
        x * (i.item() / 2),
        x + i.item() // 2,
        x + i.item() % 2,
        x + i.item() ** 2,
        x - abs(-i.item()),
        x * round(y.item()),
        x * int(y.item()),
        x * float(i.item()),
        x * max(i.item(), 5),
    ),
    "filled": lambda x, y, i, b: (
        torch.full((2,), i.item()),
        torch.full_like(x, y.item()),
        x.masked_fill(x > 0, i.item()),
        torch.where(x > 0, x, i.item()),
    ),
    "bounds": lambda x, y, i, b: (x.clamp(max=y.item() - 2), x.clamp(-i.item() / 6, 0.5)),
    "power": lambda x, y, i, b: (x ** i.item(), i.item() ** x),
    "index": lambda x, y, i, b: x[i.item()] + x[-i.item()],
    "in place": lambda x, y, i, b: x.clone().add_(i.item()).mul_(y.item()),
}
REFUSED = {
    "size": lambda x, y, i, b: torch.zeros(i.item()),
    "slice": lambda x, y, i, b: x[: i.item()] * 2,
    "a view returned": lambda x, y, i, b: x[i.item()],
    "alpha": lambda x, y, i, b: torch.add(x, x, alpha=i.item()),
}


@pytest.fixture(autouse=True)
def captured():
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        torch._dynamo.reset()
        yield


def arguments():
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    return x, torch.tensor(2.5), torch.tensor(3), torch.tensor(True)


def compiled(function, dynamic=False):
    return torch.compile(function, backend=nt.BACKEND, fullgraph=True, dynamic=dynamic)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", RIGHT)
def test_right(name, dynamic):
    got, expected = compiled(RIGHT[name], dynamic)(*arguments()), RIGHT[name](*arguments())
    got, expected = (value if isinstance(value, tuple) else (value,) for value in (got, expected))
    for mine, theirs in zip(got, expected, strict=True):
        assert type(mine) is type(theirs)
        if isinstance(mine, torch.Tensor):
            torch.testing.assert_close(mine, theirs)
        else:
            assert mine == theirs


def test_other_numbers_compile_nothing_anew():
    fn = compiled(lambda x, i: x * (i.item() + 1))
    with torch._dynamo.config.patch(recompile_limit=1):
        for number in (3, -7, 2**40, 0):
            assert torch.equal(fn(torch.ones(2), torch.tensor(number)), torch.full((2,), float(number + 1)))


def test_gradients():
    """The backward graph is given the number."""

    def fn(x, i):
        return (x * i.item()).tanh() * i.item()

    for number in (3, 2):
        x, i = torch.linspace(-0.5, 0.5, 5), torch.tensor(number)
        mine, theirs = (x.clone().requires_grad_() for _ in range(2))
        compiled(fn)(mine, i).sum().backward()
        fn(theirs, i).sum().backward()
        torch.testing.assert_close(mine.grad, theirs.grad)


def test_assertions_of_numbers_that_are_used():
    def fn(x, i):
        n = i.item()
        torch._check(n > 2, lambda: "too small")
        return x * n

    torch.testing.assert_close(compiled(fn)(torch.ones(2), torch.tensor(3)), torch.full((2,), 3.0))
    with pytest.raises(RuntimeError):
        compiled(fn)(torch.ones(2), torch.tensor(1))


@pytest.mark.skipif(nt.BACKEND != "neuron", reason="bounds of the device")
def test_numbers_beyond_int64_are_errors():
    fn = compiled(lambda x, i: x * (i.item() * 4))
    assert torch.equal(fn(torch.ones(1), torch.tensor(2**60)), torch.full((1,), 2.0**62))
    with pytest.raises(RuntimeError, match="beyond int64"):
        fn(torch.ones(1), torch.tensor(2**62))
    torch._dynamo.reset()
    fn = compiled(lambda x, y: x * int(y.item()))
    with pytest.raises(RuntimeError, match="NaN or beyond int64"):
        fn(torch.ones(1), torch.tensor(float("nan")))


@pytest.mark.skipif(nt.BACKEND != "neuron", reason="what the device refuses")
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    from torch_neuronx.neuron_dynamo_backend.exceptions import NEFFCompilationError

    with pytest.raises(NEFFCompilationError, match="as a number, which is known only when the graph runs"):
        compiled(REFUSED[name])(*arguments())
