"""What eager raises only when it computes: tensors without memory, by which graphs are traced, are not asked."""

import pytest
import torch
import torch.nn.functional as F
from torch_neuronx.neuron_dynamo_backend import NEFFCompilationError

HALVES = torch.ones(4, 5, dtype=torch.bfloat16)
SHORT = torch.tensor([0, 1], dtype=torch.int16)
X = torch.arange(12.0).reshape(3, 4)

CASES = {
    "mm": (lambda x: x @ HALVES, "product of bfloat16 and float32"),
    "linear": (lambda x: F.linear(x, HALVES.T), "product of bfloat16 and float32"),
    "addmm": (lambda x: torch.addmm(x, HALVES[:3, :4], HALVES[:4, :4]), "product of bfloat16 and float32"),
    "bool products": (lambda x: (x > 1) @ (x.T > 1), "products of bool matrices"),
    "index_select": (lambda x: x.index_select(0, SHORT), "index of dtype int16"),
    "adaptive mean": (lambda x: F.adaptive_avg_pool2d(x.new_empty(1, 0, 6), 2), "without elements"),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name):
    fn, reason = CASES[name]
    with pytest.raises((RuntimeError, IndexError)):
        fn(X)
    with pytest.raises(NEFFCompilationError, match=reason):
        torch.compile(fn, backend="neuron")(X)


def test_logsumexp_of_nothing():
    for dim in (0, (0, 1)):
        x = torch.empty(0, 3)
        compiled = torch.compile(lambda x, dim=dim: x.logsumexp(dim), backend="neuron", fullgraph=True)
        torch.testing.assert_close(compiled(x), x.logsumexp(dim))
