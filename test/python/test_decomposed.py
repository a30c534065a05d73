"""Operations that our own decompositions take apart, against eager."""

import math

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F
import torch_neuronx

F32, BF16, I64 = torch.float32, torch.bfloat16, torch.int64


def values(*shape, dtype=F32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator).to(dtype)


def integers(*shape, below, seed=1):
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(seed))


def check(fn, *args, **tolerance):
    outcome = nt.compare_with_eager(fn, args, **tolerance)
    assert outcome.status in (nt.RIGHT, nt.NEARER), outcome


EXACT = {
    "as_strided_scatter": (lambda x, s: x.as_strided_scatter(s, (3, 2), (2, 1), 1), (5, 4), (3, 2)),
    "as_strided_scatter of transposed": (lambda x, s: x.t().as_strided_scatter(s, (2, 3), (1, 4), 2), (5, 4), (2, 3)),
    "as_strided_scatter of nothing": (lambda x, s: x.as_strided_scatter(s, (2, 0), (2, 1), 1), (5, 4), (2, 0)),
    "as_strided_scatter of one": (lambda x, s: x.as_strided_scatter(s, (), (), 7), (5, 4), ()),
}


@pytest.mark.parametrize("dtype", [F32, BF16, I64, torch.bool], ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_exact(name, dtype):
    fn, shape, source = EXACT[name]
    check(fn, values(*shape, dtype=dtype), values(*source, dtype=dtype, seed=1), rtol=0, atol=0)


def test_writes_through_as_strided():
    def fn(x):
        x = x.clone()
        torch.as_strided(x, (3,), (5,), 1).mul_(2)
        return x

    check(fn, values(4, 5), rtol=0, atol=0)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x.histc(7),
        lambda x: x.histc(7, -1, 1),
        lambda x: x.histc(5, 2, 2),
        lambda x: (x * 0 + 3).histc(4),
        lambda x: x.t().histc(1, 0, 1),
    ],
)
def test_histc(fn):
    check(fn, values(13, 9), rtol=0, atol=0)
    if fn(values(3)).numel() == 7:
        x = values(13, 9)
        x[0, :3] = torch.tensor([math.nan, -1.0, 1.0])
        check(lambda x: x.histc(7, -1, 1), x, rtol=0, atol=0)


def test_histc_of_what_is_not_finite():
    x = values(5)
    x[2] = math.inf
    with pytest.raises(RuntimeError, match="not finite"):
        x.histc(3)
    with pytest.raises(RuntimeError, match="not finite"):
        torch.compile(lambda x: x.histc(3), backend="neuron", fullgraph=True)(x)


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, math.inf])
def test_distances(p):
    """Sums of 6 in another order, and a power: a few ulps."""
    x, y = values(2, 7, 6), values(2, 9, 6, seed=1)
    close = {"rtol": 2e-6, "atol": 1e-6}
    check(lambda x, y: torch.cdist(x, y, p), x, y, **close)
    check(lambda x: F.pdist(x, p), x[0], **close)
    check(lambda x, y: torch.cdist(x, y[0], p), x, y, **close)


def test_histogram():
    x, weights = values(13, 9), values(13, 9, seed=1).abs()
    close = {"rtol": 2e-6, "atol": 1e-6}
    for extra in ({}, {"range": (-1.0, 2.0)}, {"density": True}):
        check(lambda x, extra=extra: torch.histogram(x, 6, **extra), x, **close)
    check(lambda x, w: torch.histogram(x, torch.tensor([-1.0, 0.0, 0.1, 3.0]), weight=w), x, weights, **close)
    check(lambda x: torch.histogramdd(x, [3, 4], range=[-1.0, 1.0, -2.0, 2.0]), x[:, :2], **close)


@pytest.mark.parametrize("initial", [None, 2.0])
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_segment_reduce(reduce, initial):
    extra = {"initial": initial} if initial else {}
    check(
        lambda x, n: torch.segment_reduce(x, reduce, lengths=n, unsafe=True, **extra),
        values(7, 3),
        torch.tensor([2, 0, 5]),
        rtol=2e-6,
        atol=1e-6,
    )


