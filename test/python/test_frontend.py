"""torch.compile(backend='neuron') from the user's side: what goes in, what comes out, what is shared."""

import gc
import threading
import weakref

import pytest
import torch
import torch_neuronx
from torch_neuronx import _C, metrics
from torch_neuronx.neuron_dynamo_backend import NEFFCompilationError


def neuron(fn, **kwargs):
    kwargs.setdefault("fullgraph", True)
    return torch.compile(fn, backend="neuron", **kwargs)


def check(fn, *args, **kwargs):
    """The compiled function gives what eager gives, mutations of the arguments included."""
    clones = [arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in args]
    expected = fn(*clones)
    actual = neuron(fn, **kwargs)(*args)
    torch.testing.assert_close(actual, expected, equal_nan=True)
    torch.testing.assert_close(list(args), clones)
    return actual


X = torch.arange(20.0).reshape(4, 5)


def test_backend_is_found_by_entry_point():
    assert "neuron" in torch._dynamo.list_backends(exclude_tags=())


def test_one_neff_one_execution():
    metrics.clear_all()
    check(lambda x: (x * x).mean(-1, keepdim=True) + x, X)
    assert metrics.get_counter_value("CompilationCache.TotalCompilations") == 1
    assert metrics.get_counter_value("Executor.NeffExecutions") == 1
    assert metrics.get_counter_value("Executor.BytesCopiedIn") == 0
    assert metrics.get_counter_value("Executor.BytesAttached") == X.nbytes


def test_graph_metrics():
    torch_neuronx.reset_dynamo_metrics()
    check(lambda x: x + 1, X)
    (graph,) = torch_neuronx.get_dynamo_metrics()
    assert graph.graph_name.startswith("model_default_") and "_inference_" in graph.graph_name
    assert graph.torch_neuronx_compile_us > 0 and len(graph.graph_id) == 64


def test_outputs_that_are_inputs_views_none_and_numbers():
    x = X.clone()
    out = neuron(lambda x: (x, x[1:, ::2], x.t(), None, 3, 2.5, x + 1))(x)
    assert out[0] is x
    for view, want in ((out[1], x[1:, ::2]), (out[2], x.t())):
        assert view.data_ptr() == want.data_ptr() and view.stride() == want.stride()
        assert view._base is x
        torch.testing.assert_close(view, want)
    assert out[3:6] == (None, 3, 2.5)
    torch.testing.assert_close(out[6], x + 1)


def test_only_views_need_no_neff():
    metrics.clear_all()
    neuron(lambda x: (x.t(), x[0]))(X.clone())
    assert metrics.get_counter_value("CompilationCache.TotalCompilations") is None
    assert metrics.get_counter_value("Executor.NeffExecutions") == 0


def test_the_same_tensor_twice():
    check(lambda x, y: (x + y, x), X, X)
    one, two = neuron(lambda x: (lambda y: (y, y))(x + 1))(X)
    assert one is two


def test_outputs_that_share_memory():
    base, view = neuron(lambda x: (lambda y: (y, y[1:]))(x * 2))(X)
    assert view.data_ptr() == base[1:].data_ptr()


def test_expanded_output():
    out = check(lambda x: x.sum().reshape(1, 1).expand(2, 3), X)
    assert out.stride() == (0, 0)


def test_input_mutation():
    metrics.clear_all()
    x = X.clone()
    version = x._version
    check(lambda x: x.add_(1) * 2, x)
    assert x._version > version
    assert metrics.get_counter_value("Executor.BytesCopiedBack") == 0  # written in place
    # Not read by the graph, so there is no input to write over.
    check(lambda x, y: x.copy_(y * 2).shape, X.clone(), X + 1)
    assert metrics.get_counter_value("Executor.BytesCopiedBack") == X.nbytes


def test_returned_mutated_input_is_the_input():
    x = X.clone()
    assert neuron(lambda x: x.mul_(3))(x) is x
    torch.testing.assert_close(x, X * 3)


def test_mutation_of_an_expanded_and_of_a_strided_input():
    check(lambda x: x.add_(1).sum(), X.clone().t())
    check(lambda x: x.add_(1).sum(), X.clone()[:, ::2])


def test_no_tensor_arguments():
    check(lambda: torch.arange(6).reshape(2, 3) * 2)
    check(lambda n: torch.full((2,), 0.5) + n, 3)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0, 2), (1,), (1, 1, 1), (2,) * 8])
