"""Known architectures, small: one graph, one NEFF, at most twice eager's error."""

import pytest
import torch
import zoo
from accuracy import check


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", zoo.ZOO)
def test_architecture(name, dtype):
    model, arguments = zoo.example(name)
    with torch.no_grad():
        check(model, arguments, dtype)
