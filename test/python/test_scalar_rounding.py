"""Numbers beside short floating tensors: rounded to the tensor's dtype, or taken in float32, as eager does.

The device computes with eager rounding, so the results are equal bit for bit.
"""

import pytest
import torch
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend.compile import compile_static

VALUE = 0.1237  # exact in none of the short dtypes
F = torch.nn.functional

# With a Python number or a 0-dim tensor on the right.
BOTH = {
    "add": lambda x, s: x + s,
    "sub": lambda x, s: x - s,
    "rsub": lambda x, s: s - x,
    "mul": lambda x, s: x * s,
    "div": lambda x, s: x / s,
    "floor_div": lambda x, s: torch.div(x, s, rounding_mode="floor"),
    "trunc_div": lambda x, s: torch.div(x, s, rounding_mode="trunc"),
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "clamp_min": lambda x, s: torch.clamp(x, min=s),
    "clamp_max": lambda x, s: torch.clamp(x, max=s),
    "lt": lambda x, s: x < s,
    "eq": lambda x, s: x == s,
    "where": lambda x, s: torch.where(x > 0, x, s),
    "masked_fill": lambda x, s: x.masked_fill(x > 0, s),
    "copysign": torch.copysign,
}
TENSOR = {
    "mul_left": lambda x, s: s * x,
    "div_left": lambda x, s: s / x,
    "maximum": torch.maximum,
    "fmax": torch.fmax,
}
NUMBER = {
    "addcmul": lambda x, s: torch.addcmul(x, x, x + 1, value=s),
    "addcdiv": lambda x, s: torch.addcdiv(x, x, x + 4, value=s),
    "leaky_relu": F.leaky_relu,
    "threshold": lambda x, s: F.threshold(x, s, 7.77),
    "pow_2": lambda x, s: x**2,
    "pow_3": lambda x, s: x**3,
    "pow_-1": lambda x, s: x**-1,
    "pow_-2": lambda x, s: x**-2,
}


def check(fn, x, scalar):
    from torch_neuronx.neuron_dynamo_backend.decompositions import get_decomposition_table

    args = (x, scalar) if isinstance(scalar, torch.Tensor) else (x,)
    call = fn if len(args) == 2 else lambda x: fn(x, scalar)
    gm = torch.fx.experimental.proxy_tensor.make_fx(
        call, tracing_mode="fake", decomposition_table=get_decomposition_table()
    )(*args)
    (got,) = compile_static(gm, "inference", _C.Options({"rounding": "eager"}))(list(args))
    want = fn(x, scalar)
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", [*BOTH, *TENSOR, *NUMBER])
def test_scalar(name, dtype):
    x = (torch.randn(64, 32, generator=torch.Generator().manual_seed(1)) * 3).to(dtype)
    fn = BOTH.get(name) or TENSOR.get(name) or NUMBER[name]
    if name not in TENSOR:
        check(fn, x, VALUE)
    if name not in NUMBER:
        for scalar_dtype in (torch.float64, torch.float32, dtype):
            check(fn, x, torch.tensor(VALUE, dtype=scalar_dtype))


@pytest.mark.parametrize("fn", [torch.logical_and, torch.logical_or, torch.logical_xor])
@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (torch.tensor(256), torch.int8),
        (torch.tensor(1e-300, dtype=torch.float64), torch.float32),
        (torch.tensor(1e-9), torch.float16),
        (torch.tensor(0.5), torch.int64),
        (torch.tensor(256), torch.bool),
    ],
)
def test_logical(fn, number, dtype):
    """A number may be zero in the tensor's dtype, but for integers beside which it is a float."""
    x = torch.tensor([1, 0, 3]).to(dtype)
    gm = torch.fx.experimental.proxy_tensor.make_fx(lambda x, s: (fn(x, s), fn(s, x)))(x, number)
    got = compile_static(gm, "inference", _C.Options())([x, number])
    assert [value.tolist() for value in got] == [fn(x, number).tolist(), fn(number, x).tolist()]
