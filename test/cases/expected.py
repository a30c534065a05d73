"""What becomes of each case on backend 'neuron'; cases not named here pass."""

# Raises NEFFCompilationError, because of these classes of kernels (in order).
EXPECTED: dict[str, str] = {}

# Fails otherwise: the cause.
CAUSES: dict[str, str] = {}
