"""PyTorch's own table of modules (module_db): forward, gradients and buffers of a training step, against eager.

A module has one sample here, or with NEURON_MODULES=full all of them, in training and in evaluation.
"""

import copy
import os
import warnings

import neuron_testing as nt
import pytest
import torch
from torch.testing._internal.common_modules import module_db
from torch.utils import _pytree

FULL = os.environ.get("NEURON_MODULES") == "full"
# What sums over some hundred terms of about 1 are off by. Measured over all samples: 4e-6 at most.
TOLERANCE = 2e-5

# Compared with another backend than eager: the cause.
REFERENCE = {
    # Without reduction, PyTorch's decomposition of one row gives [1] where eager gives [].
    "nn.MultiLabelMarginLoss": "aot_eager",
}


def samples(module, training):
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = module.module_inputs_func(
            module, device="cpu", dtype=torch.float32, requires_grad=True, training=training
        )
        made = [sample for sample in made if sample.forward_input is not None]
    # One that is neither the first, which has the defaults, nor always the last.
    return made if FULL else made[(len(made) - 1) // 2 :][:1]


def step(module, sample, training, backend):
    """Outputs, gradients of all that wants one, and buffers, after one step."""
    torch.manual_seed(1)
    torch._dynamo.reset()
    made = module.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
    made = made.to(torch.float32).train(training)

    def leaf(value):
        return value.detach().clone().requires_grad_(value.requires_grad) if torch.is_tensor(value) else value

    given = sample.forward_input.args, sample.forward_input.kwargs
    args, kwargs = _pytree.tree_map(leaf, copy.deepcopy(given))
    call = torch.compile(made, backend=backend, fullgraph=True, dynamic=False) if backend else made
    torch.manual_seed(2)
    outputs = nt.tensors(call(*args, **kwargs))
    gradients = []
    wanting = [t for t in (*nt.tensors((args, kwargs)), *made.parameters()) if t.requires_grad]
    if roots := [out for out in outputs if out.requires_grad]:
        weights = torch.Generator().manual_seed(3)
        loss = sum((out * torch.rand(out.shape, generator=weights)).sum() for out in roots)
        gradients = torch.autograd.grad(loss, wanting, allow_unused=True)
    return {"output": outputs, "gradient": gradients, "buffer": list(made.buffers())}


def compiles(module, sample, training):
    try:
        step(module, sample, training, "aot_eager")
    except Exception:
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("training", [False, True], ids=["evaluation", "training"])
@pytest.mark.parametrize("module", module_db, ids=lambda module: module.name)
def test_module(module, training):
    for sample in samples(module, training):
        try:
            expected = step(module, sample, training, REFERENCE.get(module.name))
        except Exception as error:
            pytest.skip(f"eager raises {type(error).__name__}")
        try:
            got = step(module, sample, training, nt.BACKEND)
        except Exception:
            if compiles(module, sample, training):
                raise
            pytest.skip("aot_eager cannot compile it with fullgraph")
        for kind, wanted in expected.items():
            for index, (mine, theirs) in enumerate(zip(got[kind], wanted, strict=True)):
                where = f"{kind} {index}: "
                torch.testing.assert_close(
                    mine, theirs, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True, msg=where.__add__
                )
