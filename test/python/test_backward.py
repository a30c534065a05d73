"""Gradients: our own decompositions of backward passes, over random arguments and through torch.compile.

What is expected is autograd's of eager on the CPU, in float64 where the dtype is bfloat16.
"""

import itertools
import math
import random
from functools import partial

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch_neuronx.neuron_dynamo_backend.decomposed import OWN

F32, F64, BF16 = torch.float32, torch.float64, torch.bfloat16
# Sums of at most some tens of terms, in another order; a bfloat16 is rounded once, from float32.
CLOSE = {
    F32: {"rtol": 2e-5, "atol": 2e-5},
    F64: {"rtol": 1e-9, "atol": 1e-9},
    BF16: {"rtol": 1e-2, "atol": 1e-2},
}


def values(*shape, dtype=F32, seed=0, grad=True):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=F32).to(dtype).requires_grad_(grad)


class Apart(TorchDispatchMode):
    """Calls our decompositions of backward passes in place of the operations, and notes which."""

    def __init__(self):
        super().__init__()
        self.called = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = NotImplemented
        if function in OWN and "backward" in str(function):
            result = OWN[function](*args, **kwargs or {})
        if result is NotImplemented:
            return function(*args, **kwargs or {})
        self.called.add(str(function))
        return result


def gradients(fn, tensors, given=None):
    """(of those of `tensors` that want one, what was given for the results)"""
    results = [r for r in nt.tensors(fn(*tensors)) if r.requires_grad]
    if given is None:
        given = [values(*r.shape, dtype=r.dtype, seed=99 + i, grad=False) for i, r in enumerate(results)]
    wanted = [t for t in tensors if isinstance(t, torch.Tensor) and t.requires_grad]
    return torch.autograd.grad(results, wanted, given, allow_unused=True), given


def expected(fn, tensors):
    got, given = gradients(fn, tensors)
    if not any(isinstance(t, torch.Tensor) and t.dtype == BF16 for t in tensors):
        return got, given

    def doubled(t):
        if isinstance(t, torch.Tensor) and t.dtype == BF16:
            return t.detach().double().requires_grad_(t.requires_grad)
        return t

    got, _ = gradients(fn, [doubled(t) for t in tensors], [doubled(g) for g in given])
    return [None if g is None else g.bfloat16() for g in got], given


def check(fn, *tensors, **tolerance):
    """Our decompositions, called on the CPU; returns which."""
    want, given = expected(fn, tensors)
    with Apart() as apart:
        got, _ = gradients(fn, tensors, given)
    tolerance = tolerance or CLOSE[tensors[0].dtype]
    torch.testing.assert_close(list(got), list(want), equal_nan=True, **tolerance)
    return apart.called


def check_compiled(fn, *tensors, **tolerance):
    """Forward and backward on the device."""
    want, given = expected(fn, tensors)
    torch._dynamo.reset()
    before = nt.executions()
    compiled = torch.compile(fn, backend=nt.BACKEND, fullgraph=True, dynamic=False)
    got, _ = gradients(compiled, tensors, given)
    tolerance = tolerance or CLOSE[tensors[0].dtype]
    torch.testing.assert_close(list(got), list(want), equal_nan=True, **tolerance)
    assert nt.BACKEND != "neuron" or nt.executions() >= before + 2


def sizes(rng, dims, low, high):
    return [rng.randint(low, high) for _ in range(dims)]


def random_input(rng, dims, dtype):
    batch = [2, 3] if dims == 1 or rng.random() < 0.6 else [3]
    return values(*batch, *sizes(rng, dims, 4, 9), dtype=dtype, seed=rng.randint(0, 999))


