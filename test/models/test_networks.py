"""Known networks, whole: one graph, one NEFF, right numbers."""

import networks
import pytest
import torch
from accuracy import check

NETWORKS = {
    "gpt2": lambda: (networks.gpt2(), (networks.tokens(512, 2, 48),)),
    "gpt2 written out": lambda: (networks.gpt2("eager"), (networks.tokens(512, 1, 33),)),
    "llama": lambda: (networks.llama(), (networks.tokens(128, 2, 24),)),
    "vit": lambda: (networks.vit(), (networks.image(2, 3, 32, 32),)),
    "resnet18": lambda: (networks.resnet18(), (networks.image(1, 3, 64, 64),)),
    "lstm": lambda: (networks.lstm(), (networks.image(6, 3, 24),)),
    "unet": lambda: (networks.unet(), (networks.image(2, 3, 16, 12),)),
    "mlp": lambda: (networks.mlp(), (networks.image(5, 30, 96),)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", NETWORKS)
def test_network(name, dtype):
    model, args = NETWORKS[name]()
    with torch.no_grad():
        check(model, args, dtype)
