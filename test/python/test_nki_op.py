"""nki_op and wrap_nki: operations of the user's own."""

import pytest
import torch
import torch_neuronx


@torch_neuronx.nki_op("neuron_test::scaled_add", mutates_args={})
def scaled_add(a: torch.Tensor, b: torch.Tensor, scale: float) -> torch.Tensor:
    return a + b * scale


@torch_neuronx.nki_op("neuron_test::double_", mutates_args={"x"})
def double_(x: torch.Tensor) -> None:
    x.mul_(2)


scaled_add.register_autograd(
    lambda ctx, gradient: (gradient, gradient * ctx.scale, None),
    setup_context=lambda ctx, inputs, output: setattr(ctx, "scale", inputs[2]),
)


@pytest.mark.parametrize("device", ["cpu", "neuron"])
@pytest.mark.parametrize("compiled", [False, True])
def test_an_operation_of_the_users(device, compiled):
    def f(a, b):
        return scaled_add(a * 2, b, 3.0) + 1

    a, b = (torch.randn(4, 5, device=device, requires_grad=True) for _ in range(2))
    function = torch.compile(f, backend="neuron", fullgraph=True) if compiled else f
    result = function(a, b)
    torch.testing.assert_close(result.cpu(), (a * 2 + b * 3 + 1).cpu())
    result.sum().backward()
    assert (a.grad == 2).all() and (b.grad == 3).all()


@pytest.mark.parametrize("device", ["cpu", "neuron"])
def test_one_that_writes_its_argument(device):
    def f(x):
        double_(x)
        return x + 1

    x = torch.ones(3, device=device)
    result = torch.compile(f, backend="neuron", fullgraph=True)(x)
    assert (x == 2).all() and (result == 3).all()


def test_an_nki_kernel_says_what_to_do():
    @torch_neuronx.wrap_nki
    def add_kernel(a, b):
        return a

    with pytest.raises(NotImplementedError, match="'add_kernel' cannot run here.*nki_op"):
        add_kernel[2](torch.ones(1), torch.ones(1))
