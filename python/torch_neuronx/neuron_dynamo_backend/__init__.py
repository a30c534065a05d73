"""The compiler behind torch.compile(backend='neuron')."""

from ..metrics import NeuronCompilationMetrics, get_dynamo_metrics, reset_dynamo_metrics
from .backend import create_neuron_backend, neuron_backend
from .exceptions import NEFFCompilationError, NEFFExecutionError, NEFFIndexError, NeuronError
from .formats import (
    OutputType,
    fx_to_mlir_string,
    load_mlir,
    save_fx_as_mlir,
    save_fx_graph_all_formats,
    save_fx_graph_txt,
    save_mlir,
)
from .names import get_model_name, get_rank, set_model_name

__all__ = [
    "NEFFCompilationError",
    "NEFFExecutionError",
    "NEFFIndexError",
    "NeuronCompilationMetrics",
    "NeuronError",
    "OutputType",
    "create_neuron_backend",
    "fx_to_mlir_string",
    "get_dynamo_metrics",
    "get_model_name",
    "get_rank",
    "load_mlir",
    "neuron_backend",
    "reset_dynamo_metrics",
    "save_fx_as_mlir",
    "save_fx_graph_all_formats",
    "save_fx_graph_txt",
    "save_mlir",
    "set_model_name",
]
