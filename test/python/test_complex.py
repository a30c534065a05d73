"""Complex numbers: values beside complex128 and eager, special values as eager's, and memory at the boundary."""

import itertools
import math

import neuron_testing as nt  # before torch: sets the number of threads
import pytest
import torch
import torch_neuronx
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend.compile import compile_static
from torch_neuronx.neuron_dynamo_backend.decompositions import get_decomposition_table

DTYPES = [torch.complex64, torch.complex128]
REAL = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def run(fn, *args):
    graph = torch.fx.experimental.proxy_tensor.make_fx(
        fn, decomposition_table=get_decomposition_table(), tracing_mode="fake"
    )(*args)
    return compile_static(graph, "inference", _C.Options())(list(args))


def neuron(fn, **settings):
    torch._dynamo.reset()
    return torch.compile(fn, backend="neuron", fullgraph=True, **settings)


def numbers(*shape, dtype=torch.complex64, seed=0):
    return torch.randn(*shape, dtype=torch.complex128, generator=torch.Generator().manual_seed(seed)).to(dtype)


# ---- functions -------------------------------------------------------------------------------------------------------

UNARY = """abs angle sgn reciprocal exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sigmoid square cosh sinh tanh cos sin
tan acos asin atan acosh asinh atanh""".split()


def _samples():
    """Numbers of several sizes, on and beside the unit circle, and beside 1 and -1, where logarithms cancel."""
    z = numbers(256, dtype=torch.complex128)
    circle = torch.polar(torch.ones(128, dtype=torch.float64), z[:128].real)
    sign = torch.where(z[:128].real > 0, 1.0, -1.0)
    return torch.cat([z, z * 1e-3, z * 10, circle + z[:128] * 1e-3, sign + z[:128] * 1e-3]).to(torch.complex64)


@pytest.mark.parametrize("name", UNARY)
def test_functions_beside_complex128(name):
    """Eager's are off by up to 2.7 units of float32's last place of the modulus (sigmoid by more beside its poles)."""
    fn, z = getattr(torch, name), _samples()
    exact, eager = fn(z.to(torch.complex128)), fn(z).to(torch.complex128)
    (got,) = run(fn, z)
    assert got.dtype == fn(z[:1]).dtype
    size = exact.abs().clamp_min(torch.finfo(torch.float32).tiny)
    error, theirs = (got.to(torch.complex128) - exact).abs() / size, ((eager - exact).abs() / size).max().item()
    assert error.max().item() <= max(6 * torch.finfo(torch.float32).eps, 1.5 * theirs), (error.max(), theirs)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "asin", "acosh", "atan", "reciprocal", "expm1"])
def test_complex128_is_true_float64(name):
    fn, z = getattr(torch, name), _samples().to(torch.complex128)
    (got,) = run(fn, z)
    error = (got - fn(z)).abs() / fn(z).abs()
    assert error.max().item() <= 16 * torch.finfo(torch.float64).eps


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, math.inf, -math.inf, math.nan, 1e30, -100.0]


def _halves(tensor):
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor.unsqueeze(-1)


def _same(got, expected):
    """By element: both parts equal with the sign of zero, NaN, or near beside the modulus."""
    got, expected = _halves(got), _halves(expected)
    exact = (got == expected) & (got.signbit() == expected.signbit())
    size = expected.abs().nan_to_num(0, 0, 0).amax(-1, keepdim=True)
    near = got.isfinite() & expected.isfinite() & (expected != 0) & ((got - expected).abs() <= 2e-6 * size)
    return (exact | near | (got.isnan() & expected.isnan())).all(-1)


def _check_special(fn, *args):
    """Eager has two answers where its vectors and their tails differ; one of them it must be."""
    (got,) = run(fn, *args)
    vectors = fn(*args)
    tails = torch.cat([fn(*[arg[i : i + 1] for arg in args]) for i in range(len(args[0]))])
    wrong = ~(_same(got, vectors) | _same(got, tails))
    text = [f"{[a[i].item() for a in args]}: {got[i].item()}, eager {vectors[i].item()}, {tails[i].item()}"
            for i in wrong.nonzero().flatten().tolist()]  # fmt: skip
    assert not text, "\n".join(text)


