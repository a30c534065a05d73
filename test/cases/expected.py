"""What becomes of each case on backend 'neuron'; cases not named here pass."""

# Raises NEFFCompilationError, because of exactly these classes of kernels
# (test/python/kernel_classes.py): classes -> cases.
_REFUSED = {
    "data-dependent": """
        boolean_mask_assignment
    """,
}
EXPECTED: dict[str, str] = {
    name: classes for classes, names in _REFUSED.items() for name in names.split()
}

# Fails otherwise: the cause.
CAUSES: dict[str, str] = {}
