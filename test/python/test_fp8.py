"""The 8-bit floats: casts as c10's for every code, movement bit for bit, products; beside eager CPU.

Through torch.compile in both forms of the simulator, and in eager on the device.
"""

import neuron_testing as nt
import pytest
import torch
import torch.nn.functional as F

E4M3FN, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
E4M3FNUZ, E5M2FNUZ, E8M0FNU = torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu
FLOAT8 = [E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ, E8M0FNU]
OTHERS = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.bool]
OTHERS += [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]

each_form = pytest.mark.parametrize("form", ["interpreter", "compiled"])
each_float8 = pytest.mark.parametrize("dtype", FLOAT8, ids=lambda d: str(d).removeprefix("torch.float8_"))


def codes(dtype, *shape):
    """Every code once, or a tensor of some."""
    if not shape:
        return torch.arange(256, dtype=torch.uint8).view(dtype)
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, 256, shape, generator=generator, dtype=torch.uint8).view(dtype)


def numbers(dtype, *shape):
    """Numbers of some size: products of them keep clear of overflow."""
    generator = torch.Generator().manual_seed(1)
    return torch.randn(shape, generator=generator).to(dtype)


def bits(tensor):
    """The codes of 8-bit floats; every NaN is one."""
    if tensor.dtype not in FLOAT8:
        return tensor
    tensor = tensor.contiguous()
    return torch.where(tensor.isnan(), torch.full((), 0xFFFF), tensor.view(torch.uint8).long())


def assert_bits(got, expected):
    got, expected = nt.tensors(got), nt.tensors(expected)
    assert len(got) == len(expected)
    for g, e in zip(got, expected):
        assert g.dtype == e.dtype and g.shape == e.shape
        torch.testing.assert_close(bits(g.cpu()), bits(e), rtol=0, atol=0, equal_nan=True)


def compiled(fn):
    torch._dynamo.reset()
    return torch.compile(fn, backend="neuron", fullgraph=True, dynamic=False)


def check(fn, *args):
    """fn compiled, and operation by operation on the device."""
    expected = fn(*args)
    before = nt.executions()
    assert_bits(compiled(fn)(*args), expected)
    assert nt.executions() > before
    assert_bits(fn(*[arg.to("neuron") for arg in args]), expected)


def halfway(dtype):
    """float32 around every number of `dtype` and every middle of two; and what rounding must get right."""
    finite = codes(dtype).float()
    finite = finite[finite.isfinite()].double().unique()
    middle = (finite[1:] + finite[:-1]) / 2
    beyond = finite[-1] * torch.tensor([1.03, 1.0625, 1.07, 1.125, 1.2, 1.5, 2.0])
    points = torch.cat([finite, middle, beyond, -beyond]).float()
    up, down = torch.tensor(float("inf")), torch.tensor(-float("inf"))
    points = torch.cat([points, torch.nextafter(points, up), torch.nextafter(points, down)])
    specials = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-45, -1e-45, 3e38, -3e38])
    random = torch.randint(-(2**31), 2**31, (4096,), generator=torch.Generator().manual_seed(2)).int()
    return torch.cat([points, specials, random.view(torch.float32)])


