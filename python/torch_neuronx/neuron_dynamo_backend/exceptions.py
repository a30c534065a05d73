"""The errors that a user of backend='neuron' sees."""

from torch._dynamo.exc import ShortenTraceback


class NeuronError(Exception):
    """Whatever torch_neuronx raises by itself."""


class NEFFCompilationError(NeuronError, ShortenTraceback):
    """A graph cannot be compiled. The message lists every operation that stands in the way.

    Dynamo raises it as it is (as it does Inductor's), not wrapped in BackendCompilerFailed.
    """


class NEFFExecutionError(NeuronError, RuntimeError):
    """A compiled graph cannot be run, or failed while it ran."""
