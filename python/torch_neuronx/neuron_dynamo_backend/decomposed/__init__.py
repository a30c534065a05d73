"""Our own decompositions of ATen operations, by subject; see decompositions.py for the whole table."""

import torch

from . import antialias, counting, distance, drawing, indexing, pooling, sampling

aten = torch.ops.aten

OWN = {
    aten.index_add.default: indexing.index_add,
    aten.as_strided_scatter.default: indexing.as_strided_scatter,
    aten.nonzero_static.default: indexing.nonzero_static,
    aten.repeat_interleave.Tensor: indexing.repeat_interleave,
    aten.searchsorted.Tensor: indexing.searchsorted,
    aten.searchsorted.Scalar: indexing.searchsorted_scalar,
    aten.take.default: indexing.take,
    aten.segment_reduce.default: indexing.segment_reduce,
    aten._embedding_bag.default: indexing.embedding_bag,
    aten._embedding_bag_forward_only.default: indexing.embedding_bag,
    aten.histc.default: counting.histc,
    aten.histogram.bin_ct: counting.histogram,
    aten.histogram.bins_tensor: counting.histogram_of_edges,
    aten._histogramdd_bin_edges.default: counting.histogramdd_edges,
    aten._histogramdd_from_bin_cts.default: counting.histogramdd,
    aten._histogramdd_from_bin_tensors.default: counting.histogramdd_of_edges,
    aten._cdist_forward.default: distance.cdist,
    aten._pdist_forward.default: distance.pdist,
    aten.multinomial.default: drawing.multinomial,
    aten.rrelu_with_noise_functional.default: drawing.rrelu_with_noise,
    aten._upsample_bilinear2d_aa.default: antialias.bilinear2d,
    aten._upsample_bicubic2d_aa.default: antialias.bicubic2d,
    aten.grid_sampler_3d.default: sampling.grid_sampler_3d,
    aten.fractional_max_pool2d.default: pooling.fractional_max_pool2d,
    aten.fractional_max_pool3d.default: pooling.fractional_max_pool3d,
}