@each_form
@each_float8
def test_every_code_in_every_dtype(dtype, form, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", form)

    def fn(x):
        return [x.to(other) for other in OTHERS + FLOAT8]

    x = codes(dtype)
    # What integer a NaN becomes differs within eager itself, by the place of the element.
    numbers = ~x.float().isnan()

    def settled(results):
        return [r if r.is_floating_point() or r.dtype == torch.bool else r[numbers] for r in results]

    assert_bits(settled(compiled(fn)(x)), settled(fn(x)))


@each_form
@each_float8
def test_every_half_to_float8(dtype, form, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", form)

    def fn(x, y):
        return x.to(dtype), y.to(dtype)

    x = torch.arange(-(2**15), 2**15).short()
    args = x.view(torch.bfloat16), x.view(torch.float16)
    assert_bits(compiled(fn)(*args), fn(*args))


@each_form
@each_float8
def test_float32_and_others_to_float8(dtype, form, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", form)

    def fn(*args):
        return [x.to(dtype) for x in args]

    x = halfway(dtype)
    # Eager rounds float64 to float32 first: what lies a little beside a middle goes to it.
    y = x.double() * (1 + 2.0**-30)
    integers = torch.cat([torch.arange(-600, 600), torch.tensor([2**24 + 1, 2**62, -(2**63), 57344, 61440, 65536])])
    args = x, y, integers, integers.int(), integers.short(), integers.char(), integers.byte(), integers % 2 == 0
    assert_bits(compiled(fn)(*args), fn(*args))


@each_float8
def test_a_rounding_in_a_kernel(dtype):
    x = halfway(dtype)
    check(lambda x: ((x * 2).to(dtype), (x * 2).to(dtype).float() + 1), x)


INDEX = torch.tensor([3, 0, 3, 1])
MOVEMENT = {
    "clone": lambda x: x.clone(),
    "cat": lambda x: torch.cat([x, x[:, :3]], 1),
    "stack": lambda x: torch.stack([x, x.flip(0)]),
    "index": lambda x: x[INDEX.to(x.device)],
    "index of two": lambda x: x[INDEX.to(x.device), INDEX.to(x.device)],
    "index_select": lambda x: x.index_select(1, INDEX.to(x.device)),
    "embedding": lambda x: F.embedding(INDEX.to(x.device), x),
    "mask": lambda x: torch.where(x.float() > 0, x, x.flip(0)),
    "flip": lambda x: x.flip(0),
    "transpose": lambda x: x.t().contiguous(),
    "permute": lambda x: x.reshape(5, 2, 4).permute(2, 0, 1).contiguous(),
    "slice": lambda x: x[1::2, 2:].contiguous(),
    "slice_scatter": lambda x: x.slice_scatter(x[:2, :4], 0, 1, 3) if x.size(1) == 4 else x.roll(1),
    "select_scatter": lambda x: x.select_scatter(x[0], 0, 2),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1), value=0.5),
    "circular pad": lambda x: F.pad(x[None], (1, 2), mode="circular"),
    "expand": lambda x: x[:, :1].expand(5, 6).contiguous(),
    "repeat": lambda x: x.repeat(2, 3),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 0),
    "roll": lambda x: x.roll(3, 1),
    "diagonal": lambda x: x.diagonal().contiguous(),
    "diag_embed": lambda x: torch.diag_embed(x),
    "unfold": lambda x: x.unfold(1, 3, 2).contiguous(),
    "as_strided": lambda x: x.as_strided((3, 4), (7, 2)).contiguous(),
    "block_diag": lambda x: torch.block_diag(x, x),
    "split": lambda x: [part.clone() for part in x.split(3, 1)],
}


@each_float8
@pytest.mark.parametrize("name", MOVEMENT)
def test_movement(name, dtype):
    check(MOVEMENT[name], codes(dtype, 5, 8))


@each_form
def test_long_rows_move(form, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", form)
    x = codes(E4M3FN, 300, 700)

    def fn(x):
        return x.t().contiguous(), torch.cat([x, x[:, 1:]], 1), torch.where(x.float() > 0, x, x[:1])

    assert_bits(compiled(fn)(x), fn(x))


@each_float8
def test_index_put(dtype):
    if dtype == E8M0FNU:
        pytest.skip("eager has none")
    x, values = numbers(dtype, 5, 8), numbers(dtype, 4, 8)

    def fn(x, values, index):
        # Eager rounds after every addition, the device once: an index is named once.
        return x.index_put((index[1:],), values[1:], accumulate=True), x.index_put((index.flip(0)[:3],), values[:3])

    check(fn, x, values, INDEX)


CREATION = {
    "zeros": lambda x: torch.zeros_like(x),
    "ones": lambda x: torch.ones_like(x),
    "full": lambda x: torch.full_like(x, 3.3),
    "new_full": lambda x: x.new_full((2, 3), 1.7),
    "fill": lambda x: torch.fill(x, 0.3),
    "scalar_tensor": lambda x: torch.scalar_tensor(2.6, dtype=x.dtype, device=x.device),
    "eye": lambda x: torch.eye(4, dtype=x.dtype, device=x.device),
}


@each_float8
@pytest.mark.parametrize("name", CREATION)
def test_creation(name, dtype):
    check(CREATION[name], codes(dtype, 5, 8))


ELEMENTWISE = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "isnan": lambda x, y: x.isnan(),
    "isfinite": lambda x, y: x.isfinite(),
    "isinf": lambda x, y: x.isinf(),
    "abs": lambda x, y: x.abs(),
    "mul": lambda x, y: x * y,
    "all": lambda x, y: (x.all(), x.all(0)),
    "any": lambda x, y: (x.any(), x.any(1)),
}


@each_float8
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name, dtype):
    fn = ELEMENTWISE[name]
    x = codes(dtype).reshape(16, 16)
    y = x.flip(0).clone()
    y[::3] = x[::3]
    try:
        fn(x, y)
    except (NotImplementedError, RuntimeError):
        pytest.skip("eager has none")
    check(fn, x, y)


