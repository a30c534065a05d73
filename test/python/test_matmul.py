"""Products of matrices: sizes, layouts, dtypes, what is fused with them.

A float32 sum of K products differs from the exact one by at most K roundings of the
sum of the magnitudes (2^-24 each); the result's own rounding comes on top. A term
left out or counted twice is larger than that bound for every K here.
"""

import neuron_testing as nt
import pytest
import torch

ROUNDING = {torch.float32: 2.0**-24, torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}


def compiled(fn, *args, **options):
    torch._dynamo.reset()
    before = nt.executions()
    result = torch.compile(fn, backend="neuron", fullgraph=True, **options)(*args)
    assert nt.executions() == before + 1
    return result


def check(fn, *args):
    """fn is multilinear in its arguments: of magnitudes it gives the sum of the products' magnitudes."""
    got = compiled(fn, *args)
    exact = fn(*(a.double() for a in args))
    terms = fn(*(a.double().abs() for a in args))
    assert got.dtype == args[0].dtype and got.shape == exact.shape
    k = max(max(a.shape, default=1) for a in args) * 4
    bound = terms * (k * 2.0**-24) + exact.abs() * ROUNDING[got.dtype]
    worst = ((got.double() - exact).abs() - bound).max() if got.numel() else torch.tensor(0.0)
    assert worst <= 1e-30, f"beyond its bound by {worst.item()}"


def randn(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return torch.randn(shape, generator=generator).to(dtype)


SIZES = [
    (1, 1, 1),
    (1, 2, 1),
    (1, 7, 5),
    (5, 7, 1),
    (3, 128, 4),
    (128, 128, 512),
    (129, 129, 513),
    (200, 300, 100),
    (257, 64, 1030),
    (64, 1000, 8),
    (2, 3, 4500),
]


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("m,k,n", SIZES)
def test_sizes(m, k, n, dtype):
    check(lambda a, b: a @ b, randn(m, k, dtype=dtype), randn(k, n, dtype=dtype))


LAYOUTS = {
    "transposed right": lambda a, b: a @ b.t().contiguous().t(),
    "transposed left": lambda a, b: a.t().contiguous().t() @ b,
    "both": lambda a, b: a.t().contiguous().t() @ b.t().contiguous().t(),
    "result": lambda a, b: (a @ b).t().contiguous(),
    "slices": lambda a, b: a[::2, 3:] @ b[3:, ::3],
    "rows of a block": lambda a, b: a[5:9] @ b[:, 7:12],
}


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, dtype):
    check(LAYOUTS[layout], randn(140, 150, dtype=dtype), randn(150, 160, dtype=dtype))


@pytest.mark.parametrize("transposed", [False, True])
def test_arguments_that_lie_in_other_orders(transposed):
    a, b = randn(150, 140).t(), randn(160, 150).t()
    check(lambda a, b: a @ b if not transposed else (b.t() @ a.t()), a, b)


EINSUMS = [
    ("ij,jk->ik", (9, 130), (130, 11)),
    ("ij,kj->ki", (9, 130), (11, 130)),
    ("bij,bjk->bik", (3, 9, 130), (3, 130, 11)),
    ("bhid,bhjd->bhij", (2, 3, 20, 8), (2, 3, 24, 8)),
    ("bhij,bhjd->bihd", (2, 3, 20, 24), (2, 3, 24, 8)),
    ("bij,jk->bik", (3, 150, 9), (9, 11)),
    ("ij,bjk->bik", (150, 9), (3, 9, 11)),
    ("abc,cbd->ad", (5, 6, 7), (7, 6, 8)),
    ("i,j->ij", (5,), (7,)),
    ("bi,bi->b", (5, 9), (5, 9)),
    ("bij,bjk,k->bi", (2, 3, 4), (2, 4, 5), (5,)),
    ("abcde,acedf->abf", (2, 3, 4, 5, 6), (2, 4, 6, 5, 7)),
]


@pytest.mark.parametrize("spec", EINSUMS, ids=lambda spec: spec[0])
def test_einsum(spec):
    equation, *shapes = spec
    check(lambda *x: torch.einsum(equation, *x), *(randn(*shape) for shape in shapes))


BATCHES = [((3,), (3,)), ((2, 3), (2, 3)), ((2, 1), (1, 3)), ((4,), ()), ((), (4,)), ((2, 2, 2), (2, 2, 2))]


@pytest.mark.parametrize("m,k,n", [(1, 5, 3), (130, 20, 140), (5, 140, 1)])
@pytest.mark.parametrize("left,right", BATCHES)
def test_batches(left, right, m, k, n):
    check(lambda a, b: a @ b, randn(*left, m, k), randn(*right, k, n))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8, torch.float64], ids=str)
@pytest.mark.parametrize("shape", [(3, 5, 4), (130, 40, 9)])
def test_other_types_are_exact(dtype, shape):
    m, k, n = shape
    a, b = (torch.randint(0, 100, s).to(dtype) for s in ((m, k), (k, n)))
    torch.testing.assert_close(compiled(lambda a, b: a @ b, a, b), a @ b, rtol=0, atol=0)


