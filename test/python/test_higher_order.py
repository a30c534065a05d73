"""torch.cond, while_loop, scan, associative_scan, map, flex_attention and custom operations, compiled as one graph, on
CPU tensors and on the device; what is expected is eager's."""

import copy

import pytest
import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_each
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.testing._internal.hop_db import hop_db
from torch.utils import _pytree as pytree
from torch_neuronx import metrics
from torch_neuronx.neuron_dynamo_backend import NEFFCompilationError

DEVICES = ("cpu", "neuron")


def values(*shape, seed=0, grad=False):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).requires_grad_(grad)


X, W = values(3, 4), values(4, seed=1)
XG, WG = values(3, 4, grad=True), values(4, seed=1, grad=True)
INDEX = torch.tensor([0, 99])


def tensors(tree):
    return [t for t in pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def executions():
    return metrics.get_counter_value("Executor.NeffExecutions") or 0


def check(fn, *args, device="cpu", reference=None, neffs=1):
    """Results and gradients; how many NEFFs ran forward."""
    here = [a.detach().clone().requires_grad_(a.requires_grad) for a in args]
    there = [a.detach().to(device).requires_grad_(a.requires_grad) for a in args]
    compiled = torch.compile(fn, backend="neuron", fullgraph=True)
    before = executions()
    got = tensors(compiled(*there))
    if neffs is not None:
        assert executions() - before == neffs
    want = tensors((reference or fn)(*here))
    for g, w in zip(got, want, strict=True):
        torch.testing.assert_close(g.cpu(), w)
    if not any(a.requires_grad for a in args):
        return

    def gradients(results, inputs):
        results = [r for r in results if r.requires_grad]
        given = [values(*r.shape, seed=9).to(r.device) for r in results]
        return torch.autograd.grad(results, [t for t in inputs if t.requires_grad], given)

    for g, w in zip(gradients(got, there), gradients(want, here), strict=True):
        torch.testing.assert_close(g.cpu(), w, rtol=2e-5, atol=2e-5)


def choose(x, w):
    return torch.cond(x.sum() > 0, lambda x, w: x * w, lambda x, w: x.sin() - w, (x, w))


def choose_twice(x):
    def inner(x):
        return torch.cond(x[0, 0] > 0, lambda x: x * 2, lambda x: x * 3, (x,))

    return torch.cond(x.sum() > 0, inner, lambda x: x.sin(), (x,))


def scanned(x, w):
    return scan(lambda c, x: (c + x * w, c * x), torch.zeros(4, device=x.device), x)


def scanned_with_branches(x):
    def step(c, x):
        return torch.cond(x.sum() > 0, lambda c, x: c + x, lambda c, x: c - x, (c, x)), c * x

    return scan(step, torch.zeros(4, device=x.device), x, reverse=True)


def prefix_products(x):
    return associative_scan(lambda a, b: a * b, x, 0, combine_mode="generic")


def mapped(x, w):
    return map_each(lambda row, w: torch.softmax(row.sin() * w, -1), x, w)


def with_a_number_for_a_tensor(x, w):
    """A functionalized addition in place has its number converted."""

    def inner(x, w):
        return map_each(lambda x, w: x[0].cos().add_(1.0) * w[0], x, w)

    return map_each(inner, x.reshape(3, 2, 2).unsqueeze(0), w)


CASES = {
    "number for a tensor": (with_a_number_for_a_tensor, (X, W)),
    "cond": (choose, (X, W)),
    "cond, other branch": (choose, (-X.abs(), W)),
    "cond, gradients": (choose, (XG, WG)),
    "cond in cond": (choose_twice, (X,)),
    "scan": (scanned, (X, W)),
    "scan, gradients": (scanned, (XG, WG)),
    "scan of cond": (scanned_with_branches, (X,)),
    "associative_scan": (prefix_products, (X,)),
    "associative_scan, gradients": (prefix_products, (XG,)),
    "map": (mapped, (X, W)),
    "map, gradients": (mapped, (XG, WG)),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_one_neff_with_eagers_result(name, device):
    fn, args = CASES[name]
    check(fn, *args, device=device)


# What would fail in the branch that is not taken, and does in the one that is.
FAILING = {
    "index": (lambda x, i: x[i] + 1, lambda x, i: x[:2].sin(), X, INDEX),
    "gather": (lambda x, i: x[0].gather(0, i), lambda x, i: x[0, :2] * 1, X, INDEX),
    "index_add": (lambda x, i: x.index_add(0, i, x[:2]), lambda x, i: x * 2, X, INDEX),
    "embedding": (lambda x, i: torch.nn.functional.embedding(i, x), lambda x, i: x[:2] * 1, X, INDEX),
    "division": (lambda x, i: x // i, lambda x, i: x + i, torch.tensor([7, 99]), torch.tensor([2, 0])),
    "remainder": (lambda x, i: x % i, lambda x, i: x + i, torch.tensor([7, 99]), torch.tensor([2, 0])),
}


@pytest.mark.parametrize("name", FAILING)
def test_the_branch_that_is_not_taken_does_not_fail(name):
    fails, other, x, i = FAILING[name]

    def fn(x, i, p):
        return torch.cond(p, fails, other, (x, i))

    check(fn, x, i, torch.tensor(False))
    with pytest.raises(RuntimeError):
        torch.compile(fn, backend="neuron", fullgraph=True)(x, i, torch.tensor(True))


def test_assertion_in_a_branch():
    def fn(x):
        def positive(x):
            torch._assert_async((x > 0).all(), "not all are positive")
            return x.log()

        return torch.cond(x.max() > 5, positive, lambda x: x * 2, (x,))

    compiled = torch.compile(fn, backend="neuron", fullgraph=True)
    torch.testing.assert_close(compiled(X), X * 2)
    with pytest.raises(RuntimeError, match="not all are positive"):
        compiled(X * 100)


def doubled(x):
    return while_loop(lambda i, x: x.abs().sum() < 1000, lambda i, x: (i + 1, x * 2), (i0(x), x))


def i0(x):
    return torch.zeros((), dtype=torch.int64, device=x.device)


@pytest.mark.parametrize("device", DEVICES)
def test_while_loop_runs_as_often_as_its_numbers_say(device):
    metrics.clear_counters()
    steps = int(doubled(X)[0])
    # One NEFF before, the condition once more than the body.
    check(doubled, X, device=device, neffs=None if device == "neuron" else 1 + 2 * steps + 1)
    assert metrics.get_counter_value("WhileLoop.Steps") == steps


def test_while_loop_of_no_step_gives_new_memory():
    def fn(x):
        return while_loop(lambda x: x.sum() > 1e9, lambda x: (x + 1,), (x,))[0]

    x = X.clone()
    out = torch.compile(fn, backend="neuron", fullgraph=True)(x)
    out += 1
    torch.testing.assert_close(x, X)


def test_while_loop_in_while_loop_between_other_work():
    def fn(x):
        x = x.sin() + 2
        x, _ = x.sort(-1)

        def body(x):
            return (while_loop(lambda y: y.sum() < 50, lambda y: (y + 1,), (x,))[0] * 2,)

        return while_loop(lambda x: x.sum() < 1000, body, (x,))[0].cos()

    check(fn, X, neffs=None)


def refused(fn, *args, **kwargs):
    with pytest.raises(NEFFCompilationError) as caught:
        torch.compile(fn, backend="neuron", fullgraph=True)(*args, **kwargs)
    return str(caught.value)


def test_what_is_refused_says_why_and_where():
    text = refused(lambda x: doubled(x)[1], XG)
    assert "gradients through while_loop" in text and "hint: use scan" in text and __file__ in text
    text = refused(lambda x: torch.cond(x.sum() > 0, lambda x: doubled(x)[1], lambda x: x.sin(), (x,)), X)
    assert "a while_loop within another graph" in text
    text = refused(lambda x: scan(lambda c, x: (c + x, c * x), torch.zeros(2), x)[0], torch.zeros(30_000, 2))
    assert "30000 steps with 2 operations each" in text and "hint: call the compiled function on pieces" in text


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_flex_attention_with_a_block_mask(device, dtype):
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 16, 16, device="cpu", BLOCK_SIZE=8)
    there = mask.to(device)
    q, k = values(1, 4, 16, 8).to(dtype), values(1, 2, 16, 8, seed=1).to(dtype)

    def fn(q, k):
        return flex_attention(q, k, k, block_mask=there, enable_gqa=True)

    def reference(q, k):
        return flex_attention(q, k, k, block_mask=mask, enable_gqa=True)

    check(fn, q, k, device=device, reference=reference)


def biased(q, bias):
    return flex_attention(q, q, q, score_mod=lambda score, b, h, i, j: score + bias[h] * (i - j))


def biased_densely(q, bias):
    i = torch.arange(q.shape[2])
    scores = q @ q.mT / q.shape[-1] ** 0.5 + bias[:, None, None] * (i[:, None] - i)
    return torch.softmax(scores, -1) @ q


def test_flex_attention_with_a_captured_tensor():
    check(biased, values(1, 2, 16, 8), values(2, seed=1), reference=biased_densely)


def test_flex_attention_has_gradients_on_the_device():
    """PyTorch itself refuses them on the CPU."""
    args = values(1, 2, 16, 8, grad=True), values(2, seed=1, grad=True)
    check(biased, *args, device="neuron", reference=biased_densely)


@torch.library.custom_op("neuron_test::scaled_sine", mutates_args=())
def scaled_sine(x: torch.Tensor, scale: float) -> torch.Tensor:
    y = x.sin()
    y.mul_(scale)
    return y


scaled_sine.register_fake(lambda x, scale: torch.empty_like(x))
scaled_sine.register_autograd(
    lambda ctx, grad: (grad * ctx.saved_tensors[0].cos() * 2, None),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
)


@torch.library.custom_op("neuron_test::add_exp", mutates_args=("out",))
def add_exp(x: torch.Tensor, out: torch.Tensor) -> None:
    out.add_(x.exp())


@torch.library.custom_op("neuron_test::by_numpy", mutates_args=())
def by_numpy(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 2)


by_numpy.register_fake(lambda x: torch.empty_like(x))

library = torch.library.Library("neuron_test", "FRAGMENT")
library.define("relu_one(Tensor x) -> Tensor")
library.impl("relu_one", lambda x: x.relu() + 1, "CPU")
library.impl("relu_one", lambda x: x.relu() + 1, "PrivateUse1")
torch.library.register_fake("neuron_test::relu_one", lambda x: torch.empty_like(x))


def writes(x, out):
    add_exp(x, out[1:])
    return out * 2


@pytest.mark.parametrize("device", DEVICES)
def test_bodies_of_custom_operations(device):
    check(lambda x: scaled_sine(x, 2.0) + 1, XG, device=device)
    check(writes, X, values(4, 4, seed=2), device=device)
    check(lambda x: torch.ops.neuron_test.relu_one(x), X, device=device)


def test_a_body_that_is_no_graph_is_refused():
    assert "its body cannot be traced as ATen operations" in refused(by_numpy, X)


@torch.compiler.nested_compile_region
def region(x):
    return x.sin() + 1


# Of PyTorch's own table: why not.
REFUSED = {
    "while_loop_stack_output": "gradients through while_loop",
    "invoke_quant": "invoke_quant",  # no lowering yet
    "invoke_quant_packed": "invoke_quant",
    "inline_asm_elementwise": None,  # of CUDA only
    "local_map_hop": None,  # Dynamo does not trace the sample
    "register_hook": None,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", hop_db, ids=lambda op: f"{op.name} {op.variant_test_name}")
def test_pytorchs_own_samples(op):
    for sample in op.sample_inputs("cpu", torch.float32, requires_grad=False):
        args = sample.input, *sample.args
        if op.name not in REFUSED:
            torch._dynamo.reset()
            kept = copy.deepcopy(args)  # some write into what they are given
            got = torch.compile(op.op, backend="neuron", fullgraph=True)(*args, **sample.kwargs)
            torch.testing.assert_close(tensors(got), tensors(op.op(*kept, **sample.kwargs)))
        elif REFUSED[op.name]:
            assert REFUSED[op.name] in refused(op.op, *args, **sample.kwargs)
        else:
            pytest.skip("no backend compiles it on a CPU")


def test_nested_regions_stay_in_one_neff():
    check(lambda x: region(region(x)), XG)
