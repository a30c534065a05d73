"""The published experiment: three profiles of RMSNorm on randn(4, 512) in bfloat16.

naive.py, fused.py and compiled.py are scripts as a user writes them; each profiles itself and prints the table.
`python -m torch_neuronx.demo.experiment` runs them and sets their totals beside the published ones.
"""
