"""torch_neuronx: torch.compile(backend='neuron')."""
__version__ = "0.1.0"
