"""Eager on the device: ATen operations that run on the CPU, and why; and samples that differ from eager CPU.

A name in FALLBACKS may run on the CPU; any other operation that does is an error.
"""

_FACTORISATION = "a factorisation of linear algebra: no program for it yet"
_DATA = "the shape of its result depends on data"

FALLBACKS = {
    **dict.fromkeys(
        [
            "aten::_linalg_det", "aten::_linalg_eigh", "aten::_linalg_eigvals",
            "aten::_linalg_slogdet", "aten::_linalg_solve_ex", "aten::_linalg_svd", "aten::cholesky",
            "aten::geqrf", "aten::linalg_cholesky_ex", "aten::linalg_eig",
            "aten::linalg_householder_product", "aten::linalg_inv_ex", "aten::linalg_ldl_factor_ex",
            "aten::linalg_ldl_solve", "aten::linalg_lstsq", "aten::linalg_lu", "aten::linalg_lu_factor_ex",
            "aten::linalg_lu_solve", "aten::linalg_matrix_exp", "aten::linalg_qr",
            "aten::lu_unpack", "aten::ormqr",
        ],
        _FACTORISATION,
    ),
    **dict.fromkeys(
        [
            "aten::_unique", "aten::_unique2", "aten::index_put", "aten::_index_put_impl_", "aten::masked_select",
            "aten::nonzero", "aten::nonzero_static", "aten::unique_consecutive", "aten::unique_dim", "aten::bincount",
            "aten::index", "aten::repeat_interleave",
        ],
        _DATA,
    ),
    **dict.fromkeys(
        ["aten::_ctc_loss", "aten::_ctc_loss_backward", "aten::embedding_renorm_", "aten::hash_tensor"],
        "no lowering and no decomposition yet",
    ),
}  # fmt: skip

#: Operators whose results are random, or one of several right ones: shapes and dtypes are compared.
ARBITRARY = (
    "rand", "bernoulli", "dropout", "normal", "empty", "multinomial", "exponential", "geometric", "cauchy", "uniform",
    "poisson", "feature_alpha", "rrelu", "fractional", "svd", "eig", "lowrank", "multi_head_attention",
    "scaled_dot_product_attention", "pca", "qr", "lstsq", "pinv",
)  # fmt: skip

#: Not compared at all.
SKIPPED = {
    "as_strided.partial_views": "the sample is a view of a larger storage, which a copy to the device has not",
    "to_sparse": "sparse tensors have no kernels on the device",
    "sparse.sampled_addmm": "sparse tensors have no kernels on the device",
    "sparse.mm.reduce": "sparse tensors have no kernels on the device",
    "tensor_split": "the sample has indices on the device, which PyTorch wants on the CPU",
    "sort": "unstable: the order of equal elements is anybody's",
    "argsort": "unstable: the order of equal elements is anybody's",
    "kthvalue": "which of equal elements is told is anybody's",
    "topk": "which of equal elements is told is anybody's",
    "mode": "which of equal elements is told is anybody's",
    "grid_sampler_3d": "minutes of interpreted gathers; nn.functional.grid_sample has smaller samples",
}

#: (operator, dtype): cause.
DIFFERS = {
    ("addr", "float32"): "eager multiplies NaN by alpha=0, the decomposition leaves the product out",
    ("native_layer_norm", "bfloat16"): "mean and rstd are float32, as PyTorch's rule for devices has them, on the CPU not",
    ("native_group_norm", "bfloat16"): "mean and rstd are float32, as PyTorch's rule for devices has them",
    ("histc", "bfloat16"): "as torch.compile (opinfo_expected.py): eager finds the bins in bfloat16",
}