@pytest.mark.parametrize("dtype", [F32, F64, BF16], ids=str)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_pools(dims, dtype):
    """Windows with gaps and overlaps, some beyond the end, padded and dilated."""
    rng, called = random.Random(dims), set()
    for _ in range(12):
        x = random_input(rng, dims, dtype)
        kernel, stride = sizes(rng, dims, 1, 4), sizes(rng, dims, 1, 5)
        padding = [rng.randint(0, k // 2) for k in kernel]
        extra = {"ceil_mode": rng.random() < 0.5}
        average = {"count_include_pad": rng.random() < 0.5}
        if dims > 1:
            average["divisor_override"] = rng.choice([None, 3])
        avg, biggest = getattr(F, f"avg_pool{dims}d"), getattr(F, f"max_pool{dims}d")
        if (dims, dtype) != (3, BF16):  # eager has none
            called |= check(partial(avg, kernel_size=kernel, stride=stride, padding=padding, **average, **extra), x)
        dilation = [rng.randint(1, 2) if k == 2 else 1 for k in kernel]
        extra |= {"stride": stride, "padding": padding, "dilation": dilation}
        called |= check(partial(biggest, kernel_size=kernel, **extra), x)
        # Also more windows than elements.
        out = sizes(rng, dims, 1, 11)
        called |= check(partial(getattr(F, f"adaptive_avg_pool{dims}d"), output_size=out), x)
        called |= check(partial(getattr(F, f"adaptive_max_pool{dims}d"), output_size=out), x)
    assert len(called) == 4 - ((dims, dtype) == (3, BF16))


def test_max_pool_of_many_windows():
    """Where an element lies in 49 windows, gradients are scattered."""
    assert check(lambda x: F.max_pool2d(x, 7, 1, 3), values(2, 3, 9, 8))


def test_infinite_gradients_stay_in_their_windows():
    given = torch.ones(1, 1, 3, 3)
    given[0, 0, 1, 2] = float("inf")
    for fn in (
        lambda x: F.avg_pool2d(x, 3, 2),
        lambda x: F.max_pool2d(x, 3, 2),
        lambda x: F.adaptive_avg_pool2d(x, 3),
        lambda x: F.interpolate(x, (3, 3), mode="nearest"),
    ):
        x = values(1, 1, 7, 7)
        want, _ = gradients(fn, [x], [given])
        with Apart() as apart:
            got, _ = gradients(fn, [x], [given])
        torch.testing.assert_close(got, want)
        assert apart.called and want[0].isfinite().any() and not want[0].isfinite().all()


@pytest.mark.parametrize("dtype", [F32, F64, BF16], ids=str)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_resizes(dims, dtype):
    rng, called = random.Random(dims), set()
    for _ in range(10):
        x = values(2, 3, *sizes(rng, dims, 1, 7), dtype=dtype)
        corners = rng.random() < 0.5
        how = {"size": sizes(rng, dims, 1, 14)}
        if rng.random() < 0.5:
            how = {"scale_factor": [rng.choice([1, 1.2, 1.5, 2, 2.3, 3]) for _ in range(dims)]}
        for mode in ("nearest", "nearest-exact", ["linear", "bilinear", "trilinear"][dims - 1], "bicubic"):
            extra = {} if "nearest" in mode else {"align_corners": corners}
            if mode == "bicubic" and dims != 2:
                continue
            called |= check(partial(F.interpolate, mode=mode, **how, **extra), x)
            # Eager's first pass to a width of 1 is wrong (see test_decomposed.py).
            if dims == 2 and "nearest" not in mode and dtype != BF16 and how.get("size", [2, 2])[1] > 1:
                called |= check(partial(F.interpolate, mode=mode, antialias=True, **how, **extra), x)
    assert len(called) == {1: 3, 2: 4, 3: 3}[dims] + 2 * (dims == 2 and dtype != BF16)


@pytest.mark.parametrize("dtype", [F32, F64, BF16], ids=str)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_replication_pads(dims, dtype):
    rng = random.Random(dims)
    for _ in range(8):
        x, padding = values(2, 3, *sizes(rng, dims, 3, 6), dtype=dtype), sizes(rng, 2 * dims, -1, 4)
        assert check(partial(F.pad, pad=padding, mode="replicate"), x)
    assert check(lambda x: F.pad(x, [2, 3] * dims, mode="replicate"), values(2, 3, *[1] * dims, dtype=dtype))


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_samples(mode, padding):
    """Places of up to 7 have an error of an ulp or two, and the elements differ by up to 6 from one to the next."""
    for dims, corners in itertools.product((2, 3) if mode != "bicubic" else (2,), (False, True)):
        x, grid = values(2, 3, *[4, 5, 6][:dims]), values(2, *[3, 4, 2][:dims], dims, seed=1)
        fn = partial(F.grid_sample, mode=mode, padding_mode=padding, align_corners=corners)
        assert check(fn, x, grid, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("p", [0, 0.5, 1, 1.5, 2, 3, math.inf])
def test_distances(p):
    x, y = values(2, 5, 4), values(2, 7, 4, seed=1)
    assert check(partial(torch.cdist, p=p), x, y)
    assert check(partial(torch.cdist, p=p), x, x.detach().clone().requires_grad_())  # some are 0
    assert check(partial(F.pdist, p=p), values(6, 4))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("extra", [{}, {"padding_idx": 2}, {"include_last_offset": True}], ids=str)
def test_embedding_bags(mode, extra):
    indices = torch.randint(0, 9, (12,), generator=torch.Generator().manual_seed(1))
    offsets = torch.tensor([0, 3, 3, 12 if "include_last_offset" in extra else 7])

    def bags(weight):
        return F.embedding_bag(indices, weight, offsets, mode=mode, **extra)

    assert check(bags, values(9, 5))
    check_compiled(bags, values(9, 5))
    if mode == "sum" and "include_last_offset" not in extra:

        def weighted(weight, sample_weights):
            return F.embedding_bag(indices, weight, offsets, mode=mode, per_sample_weights=sample_weights, **extra)

        assert len(check(weighted, values(9, 5), values(12, seed=4))) == 2


def test_embedding_bag_by_frequency():
    """Eager divides by the frequency of another index: its weight's gradient is that of the row lookups here."""
    indices = torch.tensor([1, 3, 3, 1, 1, 0])

    def rows(weight):
        return F.embedding(indices, weight, scale_grad_by_freq=True).reshape(2, 3, 4).sum(1)

    def bags(weight):
        return F.embedding_bag(indices, weight, torch.tensor([0, 3]), mode="sum", scale_grad_by_freq=True)

    want, given = gradients(rows, [values(5, 4)])
    with Apart() as apart:
        got, _ = gradients(bags, [values(5, 4)], given)
    torch.testing.assert_close(got, want)
    assert apart.called


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_margin_losses(reduction):
    target = torch.tensor([0, 4, 2, 2, 1, 3])
    for p, weight in itertools.product((1, 2), (None, values(5, seed=2, grad=False).abs())):
        fn = partial(F.multi_margin_loss, target=target, p=p, margin=0.7, weight=weight, reduction=reduction)
        assert check(fn, values(6, 5))
    assert check(partial(F.multi_margin_loss, target=target[1], reduction=reduction), values(5))
    assert check(partial(F.multi_margin_loss, target=torch.tensor([0]), reduction=reduction), values())
    # Up to the first -1; a class twice; no class; all.
    target = torch.tensor([[0, 2, -1, 1, 1], [1, 1, 3, -1, 0], [-1, 2, 2, 2, 2], [4, 3, 2, 1, 0]])
    assert check(partial(F.multilabel_margin_loss, target=target, reduction=reduction), values(4, 5))
    assert check(partial(F.multilabel_margin_loss, target=target[0], reduction=reduction), values(5))


@pytest.mark.parametrize("fn", [F.softshrink, F.hardshrink])
def test_shrinks(fn):
    x = torch.tensor([-0.6, -0.5, -0.1, 0.0, 0.5, 0.500001, math.nan, math.inf], requires_grad=True)
    assert check(fn, x, rtol=0, atol=0)


def test_masked_scatter():
    """A source of more than is taken; a mask to broadcast."""
    mask = torch.arange(5) % 2 == 0

    def fn(x, source):
        return x.masked_scatter(mask, source)

    assert check(fn, values(4, 5), values(3, 6, seed=1), rtol=0, atol=0)
    check_compiled(fn, values(4, 5), values(3, 6, seed=1), rtol=0, atol=0)


MASKS = {
    "none": {},
    "causal": {"is_causal": True},
    "added": {"attn_mask": values(5, 7, seed=3, grad=False)},
    # The first query sees no key.
    "boolean": {"attn_mask": torch.arange(35).reshape(5, 7) % 3 > (torch.arange(5) == 0).unsqueeze(1) * 9},
    "scaled": {"scale": 0.3},
}


@pytest.mark.parametrize("mask", MASKS)
def test_attention(mask):
    """Training of torch.compile on CPU tensors: what eager takes for attention there."""
    fn = partial(F.scaled_dot_product_attention, **MASKS[mask])
    for dtype in (F32, BF16):
        tensors = [values(2, 3, n, 8, dtype=dtype, seed=n + i) for i, n in enumerate((5, 7, 7))]
        # In bfloat16 the backward pass sees the rounded result of the forward one.
        tolerance = {} if dtype == F32 else {"rtol": 2e-2, "atol": 2e-2}
        assert check(fn, *tensors, **tolerance) or mask == "boolean"
    check_compiled(fn, *[values(2, 3, n, 8, seed=n + i) for i, n in enumerate((5, 7, 7))])


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_convolutions(dims, transposed):
    """Sums of up to 2000 products for a weight."""
    rng, fn = random.Random(dims), getattr(F, f"conv{'_transpose' * transposed}{dims}d")
    for _ in range(6):
        groups, kernel = rng.choice([1, 2]), sizes(rng, dims, 1, 3)
        extra = {
            "stride": sizes(rng, dims, 1, 3),
            "padding": sizes(rng, dims, 0, 2),
            "dilation": sizes(rng, dims, 1, 2),
        }
        if transposed:
            most = [max(pair) for pair in zip(extra["stride"], extra["dilation"], strict=True)]
            extra["output_padding"] = [rng.randint(0, size - 1) for size in most]
        weight = values(*((4, 3) if transposed else (6, 4 // groups)), *kernel, seed=3)
        tensors = [values(2, 4, *sizes(rng, dims, 6, 9)), weight, values(3 * groups if transposed else 6)]
        fn_of = partial(fn, groups=groups, **extra)
        assert check(fn_of, *tensors, rtol=1e-4, atol=1e-4)
    check_compiled(fn_of, *tensors, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_cells(cell, biased):
    """The fused cells are only of devices: against the formulas."""
    width = {"lstm": 4, "gru": 3}[cell] * 5
    tensors = [values(2, width), values(2, width, seed=1), values(2, 5, seed=2)]
    biases = [values(width, seed=3), values(width, seed=4)] if biased else []

    def lstm(x, h, c, *biases):
        i, f, g, o = (x + h + sum(biases)).chunk(4, 1)
        new = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * new.tanh(), new

    def gru(x, h, state, *biases):
        x, h = (x + biases[0], h + biases[1]) if biases else (x, h)
        (xr, xz, xn), (hr, hz, hn) = x.chunk(3, 1), h.chunk(3, 1)
        r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        n = (xn + r * hn).tanh()
        return (1 - z) * n + z * state

    plain = lstm if cell == "lstm" else gru
    want, given = gradients(plain, [*tensors, *biases])
    aten = torch.ops.aten
    with torch.no_grad():
        if cell == "lstm":
            hidden, state, workspace = OWN[aten._thnn_fused_lstm_cell.default](*tensors, *biases)
            torch.testing.assert_close((hidden, state), plain(*tensors, *biases), **CLOSE[F32])
            backward = OWN[aten._thnn_fused_lstm_cell_backward_impl.default]
            gates, old, bias = backward(*given, tensors[2], state, workspace, biased)
            got = [gates, gates, old] + [bias, bias] * biased
        else:
            hidden, workspace = OWN[aten._thnn_fused_gru_cell.default](*tensors, *biases)
            torch.testing.assert_close(hidden, plain(*tensors, *biases), **CLOSE[F32])
            x, h, old, *both = OWN[aten._thnn_fused_gru_cell_backward.default](*given, workspace, biased)
            got = [x, h, old] + both * biased
    torch.testing.assert_close(got, list(want), **CLOSE[F32])


# Ties, zeros and a NaN; the last two elements are in no segment.
SEGMENTED = torch.tensor([1.0, 1.0, 3.0, 0.0, 0.0, 2.0, 2.0, math.nan, -1.0, 0.0, 5.0, -4.0, 7.0, 8.0])


@pytest.mark.parametrize("initial", [None, 2.0])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_segments(reduce, initial):
    def reduced(x, **where):
        return torch.segment_reduce(x, reduce, unsafe=True, initial=initial, **where)

    def rows(x):
        return reduced(x, lengths=torch.tensor([3, 2, 3, 0, 4]))

    def columns(x):
        return reduced(x.reshape(2, 7, 2), offsets=torch.tensor([[0, 3, 7], [0, 1, 5]]), axis=1)

    x = torch.stack([SEGMENTED, SEGMENTED.flip(0)], 1).requires_grad_()
    called = check(rows, x) | check(columns, x)
    assert called == {"aten._segment_reduce_backward.default"}
    check_compiled(columns, x)


def test_sign_of_a_real_number():
    """Its gradient is one of eager's zeros without memory."""
    check_compiled(torch.sgn, values(3, 4))


COMPILED = {
    "avg_pool2d": lambda x: F.avg_pool2d(x, 3, 2, 1, True, False),
    "max_pool2d": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max_pool2d of tiles": lambda x: F.max_pool2d(x, 2),
    "max_pool1d": lambda x: F.max_pool1d(x[0], 3, 2),
    "max_pool3d": lambda x: F.max_pool3d(x, (1, 3, 2), (1, 2, 2)),
    "avg_pool3d": lambda x: F.avg_pool3d(x, 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, (3, 4)),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, (3, 4)),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "nearest": lambda x: F.interpolate(x, (7, 16), mode="nearest"),
    "antialiased": lambda x: F.interpolate(x, (4, 5), mode="bilinear", antialias=True),
    "replicate": lambda x: F.pad(x, (1, 2, 0, 3), mode="replicate"),
    "grid_sample": lambda x: F.grid_sample(x, x.reshape(2, -1)[:, :24].reshape(2, 3, 4, 2), align_corners=False),
    "bilinear product": lambda x: F.bilinear(
        x[0, 0], x[1, 1, :, :4], x.flatten()[:96].reshape(3, 8, 4), x[0, 0, 0, :3]
    ),
    "cdist": lambda x: torch.cdist(x[0, 0], x[1, 1], p=1.5),
    "margin loss": lambda x: F.multi_margin_loss(x[0, 0], torch.tensor([0, 1, 2, 3, 4, 5, 6, 7, 0])),
    "softshrink": lambda x: F.softshrink(x),
    "group_norm": lambda x: F.group_norm(x.repeat(1, 2, 1, 1), 3),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "layer_norm": lambda x: F.layer_norm(x, (8,), x[0, 0, 0], x[1, 1, 1]),
    "rms_norm": lambda x: F.rms_norm(x, (8,), x[0, 0, 0]),
    "local_response_norm": lambda x: F.local_response_norm(x, 2),
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    check_compiled(COMPILED[name], values(2, 3, 9, 8))


def test_compiled_bfloat16():
    check_compiled(COMPILED["max_pool2d"], values(2, 3, 9, 8, dtype=BF16))


@pytest.mark.parametrize("dim", [0, 2])
def test_weight_norm(dim):
    def gradients(backend):
        torch.manual_seed(0)
        conv = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(6, 8, 3), dim=dim)
        torch._dynamo.reset()
        fn = torch.compile(conv, backend=backend, fullgraph=True) if backend else conv
        fn(torch.randn(2, 6, 9)).square().sum().backward()
        return [parameter.grad for parameter in conv.parameters()]

    for got, expected in zip(gradients("neuron"), gradients(None), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-4)  # sums of 100 products of up to 10