@pytest.mark.parametrize("name", UNARY)
def test_branch_cuts_infinities_and_zeros(name):
    _check_special(getattr(torch, name), torch.tensor([complex(*pair) for pair in itertools.product(SPECIAL, SPECIAL)]))


@pytest.mark.parametrize("name", ["mul", "add", "sub", "div", "pow"])
def test_special_values_of_two(name):
    few = [complex(*pair) for pair in itertools.product([0.0, -0.0, 1.0, -2.0, math.inf, math.nan], repeat=2)]
    pairs = list(itertools.product(few, few))
    if name == "pow":  # by log and exp; exponents of 0 and 1, and bases of 0
        pairs = list(itertools.product(few, [0j, 1 + 0j, 0.5 + 0j])) + [(0j, 1 - 2j), (0j, 2 + 0j), (-1 + 0j, 0.5 + 0j)]
        pairs = [pair for pair in pairs if math.isfinite(abs(pair[0])) and not math.isnan(abs(pair[0]))]
    _check_special(getattr(torch, name), *[torch.tensor(column) for column in zip(*pairs, strict=True)])


# ---- operations ------------------------------------------------------------------------------------------------------

INDEX = torch.tensor([[3, 0], [0, 1], [1, 1]])
X, Y, V = numbers(3, 4), numbers(3, 4, seed=1), numbers(4, seed=2)


def vector(like):
    return V.to(like.dtype)


OPERATIONS = {
    "mul_scalar": lambda x, y: x * (2 - 1j),
    "mul_real": lambda x, y: x * y.real,
    "add_alpha": lambda x, y: torch.add(x, y, alpha=2j),
    "rsub": lambda x, y: 1j - x,
    "div_scalar": lambda x, y: x / (3 + 4j),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=1j),
    "addcdiv": lambda x, y: torch.addcdiv(x, x, y, value=0.5),
    "lerp": lambda x, y: torch.lerp(x, y, 0.75 + 0.25j),
    "pow_tensor": torch.pow,
    "pow_number": lambda x, y: x**3 + x**-2 + x**0.5 + x**2.5 + 2 ** (y * 0.1),
    "eq": lambda x, y: (x == y) | (x != x.conj()) | (x == 1j),
    "logical": lambda x, y: torch.logical_xor(x, y * 0) & torch.logical_not(x),
    "isnan": lambda x, y: torch.isnan(x) | torch.isinf(y) | torch.isfinite(x),
    "sum": lambda x, y: (x.sum(), x.sum(1), x.mean(0, keepdim=True), x.real.sum(dtype=torch.complex64)),
    "prod": lambda x, y: (x.prod(), x.prod(0), x.prod(1, keepdim=True)),
    "scans": lambda x, y: (x.cumsum(1), x.cumprod(0), x.cumprod(1)),
    "variance": lambda x, y: (x.var(), x.std(1), *torch.var_mean(x, 0), *torch.std_mean(x)),
    "norms": lambda x, y: (torch.linalg.norm(x), torch.linalg.vector_norm(x, 1, 0), torch.dist(x, y), x.norm(3)),
    "any": lambda x, y: (x.any(), x.all(1), (x * 0).any()),
    "products": lambda x, y: (
        x @ y.mT,
        x @ vector(x),
        torch.vdot(vector(x), vector(x)),
        torch.dot(vector(x), vector(x)),
        torch.outer(vector(x), vector(x)),
    ),
    "addmm": lambda x, y: torch.addmm(vector(x)[:3], x, y.mH, beta=1j, alpha=2),
    "bmm": lambda x, y: torch.baddbmm(x[None], x[None] * 1j, torch.ones(1, 4, 4, dtype=x.dtype)),
    "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y.conj()),
    "convolution": lambda x, y: torch.nn.functional.conv1d(x[None], y[None, :, :2], vector(x)[:1], padding=1),
    "movement": lambda x, y: (
        torch.cat([x, y]),
        torch.stack([x, y], 1),
        x.flip(0),
        x.roll(1, 1),
        x.tril(),
        x.repeat(2, 1),
    ),
    "padding": lambda x, y: torch.nn.functional.pad(x, (1, 2), value=1.5) + torch.nn.functional.pad(y, (2, 1)),
    "indexing": lambda x, y: (
        x[[2, 0]],
        x[:, 1:],
        x.gather(1, torch.tensor([[3], [0], [1]])),
        x.take_along_dim(INDEX, 1),
    ),
    "scatter": lambda x, y: (
        x.scatter(1, torch.tensor([[3], [0], [1]]), 2j),
        x.scatter_add(0, torch.tensor([[0, 1, 2, 0]]), y),
        x.scatter(1, torch.tensor([[3, 3], [0, 1], [2, 2]]), y, reduce="multiply"),
        x.scatter(1, torch.tensor([[3, 3], [0, 1], [2, 2]]), 2j, reduce="add"),
        x.index_add(0, torch.tensor([1, 1]), y[:2]),
        x.index_put((torch.tensor([0]),), vector(x)),
    ),
    "where": lambda x, y: (torch.where(x.real > 0, x, y), torch.where(x.real > 0, x, 1), x.masked_fill(x.imag > 0, 3j)),
    "casts": lambda x, y: (x.to(torch.complex128), x.real.to(torch.complex64), x.bool(), y.real.double() + x),
    "creation": lambda x, y: (torch.full((2,), 1 + 2j), torch.zeros_like(x), x.new_full((2, 2), 1j), torch.eye(3) * 1j),
    "parts": lambda x, y: (x.real, x.imag, x.conj(), x.conj_physical(), torch.view_as_real(x), x.mH),
    "of_parts": lambda x, y: (
        torch.complex(x.real, y.real),
        torch.polar(x.abs(), y.real),
        torch.view_as_complex(x.real.contiguous().reshape(3, 2, 2)),
    ),
    "constant": lambda x, y: x + torch.tensor([1j, 2, 3, 4 - 1j]),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, dtype):
    outcome = nt.compare_with_eager(OPERATIONS[name], (X.to(dtype), Y.to(dtype)))
    assert outcome.status in (nt.RIGHT, nt.HOST), outcome.detail


