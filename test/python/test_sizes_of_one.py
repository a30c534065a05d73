"""Dimensions of one element: their indices fold to constants, in kernels of any shape."""

import neuron_testing as nt
import pytest
import torch

PROGRAMS = {
    "index of a minimum": (
        lambda x: torch.eq(x, torch.min(x, 3).indices),
        lambda: (torch.arange(4, dtype=torch.uint8).reshape(1, 2, 1, 1, 2) % 3,),
    ),
    "index into one": (
        lambda x, i, y: torch.index_add(x, 3, i % 1, y),
        lambda: (torch.ones(1, 2, 1, 1, 1, 2), torch.tensor([3, 5]), torch.arange(8.0).reshape(1, 2, 1, 2, 1, 2)),
    ),
    "scan of one": (
        lambda x: torch.cummin((x * torch.isinf(x)).flatten(0, 0), 0).indices,
        lambda: (torch.tensor(2.0),),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_dimensions_of_one_element(name):
    function, arguments = PROGRAMS[name]
    outcome = nt.compare_with_eager(function, arguments())
    assert outcome.status == nt.RIGHT, (outcome.status, outcome.detail)
