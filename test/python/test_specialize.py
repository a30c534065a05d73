"""Sizes that are computed in the graph, and results that numbers say the size of: known if they follow from other sizes
and constants, refused if not."""

import pytest
import torch
from torch._dynamo.config import patch
from torch_neuronx.neuron_dynamo_backend import NEFFCompilationError


def compiled(function, *args, dynamic=None):
    torch._dynamo.reset()
    return torch.compile(function, backend="neuron", fullgraph=True, dynamic=dynamic)(*args)


def highest(x):
    n = torch.arange(x.shape[0]).max() + 1
    return x.unsqueeze(0).repeat(n.item(), 1, 1) * 2


def of_a_table(x):
    return x.repeat(torch.tensor([[1, 2], [3, 2]]).amax(0).sum().item(), 1) * 2


@patch(capture_scalar_outputs=True)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [highest, of_a_table])
def test_size_of_constants(function, dynamic):
    x = torch.randn(3, 4)
    assert torch.equal(compiled(function, x, dynamic=dynamic), function(x))


@patch(capture_scalar_outputs=True)
def test_size_of_constants_for_other_sizes():
    call = torch.compile(highest, backend="neuron", fullgraph=True, dynamic=True)
    for rows in (3, 5, 2):
        x = torch.randn(rows, 4)
        assert torch.equal(call(x), highest(x))


MASK = [True, False, True, False, True, True]


def assigned(x):
    x = x.clone()
    x[torch.tensor(MASK)] *= 2
    return x


SELECTIONS = {
    "masked_select": lambda x: torch.masked_select(torch.arange(6), torch.tensor(MASK)) + x[:4],
    "unique": lambda x: torch.unique(torch.arange(6) % 4, return_inverse=True)[1] * x,
    "nonzero": lambda x: torch.nonzero(torch.eye(3)) + x[:3, None],
    "a mask as an index": lambda x: x[torch.tensor(MASK)] * 2,
    "a mask of two dimensions": lambda x: x.reshape(2, 3, 1)[torch.tensor(MASK).reshape(2, 3)] * 2,
    "a mask assigned to": assigned,
    "of the sizes": lambda x: x[torch.arange(x.shape[0]) % 2 == 0] * 3,
}


@patch(capture_dynamic_output_shape_ops=True)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", SELECTIONS)
def test_selected_by_constants(name, dynamic):
    x = torch.randn(6)
    assert torch.equal(compiled(SELECTIONS[name], x, dynamic=dynamic), SELECTIONS[name](x))


def repeated(x, times):
    return x.repeat(times.max().item(), 1) * 2


def drawn(x, times):
    return x.repeat(torch.randint(1, 3, (2,)).max().item(), 1) * 2


def positive(x, times):
    return x[x > 0] * 2


@patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)
@pytest.mark.parametrize(
    ("function", "operator"),
    [(repeated, "aten.repeat"), (drawn, "aten.repeat"), (positive, "aten.index.Tensor")],
)
def test_size_of_elements_is_refused(function, operator):
    with pytest.raises(NEFFCompilationError) as caught:
        compiled(function, torch.randn(3, 4), torch.tensor([2, 3]))
    text = str(caught.value)
    assert operator in text and "known only when the graph runs" in text
    assert f"in {function.__name__}" in text and "fullgraph=False" in text