# ---- memory ----------------------------------------------------------------------------------------------------------

BOUNDARY = {
    "dense": lambda x: x * 2,
    "transposed": lambda x: (x + 1).T,
    "expanded": lambda x: (x + 1)[None].expand(2, 3, 4),
    "sliced": lambda x: (x + 1)[:, ::2],
    "parts": lambda x: ((x + 1).imag, (x + 1).real),
    "views of one": lambda x: (lambda y: (y, y.real, y[0]))(x + 1),
    "conjugated": lambda x: (x * 2).conj(),
    "number": lambda x: x[0, 0] * 1j,
    "empty": lambda x: x[:0] * 2,
    "input": lambda x: (x.conj(), x[1], x.imag),
}


def _memory(value):
    return [(t.dtype, t.shape, t.stride() if t.numel() else (), t.is_conj()) for t in nt.tensors(value)]


@pytest.mark.parametrize("form", ["dense", "transposed", "conjugated", "strided"])
@pytest.mark.parametrize("name", BOUNDARY)
def test_outputs_lie_as_eagers_and_nothing_is_copied(name, form):
    x = {"dense": X, "transposed": X.reshape(4, 3).T, "conjugated": X.conj(), "strided": numbers(3, 8)[:, ::2]}[form]
    fn = BOUNDARY[name]
    _C.reset_counters()
    got, expected = neuron(fn)(x), fn(x)
    torch.testing.assert_close(got, expected)
    assert _memory(got) == _memory(expected)
    counters = _C.counters()
    assert counters["bytes_copied_in"] == counters["bytes_copied_back"] == 0


def test_views_of_one_output_share_memory():
    y, real = neuron(lambda x: (lambda y: (y, y.real))(x + 1))(X)
    y.zero_()
    assert not real.any()


BY_STRIDES = {
    "input": lambda x: x.as_strided((2, 3), (4, 1)) * 2,
    "transposed": lambda x: (x.T + 1).as_strided((3, 2), (1, 4), 0) * 2,
    "returned": lambda x: (x * 2).as_strided((2, 2), (4, 3), 1),
    "copied": lambda x: torch.as_strided_copy((x + 1).conj(), (2, 2), (4, 1)) * 1j,
    "written": lambda x: torch.as_strided_scatter(x + 1, x[:2, :2] * 1j, (2, 2), (4, 1), 3),
}


