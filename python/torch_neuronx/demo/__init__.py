"""What torch.compile(backend='neuron') does, step by step: python -m torch_neuronx.demo

Everything that is printed is checked; a failed check makes the exit status 1.
"""
