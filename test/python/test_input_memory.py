"""Where in their memory inputs lie, and what lies beside them: offsets, and arguments that share memory."""

import neuron_testing as nt
import pytest
import torch


def at(memory, offset, shape=(4, 6), strides=(6, 1)):
    """A tensor of memory that autograd does not know to be shared."""
    return torch.empty(0).set_(memory.untyped_storage(), offset, shape, strides)


@pytest.mark.parametrize("dynamic", [False, True])
def test_as_strided_counts_from_the_start_of_memory(dynamic):
    """One compiled function, inputs at several offsets: no guard of Dynamo knows where an input lies."""

    def read(x):
        return x.as_strided((3, 3), (6, 1), 6) + 0

    def write(x):
        x.as_strided((3, 3), (6, 1), 6).mul_(2)
        return x + 1

    for function in (read, write):
        torch._dynamo.reset()
        compiled = torch.compile(function, backend=nt.BACKEND, fullgraph=True, dynamic=dynamic)
        for offset in (0, 5, 6, 3):
            mine, theirs = (at(torch.arange(60.0), offset) for _ in range(2))
            assert torch.equal(compiled(mine), function(theirs)), (function, offset)
            assert torch.equal(mine, theirs)


def test_as_strided_before_its_operand_is_refused():
    from torch_neuronx.neuron_dynamo_backend.exceptions import NEFFCompilationError

    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x.as_strided((3, 3), (6, 1), 1) + 0, backend="neuron", fullgraph=True)
    with pytest.raises(NEFFCompilationError, match="beyond the elements of its operand"):
        compiled(at(torch.arange(60.0), 5))


@pytest.mark.parametrize("size", [30, 40])
def test_arguments_that_overlap(size):
    """AOTAutograd passes their memory as one, which may be larger than what they cover."""

    def update(x, y):
        x.add_(1)
        y.mul_(2)
        return x, y, x + y

    def arguments():
        memory = torch.arange(float(size))
        return memory, (at(memory, 0), at(memory, 6))

    torch._dynamo.reset()
    compiled = torch.compile(update, backend=nt.BACKEND, fullgraph=True, dynamic=False)
    mine, given = arguments()
    theirs, expected = arguments()
    for got, want in zip(compiled(*given), update(*expected), strict=True):
        assert torch.equal(got, want)
    assert torch.equal(mine, theirs)