@pytest.mark.parametrize("m,k,n", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_no_elements(m, k, n):
    a, b = randn(m, k), randn(k, n)
    assert torch.equal(torch.compile(lambda a, b: a @ b, backend="neuron", fullgraph=True)(a, b), a @ b)


SPELLINGS = {
    "addmm": lambda x, a, b: torch.addmm(x, a, b),
    "addmm scaled": lambda x, a, b: torch.addmm(x, a, b, beta=0.5, alpha=2.0),
    "bias of rows": lambda x, a, b: torch.addmm(x[:1], a, b),
    "bias of one": lambda x, a, b: torch.addmm(x[0, :1], a, b),
    "linear": lambda x, a, b: torch.nn.functional.linear(a, b.t(), x[0]),
    "baddbmm": lambda x, a, b: torch.baddbmm(x[None], a[None], b[None], alpha=2),
    "addbmm": lambda x, a, b: torch.addbmm(x, torch.stack([a, a]), torch.stack([b, b])),
    "addmv": lambda x, a, b: torch.addmv(x[:, 0], a, b[:, 0]),
    "addr": lambda x, a, b: torch.addr(x, a[:, 0], b[0]),
    "mv": lambda x, a, b: a @ b[:, 0],
    "dot": lambda x, a, b: a[0] @ b[:, 0],
    "tensordot": lambda x, a, b: torch.tensordot(a, b, dims=([1], [0])),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name):
    check(SPELLINGS[name], randn(20, 30), randn(20, 140), randn(140, 30))


def test_beta_of_zero_ignores_what_is_added():
    x = torch.full((4, 5), float("nan"))
    a, b = randn(4, 6), randn(6, 5)
    got = compiled(lambda x, a, b: torch.addmm(x, a, b, beta=0), x, a, b)
    torch.testing.assert_close(got, a @ b)


EPILOGUES = {
    "bias gelu": lambda a, b, c: torch.nn.functional.gelu(a @ b + c),
    "silu gate": lambda a, b, c: torch.nn.functional.silu(a @ b) * (a @ (b * 2)),
    "residual": lambda a, b, c: c + (a @ b),
    "softmax": lambda a, b, c: torch.softmax(a @ b / 8 + c, -1),
    "norm": lambda a, b, c: torch.nn.functional.layer_norm(a @ b + c, (b.shape[1],)),
    "two outputs": lambda a, b, c: ((a @ b).relu(), (a @ b + c).sum(-1)),
    "columns": lambda a, b, c: (a @ b).sum(0),
    "heads": lambda a, b, c: (a @ b).view(a.shape[0], 4, -1).permute(1, 0, 2) * 2,
    "chain of three": lambda a, b, c: torch.softmax(torch.relu(a @ b) @ (b.t() / 8), -1) @ b,
    "norm before": lambda a, b, c: torch.nn.functional.rms_norm(a, (a.shape[1],)) @ b + c,
    "norm before, kept": lambda a, b, c: (torch.softmax(a, -1), torch.softmax(a, -1) @ b),
}


@pytest.mark.parametrize("m", [5, 300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", EPILOGUES)
def test_what_is_fused(name, dtype, m):
    fn = EPILOGUES[name]
    args = (randn(m, 140, dtype=dtype) / 8, randn(140, 40, dtype=dtype) / 4, randn(40, dtype=dtype))
    exact = nt.tensors(fn(*(a.double() for a in args)))
    eager = nt.tensors(fn(*args))
    for got, reference, usual in zip(nt.tensors(compiled(fn, *args)), exact, eager):
        assert got.dtype == dtype
        error, own = ((x.double() - reference).abs().max() for x in (got, usual))
        # Where eager happens to be exact there is nothing to double: one unit in the last place.
        assert error <= 2 * own + reference.abs().max() * ROUNDING[dtype]


@pytest.mark.parametrize("terms", [2, 5])
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("shape", [(1, 2, 2, 2, 2, 1, 1), (2, 2, 2, 1, 2, 3, 2)])
def test_eight_dimensions(shape, columns, terms):
    """What is contracted is a dimension beside those of the kernel."""
    x, weight, bias = randn(*shape, terms), randn(columns, terms), randn(1)
    other = randn(*shape, columns)
    check(lambda x, w, b: torch.nn.functional.linear(x, w, b) * other.abs(), x, weight, bias)
    query = randn(*shape[:6], 3, terms)
    check(lambda q: (q @ q.mT) * 2, query)


@pytest.mark.parametrize("simulator", ["interpreter", "compiled"])
def test_forms_agree(simulator):
    a, b, c = randn(150, 200), randn(200, 600), randn(600)
    fn = EPILOGUES["softmax"]
    results = [compiled(fn, a, b, c, options={"simulator": form}) for form in (simulator, "compiled")]
    assert torch.equal(*results)


def test_small_batches_overlap():
    """What DMA moves for one batch takes longer than its product: several are under way (246 us one by one)."""
    from torch_neuronx import _C
    from torch_neuronx.neuron_dynamo_backend.compile import compile_static

    a, b = randn(64, 32, 128), randn(64, 128, 32)
    check(torch.bmm, a, b)
    graph = torch.fx.experimental.proxy_tensor.make_fx(torch.bmm)(a, b)
    assert compile_static(graph, "inference", _C.Options()).predicted_time_ps < 120e6
