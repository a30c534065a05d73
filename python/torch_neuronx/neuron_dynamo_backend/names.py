"""Names of models, graphs and processes, as they appear in metrics and dumped files."""

import re
import threading

_lock = threading.Lock()
_model_name = "model_default"
_counts: dict = {}


def set_model_name(name: str) -> None:
    """Names the graphs that are compiled from now on."""
    global _model_name
    if not isinstance(name, str) or not name:
        raise ValueError(f"a model name is a non-empty string, got {name!r}")
    _model_name = name


def get_model_name() -> str:
    return _model_name


def get_rank() -> int:
    """The rank in torch.distributed, else 0."""
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        return dist.get_rank()
    return 0


def graph_name(model: str, role: str) -> str:
    """'<model>_<aot id>_<inference|forward|backward>_<n>', n counting the graphs of that model and role."""
    from torch._functorch.aot_autograd import get_aot_graph_name

    # "model__<aot id>_<role>_<n>"; outside AOTAutograd there is no id.
    found = re.search(r"__(\d+)_", get_aot_graph_name() or "")
    with _lock:
        number = _counts[(model, role)] = _counts.get((model, role), -1) + 1
    return f"{model}_{found[1] if found else 0}_{role}_{number}"