MASKS = {
    "rows": (torch.tensor([True, False, True, True]), (3,)),
    "as many as are chosen": (torch.tensor([True, False, True, True]), (3, 3)),
    "one row": (torch.tensor([False, True, False, False]), (1, 3)),
    "two dimensions": (torch.arange(12).reshape(4, 3) % 5 == 1, (3,)),
    "nothing": (torch.zeros(4, 3, dtype=torch.bool), (0,)),
}


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("name", MASKS)
def test_index_put_by_a_mask(name, accumulate):
    mask, shape = MASKS[name]
    check(lambda x, m, v: x.index_put((m,), v, accumulate), values(4, 3), mask, values(*shape, seed=1), rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(2, 3, 1), (3, 3), (), (1, 1, 1, 3)], ids=str)
def test_index_put_by_a_mask_of_later_dimensions(shape):
    def fn(x, m, v):
        x = x.clone()
        x[:, m] = v
        return x

    check(fn, values(2, 4, 3), torch.tensor([True, False, True, True]), values(*shape, seed=1), rtol=0, atol=0)


def test_index_put_by_a_mask_that_chooses_others():
    fn = torch.compile(lambda x, m, v: x.index_put((m,), v), backend="neuron", fullgraph=True)
    with pytest.raises(RuntimeError, match="2 values are given for what a mask chooses"):
        fn(values(4), torch.tensor([True, True, True, False]), values(2))


def test_distances_of_many_rows():
    """A product of matrices, in eager as well: squares of up to 20 have an error of 1e-5, small distances its root."""
    check(torch.cdist, values(40, 5), values(30, 5, seed=1), rtol=1e-5, atol=3e-3)


@pytest.mark.parametrize("dtype", [F32, torch.float64], ids=str)
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(5, 4), (3, 13), (20, 2)], ids=str)
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialiased(mode, size, corners, dtype):
    """Sums of up to 15 products; eager's weights. Bicubic weights cancel."""
    x = values(2, 3, 9, 14, dtype=dtype)
    tolerance = {"rtol": 2e-6, "atol": 2e-6} if dtype == F32 else {"rtol": 1e-14, "atol": 1e-14}
    check(lambda x: F.interpolate(x, size, mode=mode, align_corners=corners, antialias=True), x, **tolerance)


def test_antialiased_to_a_width_of_1():
    """Eager's second pass then reads the first row for all; the row as an image of its own is right."""
    x = values(2, 3, 9, 14)
    got = torch.compile(lambda x: F.interpolate(x, (20, 1), mode="bilinear", antialias=True), backend="neuron")(x)
    row = F.interpolate(x, (9, 1), mode="bilinear", antialias=True).expand(2, 3, 9, 2).contiguous()
    want = F.interpolate(row, (20, 2), mode="bilinear", antialias=True)[..., :1]
    torch.testing.assert_close(got, want, rtol=2e-6, atol=2e-6)


