"""The errors that a user of backend='neuron' sees."""

from torch._dynamo.exc import ShortenTraceback


class NeuronError(ShortenTraceback):
    """Whatever torch_neuronx raises by itself; a RuntimeError.

    Dynamo raises it as it is (as it does Inductor's errors), not wrapped in BackendCompilerFailed.
    """

    def __init__(self, *args, first_useful_frame=None):
        super().__init__(*args, first_useful_frame=first_useful_frame)


class NEFFCompilationError(NeuronError):
    """A graph cannot be compiled. The message lists every operation that stands in the way."""


class NEFFExecutionError(NeuronError):
    """A compiled graph cannot be loaded or run, or failed while it ran."""


class NEFFIndexError(NEFFExecutionError, IndexError):
    """An index was out of bounds while a compiled graph ran. Eager raises an IndexError or a RuntimeError."""
