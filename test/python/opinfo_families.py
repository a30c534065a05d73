"""The OpInfos of the kernel classes beside row kernels, by family; what else is selected is a row kernel."""

from __future__ import annotations

_FAMILIES = {
    "movement": """
        cat concat concatenate stack hstack vstack dstack column_stack block_diag _chunk_cat flip fliplr flipud roll
        rot90 repeat tile nn.functional.pad.constant nn.functional.pad.reflect nn.functional.pad.replicate
        nn.functional.pad.replicate_negative nn.functional.pad.circular constant_pad_nd nn.functional.unfold
        nn.functional.fold nn.functional.pixel_shuffle nn.functional.pixel_unshuffle nn.functional.channel_shuffle
        slice_scatter select_scatter diagonal_scatter as_strided as_strided_copy as_strided.partial_views
        as_strided_scatter unfold unfold_copy diag diag_embed diagflat diagonal diagonal_copy linalg.diagonal tril triu
        tril_indices triu_indices meshgrid.variadic_tensors meshgrid.list_of_tensors cartesian_prod combinations
        diff trapz trapezoid cumulative_trapezoid kron gradient permute permute_copy transpose transpose_copy movedim
        swapaxes t t_copy T H mT mH narrow narrow_copy select slice split split_with_sizes split_with_sizes_copy
        split.list_args unsafe_split chunk unsafe_chunk tensor_split hsplit vsplit dsplit unbind unbind_copy expand
        expand_as expand_copy broadcast_to broadcast_tensors reshape reshape_as view view_as view_copy ravel flatten
        unflatten squeeze squeeze.multiple squeeze_copy unsqueeze unsqueeze_copy atleast_1d atleast_2d atleast_3d
        __getitem__ contiguous clone eye arange linspace logspace linalg.vander
        nn.functional.interpolate.nearest nn.functional.interpolate.nearest-exact
        nn.functional.interpolate.linear nn.functional.interpolate.bilinear nn.functional.interpolate.bicubic
        nn.functional.interpolate.trilinear nn.functional.interpolate.area nn.functional.upsample_nearest
        nn.functional.upsample_bilinear _upsample_bilinear2d_aa
    """,
    "indexing": """
        gather scatter scatter_add scatter_reduce.sum scatter_reduce.prod scatter_reduce.mean scatter_reduce.amax
        scatter_reduce.amin index_select index_put index_add index_copy index_fill index_reduce.prod index_reduce.mean
        index_reduce.amax index_reduce.amin take take_along_dim put masked_scatter masked_fill where
        nn.functional.embedding nn.functional.embedding_bag nn.functional.one_hot nn.functional.nll_loss
        nn.functional.cross_entropy nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss
        nn.functional.linear_cross_entropy nn.functional.linear_cross_entropy.chunked
        nn.functional.linear_cross_entropy.chunked_none
        nn.functional.ctc_loss bucketize searchsorted isin unravel_index histc bincount histogram histogramdd
        repeat_interleave nonzero nonzero_static argwhere masked_select unique unique_consecutive
        _unsafe_masked_index _unsafe_masked_index_put_accumulate nn.functional.grid_sample grid_sampler_2d
        grid_sampler_3d _segment_reduce.lengths _segment_reduce.offsets
    """,
    "sequences": """
        cumsum cumprod cummax cummin logcumsumexp masked.cumsum masked.cumprod sort argsort msort topk kthvalue median
        nanmedian masked.median mode quantile nanquantile cdist nn.functional.pdist renorm cross linalg.cross
    """,
    "random": """
        rand_like randn randn_like randint randint_like uniform normal normal.in_place normal.number_mean bernoulli
        cauchy exponential geometric log_normal multinomial nn.functional.dropout nn.functional.dropout2d
        nn.functional.dropout3d nn.functional.alpha_dropout nn.functional.feature_alpha_dropout.with_train
        nn.functional.feature_alpha_dropout.without_train nn.functional.rrelu
    """,
    "convolution": """
        nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d
        nn.functional.conv_transpose2d nn.functional.conv_transpose3d
    """,
    "pooling": """
        nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d nn.functional.avg_pool1d
        nn.functional.avg_pool2d nn.functional.avg_pool3d nn.functional.adaptive_avg_pool1d
        nn.functional.adaptive_avg_pool2d nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool1d
        nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d nn.functional.fractional_max_pool2d
        nn.functional.fractional_max_pool3d nn.functional.max_unpool1d nn.functional.max_unpool2d
        nn.functional.max_unpool3d nn.functional.max_unpool1d.grad nn.functional.max_unpool2d.grad
        nn.functional.max_unpool3d.grad max_pool2d_with_indices_backward nn.functional.lp_pool1d nn.functional.lp_pool2d nn.functional.lp_pool3d
    """,
    "products": """
        mm addmm addmm.decomposed bmm baddbmm addbmm matmul __rmatmul__ mv addmv dot vdot inner outer addr einsum
        tensordot linalg.multi_dot linalg.matrix_power linalg.vecdot nn.functional.linear nn.functional.bilinear
        corrcoef cov
    """,
    "attention": """
        nn.functional.scaled_dot_product_attention nn.functional.multi_head_attention_forward
        torch.ops.aten._safe_softmax.default
    """,
    "normalization": """
        nn.functional.batch_norm native_batch_norm _native_batch_norm_legit _batch_norm_with_update
        nn.functional.group_norm native_group_norm nn.functional.instance_norm nn.functional.local_response_norm
    """,
    "fourier": """
        fft.fft fft.fft2 fft.fftn fft.ifft fft.ifft2 fft.ifftn fft.rfft fft.rfft2 fft.rfftn fft.irfft fft.irfft2
        fft.irfftn fft.hfft fft.hfft2 fft.hfftn fft.ihfft fft.ihfft2 fft.ihfftn fft.fftshift fft.ifftshift stft istft
    """,
    "linear algebra": """
        cholesky cholesky_inverse cholesky_solve geqrf lu lu_unpack lu_solve matrix_exp ormqr qr triangular_solve svd
        svd_lowrank pca_lowrank pinverse logdet linalg.det linalg.cholesky linalg.cholesky_ex linalg.cond linalg.eig
        linalg.eigvals linalg.eigh linalg.eigvalsh linalg.householder_product linalg.ldl_factor linalg.ldl_factor_ex
        linalg.ldl_solve linalg.lstsq linalg.lstsq.grad_oriented linalg.qr linalg.slogdet linalg.lu_factor
        linalg.lu_factor_ex linalg.lu linalg.lu_solve linalg.inv linalg.inv_ex linalg.solve linalg.solve_ex
        linalg.solve_triangular linalg.matrix_rank linalg.matrix_rank.hermitian linalg.pinv linalg.pinv.singular
        linalg.pinv.hermitian linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve
    """,
    "windows": """
        signal.windows.hamming signal.windows.hann signal.windows.bartlett signal.windows.blackman
        signal.windows.cosine signal.windows.exponential signal.windows.gaussian signal.windows.kaiser
        signal.windows.general_cosine signal.windows.general_hamming signal.windows.nuttall
    """,
    "complex numbers": """
        complex polar real imag conj conj_physical view_as_complex view_as_real resolve_conj resolve_neg angle sgn
        cfloat cdouble
    """,
}

FAMILY = {name: family for family, names in _FAMILIES.items() for name in names.split()}


def full_name(op) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def family_of(op) -> str:
    """Of an OpInfo that opinfo_selection.py selects, or that is in a family."""
    return FAMILY.get(full_name(op), "row kernels")