@each_form
@each_float8
def test_bits(dtype, form, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", form)

    def fn(x):
        byte = x.view(torch.uint8)
        return byte ^ 0x81, (byte ^ 1).view(x.dtype), x.view(torch.int8) + 1

    x = codes(dtype)
    assert_bits(compiled(fn)(x), fn(x))


@each_form
def test_bits_of_wider_types(form, monkeypatch):
    monkeypatch.setenv("NEURON_MLIR_SIMULATOR", form)

    def fn(x):
        y = x * 2
        sign = (y.view(torch.int32) ^ -(2**31)).view(torch.float32)
        return sign, sign.to(torch.bfloat16), x.double().view(torch.int64)

    x = torch.randn(6, 40)
    assert_bits(compiled(fn)(x), fn(x))


def test_bits_on_the_device():
    x = codes(E5M2).neuron()
    assert_bits(x.view(torch.uint8), x.cpu().view(torch.uint8))
    assert_bits(x.view(torch.uint8).view(E4M3FN).float(), x.cpu().view(E4M3FN).float())


def test_bits_as_another_width_are_refused():
    with pytest.raises(Exception, match="another width"):
        compiled(lambda x: x.view(torch.uint8) + 1)(torch.randn(8))


def assert_near(got, expected, exact, ulp):
    """Both are one rounding off `exact`, which float32 sums may put on the other side of a middle."""
    got, expected = got.cpu().double(), expected.double()
    slack = ulp * exact.abs() + 1e-4 * exact.abs().max()
    assert ((got - exact).abs() <= slack).all() and ((expected - exact).abs() <= slack).all()


@pytest.mark.parametrize("dtype", FLOAT8[:4], ids=str)
def test_products(dtype):
    a, b, c = numbers(dtype, 20, 300), numbers(dtype, 300, 12), numbers(dtype, 20, 12)
    ulp = 2.0 ** -(3 if dtype in (E5M2, E5M2FNUZ) else 4)
    exact = a.double() @ b.double()
    for fn, right in {
        lambda a, b, c: torch.mm(a, b): exact,
        lambda a, b, c: torch.addmm(c, a, b): exact + c.double(),
        lambda a, b, c: F.linear(a, b.t()): exact,
    }.items():
        assert_near(compiled(fn)(a, b, c), fn(a, b, c), right, ulp)
        assert_near(fn(a.neuron(), b.neuron(), c.neuron()), fn(a, b, c), right, ulp)


SCALED = {
    "numbers": ((), ()),
    "one element": ((1,), (1,)),
    "rows and columns": ((20, 1), (1, 16)),
}


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("scales", SCALED)
@pytest.mark.parametrize("out", [torch.float32, torch.bfloat16, torch.float16, None], ids=str)
@pytest.mark.parametrize("dtype", [E4M3FN, E5M2], ids=str)
def test_scaled_mm(dtype, out, scales, bias):
    a, b = numbers(dtype, 20, 304), numbers(dtype, 16, 304).t()  # eager wants multiples of 16
    generator = torch.Generator().manual_seed(3)
    scale_a, scale_b = [torch.rand(shape, generator=generator) + 0.1 for shape in SCALED[scales]]
    added = torch.randn(16, generator=generator).to(out if out in (torch.bfloat16, torch.float16) else torch.float32)

    def fn(a, b, scale_a, scale_b, added):
        return torch._scaled_mm(a, b, scale_a, scale_b, bias=added if bias else None, out_dtype=out)

    args = a, b, scale_a, scale_b, added
    try:
        expected = fn(*args)
    except (NotImplementedError, RuntimeError) as error:
        pytest.skip(f"eager has none: {error}")
    exact = (a.double() * scale_a) @ (b.double() * scale_b)
    exact = exact + added.double() if bias else exact
    ulp = {torch.float32: 1e-5, torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}
    slack = ulp.get(out, 2.0 ** -(4 if dtype == E4M3FN else 3))
    got = compiled(fn)(*args)
    assert got.dtype == expected.dtype
    assert_near(got, expected, exact, slack)
    got = fn(*[arg.neuron() for arg in args])
    assert got.dtype == expected.dtype
    assert_near(got, expected, exact, slack)


def test_float8_stays_float8_on_the_device():
    x = codes(E4M3FN, 4, 4)
    there = x.neuron()
    assert there.dtype == E4M3FN and there.element_size() == 1
    there[1] = there[0]
    x[1] = x[0]
    assert_bits(there, x)


def test_float4_is_refused():
    x = torch.zeros(4, 4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    with pytest.raises(Exception, match="float4_e2m1fn_x2"):
        compiled(lambda x: torch.cat([x, x]))(x)
