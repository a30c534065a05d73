"""Our own decompositions of ATen operations, by subject; see decompositions.py for the whole table."""

import torch

from . import antialias, attention, cells, convolution, counting, distance, drawing, indexing, pooling, sampling

aten = torch.ops.aten

OWN = {
    aten.index_add.default: indexing.index_add,
    aten.as_strided_scatter.default: indexing.as_strided_scatter,
    aten.nonzero_static.default: indexing.nonzero_static,
    aten.repeat_interleave.Tensor: indexing.repeat_interleave,
    aten.searchsorted.Tensor: indexing.searchsorted,
    aten.searchsorted.Scalar: indexing.searchsorted_scalar,
    aten.take.default: indexing.take,
    aten._index_put_impl.default: indexing.index_put_impl,
    aten.segment_reduce.default: indexing.segment_reduce,
    aten._embedding_bag.default: indexing.embedding_bag,
    aten._embedding_bag_forward_only.default: indexing.embedding_bag,
    aten._scaled_dot_product_fused_attention_overrideable.default: attention.fused,
    aten._thnn_fused_lstm_cell.default: cells.lstm,
    aten._thnn_fused_lstm_cell_backward_impl.default: cells.lstm_backward,
    aten._thnn_fused_gru_cell.default: cells.gru,
    aten._thnn_fused_gru_cell_backward.default: cells.gru_backward,
    aten.convolution_backward.default: convolution.backward,
    aten.histc.default: counting.histc,
    aten.histogram.bin_ct: counting.histogram,
    aten.histogram.bins_tensor: counting.histogram_of_edges,
    aten._histogramdd_bin_edges.default: counting.histogramdd_edges,
    aten._histogramdd_from_bin_cts.default: counting.histogramdd,
    aten._histogramdd_from_bin_tensors.default: counting.histogramdd_of_edges,
    aten._cdist_forward.default: distance.cdist,
    aten._pdist_forward.default: distance.pdist,
    aten.multinomial.default: drawing.multinomial,
    aten.random.default: drawing.random,
    getattr(aten.random, "from"): drawing.random_from,
    aten.random.to: drawing.random_to,
    aten.rrelu_with_noise_functional.default: drawing.rrelu_with_noise,
    aten._upsample_bilinear2d_aa.default: antialias.bilinear2d,
    aten._upsample_bicubic2d_aa.default: antialias.bicubic2d,
    aten.grid_sampler_3d.default: sampling.grid_sampler_3d,
    aten.fractional_max_pool2d.default: pooling.fractional_max_pool2d,
    aten.fractional_max_pool3d.default: pooling.fractional_max_pool3d,
}
