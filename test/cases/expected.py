"""What becomes of each case on backend 'neuron'; cases not named here pass."""

# Raises NEFFCompilationError, because of exactly these classes of kernels
# (test/python/kernel_classes.py): case -> classes.
EXPECTED: dict[str, str] = {}

# Fails otherwise: the cause.
CAUSES: dict[str, str] = {}
