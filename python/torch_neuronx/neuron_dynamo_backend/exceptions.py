"""The errors that a user of backend='neuron' sees."""


class NeuronError(Exception):
    """Whatever torch_neuronx raises by itself."""


class NEFFCompilationError(NeuronError):
    """A graph cannot be compiled. The message lists every operation that stands in the way."""


class NEFFExecutionError(NeuronError):
    """A compiled graph cannot be run, or failed while it ran."""
