"""torch_neuronx: torch.compile(backend='neuron')."""

import torch  # noqa: F401  (its libraries must be loaded before _C)

__version__ = "0.1.0"

from . import metrics  # noqa: E402
from .metrics import get_dynamo_metrics, reset_dynamo_metrics  # noqa: E402

__all__ = ["__version__", "get_dynamo_metrics", "metrics", "reset_dynamo_metrics"]
