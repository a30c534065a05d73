"""Which class of device kernels an ATen overload that cannot be compiled needs.

What compiles now: elementwise, broadcast, casts, reductions, views, indexing, scans,
sorts, random numbers. What belongs to another class has to raise NEFFCompilationError, and the
tests count it by the class named here.
"""

from __future__ import annotations

import re

# class -> the overload packets it is for, as whole names or prefixes with '*'
_CLASSES = {
    "matmul": "*_mm_* _scaled_mm _int_mm",
    "attention": "_scaled_dot_product*",
    "convolution": "convolution_backward",
    "pooling": "max_pool*_backward avg_pool*_backward _adaptive_*_backward adaptive_*_backward fractional_max_pool*",
    "resize": "*upsample*_backward _upsample*_aa grid_sampler_*_backward grid_sampler_3d",
    "indexing": "_embedding_bag*",
    "layout": "as_strided*",
    "distribution": "philox_* inductor_* binomial rrelu*_backward",
    "data-dependent": "nonzero* masked_select _local_scalar_dense item "
    "repeat_interleave equal allclose unique* _unique2 bincount",
    "linear algebra": "linalg_* _linalg_* cholesky* lu_* geqrf ormqr svd qr triangular_solve pinverse "
    "matrix_exp logdet _cholesky*",
    # Of an operation that checks what it is given.
    "effects": "with_effects",
    "distance": "_cdist_backward _pdist_backward",
    "fourier": "_fft_* fft_*",
    "hash": "hash_tensor",
}

_EXACT: dict[str, str] = {}
_PATTERNS: list[tuple[re.Pattern, str]] = []
for _name, _ops in _CLASSES.items():
    for _op in _ops.split():
        if "*" in _op:
            _PATTERNS.append((re.compile(_op.replace("*", ".*") + r"\Z"), _name))
        else:
            _EXACT[_op] = _name


def kernel_class(target: str, reason: str = "") -> str | None:
    """The class for "aten.mm.default" and the like; None: it should compile."""
    if "depends on data" in reason or "known only when the graph runs" in reason:
        return "data-dependent"
    if "share memory" in reason:
        return "overlapping"
    if "float4" in reason:
        return "float4"
    packet = target.split(".")[1] if target.count(".") else target
    if packet in _EXACT:
        return _EXACT[packet]
    for pattern, name in _PATTERNS:
        if pattern.match(packet):
            return name
    return "complex" if "complex32" in reason else None