@pytest.mark.parametrize("form", ["dense", "offset"])
@pytest.mark.parametrize("name", BY_STRIDES)
def test_read_by_strides(name, form):
    x = X if form == "dense" else numbers(5, 4)[2:]
    torch.testing.assert_close(neuron(BY_STRIDES[name])(x), BY_STRIDES[name](x))


def turned(heads, angles):
    """Rotary positions by a complex product, of heads [B, H, L, D] that lie as [B, L, H, D]."""
    pairs = torch.view_as_complex(heads.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * angles).flatten(-2)


def attended(heads, angles):
    heads = turned(heads, angles)
    return torch.nn.functional.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).flatten(2)


# Eager's product of numbers keeps how they lie; a rule may lay its real parts out in another way.
LAID_OUT = {
    "view": lambda heads, angles: turned(heads, angles).transpose(1, 2).view(1, 8, 24),
    "strides": lambda heads, angles: torch.as_strided(turned(heads, angles) * 1, (2, 3), (12, 1), 1) + 1,
    "attention": attended,
}


@pytest.mark.parametrize("name", LAID_OUT)
def test_real_parts_lie_as_eagers(name):
    generator = torch.Generator().manual_seed(1)
    heads = torch.randn(1, 8, 2, 12, generator=generator).transpose(1, 2)
    args = heads, torch.polar(torch.ones(8, 6), torch.randn(8, 6, generator=generator))
    got, eager = neuron(LAID_OUT[name])(*args), LAID_OUT[name](*args)
    assert got.stride() == eager.stride()
    torch.testing.assert_close(got, eager)


@pytest.mark.parametrize("form", ["dense", "conjugated", "transposed", "negated"])
def test_mutation(form):
    def fn(x):
        x.mul_(2j)
        x[0].add_(1)
        return x.abs()

    def make():
        base = X.clone()
        views = {"dense": base, "conjugated": base.conj(), "transposed": base.T, "negated": torch._neg_view(base)}
        return base, views[form]

    (base, x), (expected, y) = make(), make()
    torch.testing.assert_close(neuron(fn)(x), fn(y))
    torch.testing.assert_close(base, expected)


def test_another_form_than_was_traced():
    """A graph of symbolic sizes is traced for plain memory; a conjugated input is read and written through."""

    def fn(x):
        return x.mul_(1j).abs().sum() + x

    compiled = neuron(fn, dynamic=True)
    for n in (2, 3, 4):
        for conjugated in (False, True):
            base, other = X[:, :n].clone(), X[:, :n].clone()
            x, y = (base.conj(), other.conj()) if conjugated else (base, other)
            torch.testing.assert_close(compiled(x), fn(y))
            torch.testing.assert_close(base, other)


def test_output_of_autograd_can_be_changed():
    x = X.clone().requires_grad_()
    y = neuron(lambda x: x * 2)(x)
    assert not y._is_view()
    y.mul_(1j)  # a view of a custom function's output would refuse
    y.abs().sum().backward()
    torch.testing.assert_close(x.grad, torch.autograd.grad((x * 2j).abs().sum(), x)[0])


@pytest.mark.parametrize("name", ["dense", "conjugated", "parts"])
def test_device_tensors(name):
    x = X.to("neuron")
    fn = BOUNDARY[name]
    _C.reset_counters()
    got = neuron(fn)(x)
    assert _C.counters()["bytes_copied_in"] == 0
    assert all(t.device.type == "neuron" for t in nt.tensors(got))
    back = torch.utils._pytree.tree_map(lambda t: torch.view_as_real(t).cpu() if t.is_complex() and not t.is_conj()
                                        else t.cpu(), got)  # fmt: skip
    expected = torch.utils._pytree.tree_map(
        lambda t: torch.view_as_real(t) if t.is_complex() and not t.is_conj() else t, fn(X)
    )
    torch.testing.assert_close(back, expected)


# ---- gradients -------------------------------------------------------------------------------------------------------