def test_shapes(shape):
    x = torch.ones(shape)
    check(lambda x: (x + 1, x.sum(), x * x.sum(), x > 0, x.reshape(-1)), x)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.t(),
        lambda x: x[:, 1::2],
        lambda x: x[1:],
        lambda x: x[:1].expand(4, 5),
        lambda x: x[0, 0].expand(4, 5),
        lambda x: x.flatten()[3:].as_strided((3, 4), (2, 1)),
    ],
)
def test_layouts_of_inputs(make):
    check(lambda x: (x + 1, x.sum(0), x.sum(1)), make(X.clone()))


def test_layout_that_changes_is_copied_and_counted():
    gm = torch.fx.experimental.proxy_tensor.make_fx(lambda x: x + 1, tracing_mode="fake")(X)
    from torch_neuronx.neuron_dynamo_backend.compile import compile_static

    code = compile_static(gm, "inference", _C.Options())
    metrics.clear_all()
    other = X.t().contiguous().t()
    torch.testing.assert_close(code([other])[0], X + 1)
    assert metrics.get_counter_value("Executor.BytesCopiedIn") == X.nbytes


def test_graph_breaks():
    def fn(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    check(fn, X, fullgraph=False)


def test_training():
    weight = torch.randn(5, requires_grad=True)
    fn = lambda x, w: torch.nn.functional.layer_norm(x, (5,), w).tanh()  # noqa: E731
    compiled = neuron(fn)
    grads = []
    for f in (fn, compiled):
        x = X.clone().requires_grad_()
        f(x, weight).square().sum().backward()
        grads.append((x.grad, weight.grad.clone()))
        weight.grad = None
    torch.testing.assert_close(grads[1], grads[0])


class FactorsInBackward(torch.autograd.Function):
    """Has what is not lowered in its backward alone."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return grad * torch.geqrf(ctx.saved_tensors[0])[0]


def test_forward_runs_though_its_backward_cannot_be_compiled():
    x = X.clone().requires_grad_()
    out = neuron(FactorsInBackward.apply)(x)
    torch.testing.assert_close(out, 2 * x)
    with pytest.raises(NEFFCompilationError, match="the backward of this graph is needed now(.|\n)*geqrf"):
        out.sum().backward()


@pytest.mark.parametrize("dynamic", [True, None])
def test_dynamic_sizes(dynamic):
    fn = lambda x: (x.softmax(-1), x.shape[0], x * x.shape[1])  # noqa: E731
    compiled = neuron(fn, dynamic=dynamic)
    for rows in (3, 5, 7, 5):
        x = torch.randn(rows, rows + 1)
        torch.testing.assert_close(compiled(x), fn(x))


def test_constants_of_the_graph():
    table = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    check(lambda x: x * torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]) + table, X)


def test_concurrent_calls():
    compiled = neuron(lambda x: (x * 2).sum(1))
    compiled(X)
    wrong = []

    def work(seed):
        x = torch.full((4, 5), float(seed))
        for _ in range(20):
            if not torch.equal(compiled(x), (x * 2).sum(1)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_kept_after_a_call():
    compiled = neuron(lambda x: x + 1)
    x = X.clone()
    out = compiled(x)
    gone = weakref.ref(x), weakref.ref(out)
    del x, out
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


def test_writes_through_data_and_numpy_are_seen():
    compiled = neuron(lambda x: x + 1)
    x = X.clone()
    compiled(x)
    x.data.mul_(2)
    x.numpy()[0, 0] = 7
    torch.testing.assert_close(compiled(x), x + 1)


def test_mode_warns_and_is_default():
    text = "Neuron backend does not support mode='reduce-overhead', falling back to default mode."
    with pytest.warns(UserWarning, match=text):
        torch.testing.assert_close(neuron(lambda x: x - 1, mode="reduce-overhead")(X), X - 1)


def test_inference_mode_and_no_grad():
    compiled = neuron(lambda x: x * 3)
    with torch.inference_mode():
        torch.testing.assert_close(compiled(X), X * 3)
    with torch.no_grad():
        torch.testing.assert_close(compiled(X), X * 3)


def test_buffers_and_parameters():
    class Norm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(()))
            self.scale = torch.nn.Parameter(torch.ones(5))

        def forward(self, x):
            self.seen += 1
            return x * self.scale + self.seen

    module, eager = Norm(), Norm()
    compiled = neuron(module)
    for _ in range(3):
        torch.testing.assert_close(compiled(X), eager(X))
    assert module.seen.item() == 3
