"""The next float16 and bfloat16: of every value, as in eager, bit for bit."""

import pytest
import torch
from torch_neuronx import _C
from torch_neuronx.neuron_dynamo_backend.compile import compile_static


@pytest.mark.parametrize("rounding", ["eager", "default"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_every_value(dtype, rounding):
    x = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16).view(dtype)
    targets = torch.tensor([float("inf"), -float("inf"), 0.0, -0.0, 1.0, 1e-7, float("nan")], dtype=dtype)
    args = (x, targets[:, None])
    graph = torch.fx.experimental.proxy_tensor.make_fx(torch.nextafter, tracing_mode="fake")(*args)
    (got,) = compile_static(graph, "inference", _C.Options({"rounding": rounding}))(list(args))
    want = torch.nextafter(*args)
    same = (got.view(torch.int16) == want.view(torch.int16)) | (got.isnan() & want.isnan())
    assert same.all(), (x.expand_as(same)[~same][:5], got[~same][:5], want[~same][:5])