GRADIENTS = {
    "arithmetic": lambda x: x * x.conj() / (x + 2) - x**3,
    "functions": lambda x: torch.tanh(x) + torch.log(x) * torch.sqrt(x) + torch.sin(x),
    "modulus": lambda x: x.abs() * x.angle() + x.real * x.imag,
    "sgn": lambda x: x.sgn(),
    "products": lambda x: x @ x.mH,
    "reductions": lambda x: x.prod(1) + x.cumprod(1).sum(1) + x.std() + x.norm(),
    "movement": lambda x: torch.cat([x[:, 1:], x.flip(1)], 1).T.tril()[1:],
    "polar": lambda x: torch.polar(x.real, x.imag) + torch.view_as_complex(torch.view_as_real(x) * 2),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    def loss(x):
        value = GRADIENTS[name](x)
        return (value.abs() ** 2).sum() + (value.real if value.is_complex() else value).sum()

    x, y = X.clone().requires_grad_(), X.to(torch.complex128).requires_grad_()
    neuron(loss)(x).backward()
    loss(y).backward()
    torch.testing.assert_close(x.grad, y.grad.to(torch.complex64), rtol=2e-4, atol=2e-5)


def test_module():
    layer = torch.nn.Linear(4, 3, dtype=torch.complex64)
    got, expected = neuron(layer)(X), layer(X)
    torch.testing.assert_close(got, expected)
    grads = [torch.autograd.grad((y.abs() ** 2).sum(), layer.parameters()) for y in (got, expected)]
    torch.testing.assert_close(*grads)


# ---- randomness and errors -------------------------------------------------------------------------------------------


def test_random_numbers():
    draw = neuron(lambda: torch.randn(4000, dtype=torch.complex64))
    torch.manual_seed(3)
    first = draw()
    torch.manual_seed(3)
    assert torch.equal(first, draw())
    # Both parts have a variance of 1/2: 4000 draws are off by 1.1 % (one sigma).
    assert abs(first.real.var().item() - 0.5) < 0.06 and abs(first.imag.var().item() - 0.5) < 0.06
    assert abs(torch.corrcoef(torch.view_as_real(first).T)[0, 1].item()) < 0.08


def test_what_cannot_be_is_listed_at_once():
    def fn(x):
        a = x[:, :3]
        return torch.linalg.det(a), torch.linalg.eigvals(a)

    with pytest.raises(Exception) as caught:
        neuron(fn)(X)
    text = str(caught.value)
    assert "2 operations of this graph cannot be compiled" in text
    assert "aten._linalg_det.default(complex64[3, 3])" in text and "torch.linalg.det(a)" in text


def test_half_precision_is_refused():
    with pytest.raises(Exception, match="complex32"):
        neuron(lambda x: x * 2)(X.to(torch.complex32))


# ---- eager on the device ---------------------------------------------------------------------------------------------

EAGER = {
    "arithmetic": lambda x: (x * 1j + 2) / x,
    "conjugated": lambda x: x.conj() @ x.mT + (x.conj() * x).sum(),
    "functions": lambda x: torch.tanh(x) + x.exp().log() + x.abs() * x.angle(),
    "in place": lambda x: x.clone().mul_(2j).add_(x.real).fill_(1j).zero_(),
    "moved": lambda x: torch.cat([x, x.flip(1)], 1)[:, 1::2].contiguous(),
    "casts": lambda x: (x.to(torch.complex128), x.conj().to(torch.complex128), x.real.to(torch.complex64), x.bool()),
    "conjugated copy": lambda x: torch.zeros_like(x).copy_(x.conj()),
    "transforms": lambda x: (torch.fft.fft(x), torch.fft.irfft(x), torch.fft.rfft(x.real), torch.fft.fft2(x.mT)),
}


@pytest.mark.parametrize("name", EAGER)
def test_eager_on_the_device(name):
    torch_neuronx.clear_op_tracking()
    got = EAGER[name](X.to("neuron"))
    assert torch_neuronx.get_executed_ops() and not torch_neuronx.get_fallback_ops()
    for g, e in zip(nt.tensors(got), nt.tensors(EAGER[name](X)), strict=True):
        torch.testing.assert_close(g.cpu(), e)
