"""Which OpInfos run: those of row kernels, and those of the families of opinfo_families.py."""

from __future__ import annotations

from opinfo_families import FAMILY
from torch.testing._internal.opinfo.core import (
    BinaryUfuncInfo,
    ReductionOpInfo,
    UnaryUfuncInfo,
)

# Operators with an OpInfo of no kind of its own.
_NAMES = set(
    """
    addcmul addcdiv lerp clamp where masked_fill gradient logaddexp2 cross
    softmax log_softmax nn.functional.softmin masked.softmax masked.log_softmax
    masked.softmin masked.normalize masked.logaddexp
    nn.functional.layer_norm native_layer_norm nn.functional.rms_norm
    nn.functional.group_norm native_group_norm nn.functional.instance_norm
    nn.functional.batch_norm native_batch_norm _native_batch_norm_legit
    nn.functional.normalize nn.functional.local_response_norm
    nn.functional.gelu nn.functional.hardswish nn.functional.leaky_relu nn.functional.glu
    nn.functional.mse_loss nn.functional.l1_loss nn.functional.smooth_l1_loss
    nn.functional.huber_loss nn.functional.soft_margin_loss
    nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits
    nn.functional.kl_div nn.functional.poisson_nll_loss nn.functional.gaussian_nll_loss
    nn.functional.hinge_embedding_loss nn.functional.margin_ranking_loss
    nn.functional.multilabel_soft_margin_loss nn.functional.cosine_similarity
    nn.functional.cosine_embedding_loss nn.functional.pairwise_distance
    nn.functional.triplet_margin_loss nn.functional.triplet_margin_with_distance_loss native_dropout_backward _softmax_backward_data
    std_mean var_mean aminmax max min logsumexp norm dist linalg.norm
    linalg.vecdot linalg.matrix_norm renorm sum_to_size trace
    max.reduction_with_dim max.reduction_no_dim min.reduction_with_dim min.reduction_no_dim
    to clone contiguous arange linspace logspace zeros ones full zeros_like ones_like full_like
    new_zeros new_ones new_full scalar_tensor eye fill zero_ equal allclose isin
    view view_as reshape reshape_as ravel flatten unflatten squeeze unsqueeze
    expand expand_as broadcast_to broadcast_tensors atleast_1d atleast_2d atleast_3d
    transpose permute movedim t T H mT mH swapaxes narrow select slice split
    split_with_sizes unsafe_split chunk unsafe_chunk tensor_split hsplit vsplit dsplit
    unbind diagonal linalg.diagonal as_strided alias_copy view_copy expand_copy
    squeeze_copy unsqueeze_copy t_copy transpose_copy permute_copy narrow_copy
    diagonal_copy unbind_copy split_with_sizes_copy __getitem__ resolve_conj resolve_neg
    outer addr inner unfold unfold_copy as_strided_copy
    cat concat concatenate stack hstack vstack dstack column_stack block_diag
    flip fliplr flipud roll rot90 repeat tile nn.functional.pad.constant nn.functional.pad.reflect
    nn.functional.pad.replicate nn.functional.pad.replicate_negative nn.functional.pad.circular
    nn.functional.unfold nn.functional.fold nn.functional.pixel_shuffle nn.functional.pixel_unshuffle
    nn.functional.channel_shuffle slice_scatter select_scatter diagonal_scatter
    nn.functional.interpolate.nearest nn.functional.interpolate.nearest-exact
    nn.functional.interpolate.linear nn.functional.interpolate.bilinear
    nn.functional.interpolate.bicubic nn.functional.interpolate.trilinear
    nn.functional.interpolate.area nn.functional.upsample_nearest nn.functional.upsample_bilinear
    nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d
    nn.functional.conv_transpose2d nn.functional.conv_transpose3d
    nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d
    nn.functional.avg_pool1d nn.functional.avg_pool2d nn.functional.avg_pool3d
    nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d
    nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool1d
    nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d
    diag diag_embed diagflat tril triu tril_indices triu_indices meshgrid.variadic_tensors
    meshgrid.list_of_tensors cartesian_prod combinations diff
    gather scatter scatter_add scatter_reduce.sum scatter_reduce.prod scatter_reduce.mean scatter_reduce.amax
    scatter_reduce.amin index_select index_put index_add index_copy index_fill index_reduce.prod index_reduce.mean
    index_reduce.amax index_reduce.amin take take_along_dim put masked_scatter nn.functional.embedding
    nn.functional.one_hot nn.functional.nll_loss nn.functional.cross_entropy bucketize searchsorted
    cumsum cumprod cummax cummin logcumsumexp cumulative_trapezoid masked.cumsum masked.cumprod
    sort argsort msort topk kthvalue median nanmedian mode
    """.split()
)

# Nothing to compare: they need a compiler of another device.
_LEFT_OUT = {"jiterator_unary", "jiterator_binary", "jiterator_binary_return_by_ref"}
# What is drawn differs from eager's.
_DRAWN = {name for name, family in FAMILY.items() if family == "random" or "fractional_max_pool" in name} | {
    "nn.functional.scaled_dot_product_attention",  # with dropout, in some samples
    "nn.functional.multi_head_attention_forward",
}


def selection(op_db, drawn=False, refused=False):
    """The OpInfos that run; those of random numbers only if `drawn`, factorisations only if `refused`."""
    kinds = (UnaryUfuncInfo, BinaryUfuncInfo, ReductionOpInfo)
    for op in op_db:
        full = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if op.name in _LEFT_OUT or (full in _DRAWN and not drawn):
            continue
        if FAMILY.get(full) == "linear algebra" and not refused:
            continue
        named = full in FAMILY
        if isinstance(op, kinds) or op.name in _NAMES or full in _NAMES or named:
            yield op