def test_antialiased_infinity_stays_in_its_windows():
    x = values(1, 1, 12, 12)
    x[0, 0, 5, 5] = math.inf
    check(lambda x: F.interpolate(x, (4, 5), mode="bilinear", antialias=True), x, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("mode", ["linear", "bilinear", "trilinear"])
def test_resizes_that_heed_no_scale(mode):
    """On the device, to the same size: 4 and a scale of 1.2. Sums of 8 products."""
    for size, scale in ((4, 1.2), (5, 1.5)):
        x = values(1, 2, *[size] * {"linear": 1, "bilinear": 2, "trilinear": 3}[mode])
        torch_neuronx.clear_op_tracking()
        got = F.interpolate(x.to("neuron"), scale_factor=scale, mode=mode)
        assert not torch_neuronx.get_fallback_ops()
        torch.testing.assert_close(got.cpu(), F.interpolate(x, scale_factor=scale, mode=mode), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_embedding_renorm(norm):
    """Rows that are named, twice or not at all; in place. On the device, and compiled from the functional form."""
    weight, indices = values(6, 5), torch.tensor([[1, 3], [3, 5]])
    want, there = weight.clone(), weight.to("neuron")
    torch_neuronx.clear_op_tracking()
    got = F.embedding(indices.to("neuron"), there, max_norm=1.0, norm_type=norm)
    assert not torch_neuronx.get_fallback_ops()
    torch.testing.assert_close(got.cpu(), F.embedding(indices, want, max_norm=1.0, norm_type=norm))
    torch.testing.assert_close(there.cpu(), want)
    assert not torch.equal(want, weight)
    check(lambda w, i: torch.ops.aten.embedding_renorm(w, i, 1.0, norm), weight, indices, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample(mode, corners, padding):
    """Places of up to 7 have an error of an ulp or two, and the elements differ by up to 6."""
    close = {"rtol": 1e-5, "atol": 2e-5}

    def fn(x, grid):
        return F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=corners)

    check(fn, values(2, 3, 5, 7), values(2, 4, 6, 2, seed=1), **close)
    if mode != "bicubic":
        check(fn, values(2, 3, 4, 5, 6), values(2, 3, 2, 4, 3, seed=1), **close)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("extra", [{}, {"padding_idx": 2}, {"include_last_offset": True}], ids=str)
def test_embedding_bag(mode, extra):
    def fn(weight, indices, offsets):
        return F.embedding_bag(indices, weight, offsets, mode=mode, **extra)

    check(fn, values(9, 5), integers(12, below=9), torch.tensor([0, 3, 3, 12][: 4 if extra else 3]))
    if mode == "sum":
        check(
            lambda w, i, o, s: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=s),
            values(9, 5),
            integers(12, below=9),
            torch.tensor([0, 5]),
            values(12, seed=3),
        )


@pytest.mark.parametrize("dtype", [F32, BF16, torch.float64], ids=str)
@pytest.mark.parametrize("dims", [2, 3])
def test_fractional_max_pool(dims, dtype):
    x = values(2, 3, *[9, 8, 7][:dims], dtype=dtype)
    x[0, 0, 0, 0] = math.nan
    samples = torch.rand(2, 3, dims, generator=torch.Generator().manual_seed(2)).to(dtype)
    pool = F.fractional_max_pool2d if dims == 2 else F.fractional_max_pool3d

    def fn(x, samples):
        return pool(x, 2, output_size=[4, 3, 3][:dims], _random_samples=samples, return_indices=True)

    check(fn, x, samples, rtol=0, atol=0)
    check(fn, x[0], samples, rtol=0, atol=0)  # more random numbers than samples


# Mean and variance of the distribution.
@pytest.mark.parametrize("parameter", [0.05, 0.4, 1.0, 3.7, 40.0, 2000.0])
@pytest.mark.parametrize("dtype", [F32, torch.float64], ids=str)
@pytest.mark.parametrize("draw", [torch._standard_gamma, torch.poisson], ids=["gamma", "poisson"])
def test_draws_by_rejection(draw, dtype, parameter):
    count = 4000
    torch.manual_seed(0)
    drawn = torch.compile(draw, backend="neuron", fullgraph=True)(torch.full((count,), parameter, dtype=dtype))
    assert drawn.dtype == dtype and drawn.isfinite().all()
    assert (drawn.round() == drawn).all() if draw is torch.poisson else (drawn > 0).all()
    # Both have their parameter as mean and variance; 5 standard deviations of what is measured.
    kurtosis = 3 + (1 if draw is torch.poisson else 6) / parameter
    assert abs(drawn.mean() - parameter) < 5 * (parameter / count) ** 0.5
    assert abs(drawn.var() - parameter) < 5 * parameter * ((kurtosis - 1) / count) ** 0.5


def test_draws_by_rejection_differ():
    compiled = torch.compile(lambda a: torch._standard_gamma(a), backend="neuron", fullgraph=True)
    a = torch.tensor([[0.0, 1.0], [2.0, torch.nan]])
    first, second = compiled(a), compiled(a)
    assert first[0, 0] == 0 and first[1, 1].isnan() and not torch.equal(first, second)
    parts = torch.compile(torch._sample_dirichlet, backend="neuron", fullgraph=True)(torch.ones(500, 4))
    torch.testing.assert_close(parts.sum(-1), torch.ones(500))
    assert ((parts > 0) & (parts < 1)).all() and abs(parts.var() - 0.0375) < 0.005
    with pytest.raises(RuntimeError, match="expected rate to be non-negative"):
        torch.compile(torch.poisson, backend="neuron", fullgraph=True)(torch.tensor([1.0, -1.0]))


def test_rrelu():
    x = values(50, 50)
    check(lambda x: F.rrelu(x), x, rtol=0, atol=0)
    got = torch.compile(lambda x: F.rrelu(x, 0.1, 0.3, training=True), backend="neuron", fullgraph=True)(x)
    slope = (got / x)[x < 0]
    assert torch.equal(got[x > 0], x[x > 0]) and 0.1 <= slope.min() < 0.11 and 0.29 < slope.max() <= 0.30001


def test_places():
    check(lambda x: torch.nonzero_static(x > 0, size=9), values(4, 3), rtol=0, atol=0)
    check(lambda x: torch.nonzero_static(x > 0, size=3, fill_value=7), values(4, 3), rtol=0, atol=0)
    check(lambda x, r: x.repeat_interleave(r, 0, output_size=6), values(3, 2), torch.tensor([1, 0, 5]), rtol=0, atol=0)
    sequence = values(3, 7)
    check(lambda s, o, v: torch.searchsorted(s, v, sorter=o), sequence, sequence.argsort(-1), values(3, 4, seed=2))
    check(lambda s, o: torch.searchsorted(s, 0.25, sorter=o), sequence[0], sequence[0].argsort())
    check(lambda x, i: x.take(i), sequence, torch.tensor(-2), rtol=0, atol=0)


def test_multinomial():
    weights = torch.tensor([[0.0, 1.0, 2.0, 5.0], [3.0, 0.0, 0.0, 1.0]])
    draw = torch.compile(torch.multinomial, backend="neuron", fullgraph=True, dynamic=False)
    torch.manual_seed(0)
    many = draw(weights, 4000, True)
    assert many.dtype == I64 and many.shape == (2, 4000)
    for row, weight in zip(many, weights, strict=True):
        share = row.bincount(minlength=4) / 4000
        # Five standard deviations of a share of 4000 draws are 0.04.
        assert (share - weight / weight.sum()).abs().max() < 0.04 and (share[weight == 0] == 0).all()
    torch.manual_seed(0)
    assert torch.equal(many, draw(weights, 4000, True))
    without = torch.stack([draw(torch.tensor([0.0, 1.0, 2.0, 5.0]), 3) for _ in range(300)])
    assert (without.sort(1)[0] == torch.tensor([1, 2, 3])).all()
    first = without[:, 0].bincount(minlength=4) / 300
    assert (first - torch.tensor([0, 0.125, 0.25, 0.625])).abs().max() < 0.15
    one = torch.stack([draw(weights, 1) for _ in range(100)])
    assert (one[:, 0] != 0).all() and ((one[:, 1] == 0) | (one[:, 1] == 3)).all()


@pytest.mark.parametrize("bad", [[1.0, -1.0], [1.0, math.nan], [math.inf, 1.0], [0.0, 0.0]])
def test_multinomial_of_what_are_no_weights(bad):
    for samples, replacement in ((1, False), (3, True)):
        with pytest.raises(RuntimeError) as eager:
            torch.multinomial(torch.tensor(bad), samples, replacement)
        torch._dynamo.reset()
        with pytest.raises(RuntimeError) as caught:
            torch.compile(torch.multinomial, backend="neuron", fullgraph=True)(torch.tensor(bad), samples, replacement)
        assert str(eager.value).splitlines()[0] in str(caught.value)


@pytest.mark.parametrize(
    "draw, mean",
    [
        (lambda x: x.clone().exponential_(2.0), 0.5),
        (lambda x: x.clone().normal_(3.0, 0.5), 3.0),
        (lambda x: x.clone().log_normal_(0.0, 0.25), math.exp(0.03125)),
        (lambda x: x.clone().geometric_(0.25), 4.0),
        (lambda x: x.clone().cauchy_(5.0, 0.01).clamp(4, 6), 5.0),
        (lambda x: torch.randperm(4096).to(x.dtype), 2047.5),
    ],
)
def test_draws(draw, mean):
    torch.manual_seed(1)
    got = torch.compile(draw, backend="neuron", fullgraph=True)(torch.zeros(4096))
    # Five standard deviations of a mean of 4096 draws: at most 0.3 of the geometric one, and none of the permutation.
    assert abs(got.mean().item() - mean) < 0.1 * mean and got.unique().numel() > 10


@pytest.mark.parametrize("dtype", [F32, BF16, I64])
@pytest.mark.parametrize("batch", [(), (8,)])
def test_bilinear(batch, dtype):
    check(
        F.bilinear,
        values(*batch, 3, dtype=dtype),
        values(*batch, 4, dtype=dtype),
        values(5, 3, 4, dtype=dtype),
        values(5, dtype=dtype),
    )


@pytest.mark.parametrize(
    "ends", [(4.3, -3), (torch.tensor(4.3), -3), (4.3, torch.tensor(-3)), (torch.tensor(-2.7),) * 2]
)
def test_linspace_of_integers(ends):
    """The ends are made integers first."""
    ends = tuple(end if isinstance(end, torch.Tensor) else torch.tensor(end) for end in ends[:1]) + ends[1:]
    check(lambda start: torch.linspace(start, ends[1], 50, dtype=I64), ends[0])


def test_take_of_nothing():
    check(lambda x, i, y: (x.take(i), y + 1), values(0), torch.zeros(0, 3, dtype=I64), values(3))


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_negative_eps(dtype):
    """NaN where the root is of a negative number, as in eager."""
    x = torch.cat((values(4, 8), values(4, 8) * 0.1)).to(dtype)
    check(lambda x: F.layer_norm(x, (8,), eps=-0.5), x)
    check(lambda x: x.float() * (x.float().square().mean(-1, keepdim=True) - 0.5).rsqrt(), x)


@pytest.mark.parametrize("dims, keepdim", [((), False), ((1,), True), ((0, -1), False), ((0, 1, 2), True)])
@pytest.mark.parametrize("dtype", [F32, BF16, torch.float64, I64, torch.uint8, torch.bool], ids=str)
def test_hash_tensor(dims, keepdim, dtype):
    x = values(3, 7, 4, dtype=F32).mul(3).to(torch.int32).to(dtype)
    check(lambda x: torch.hash_tensor(x, dims, keepdim=keepdim).view(I64), x, rtol=0, atol=0)


def test_hash_tensor_of_a_number():
    check(lambda x: torch.hash_tensor(x).view(I64), torch.tensor(-2.5), rtol=0, atol=0)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: torch.rand(x.shape, generator=None),
        lambda x: torch.randn(x.shape, generator=None, dtype=torch.float64),
        lambda x: torch.randint(3, x.shape, generator=None),
        lambda x: torch.randint(2, 5, x.shape, generator=None),
        lambda x: torch.randperm(64, generator=None).reshape(x.shape),
        lambda x: torch.rand_like(x, generator=None),
        lambda x: torch.randn_like(x, generator=None),
        lambda x: torch.randint_like(x, 4, generator=None),
        lambda x: torch.randint_like(x, 2, 4, generator=None),
    ],
)
def test_no_generator(draw):
    x = torch.ones(8, 8)
    torch._dynamo.reset()
    got, eager = torch.compile(lambda x: draw(x) * 1, backend="neuron", fullgraph=True)(x), draw(x)
    assert got.shape == eager.shape and got.dtype == eager.dtype and len(got.unique()) > 1
