"""What becomes of each case on backend 'neuron'; cases not named here pass."""

# Raises NEFFCompilationError, because of exactly these classes of kernels
# (test/python/kernel_classes.py): classes -> cases.
_REFUSED = {
    "attention": """
        attention_with_fully_masked_query
        attention_gradients
    """,
    "attention matmul": """
        encoder_layer_with_padding_mask
    """,
    "convolution": """
        transposed_input_to_depthwise_conv1d
        dilated_conv1d_stack
    """,
    "convolution matmul pooling": """
        half_residual_network
    """,
    "convolution pooling": """
        conv_bn_relu_pool_block
    """,
    "data-dependent gather": """
        embedding_of_no_indices
    """,
    "data-dependent matmul sort": """
        one_hot_router_scores
    """,
    "float8": """
        float8_cast_out_of_range
    """,
    "gather": """
        negative_index_tensors
        embedding_padding_row_gets_no_gradient
        boolean_mask_assignment
    """,
    "gather layout": """
        bilinear_resize_small_and_odd
    """,
    "gather matmul": """
        bf16_logits_then_f32_log_softmax
        chunks_of_one_shared_parameter
    """,
    "gather scatter": """
        index_reduce_gradient
    """,
    "layout": """
        rows_shifted_over_themselves
        flip_of_a_scalar_tensor
    """,
    "layout matmul": """
        empty_batch_argmin_and_view
    """,
    "layout scan": """
        pad_after_long_reduction
    """,
    "matmul": """
        bf16_linear_scaled_in_place
        attention_with_tiny_negative_scale
        addmm_ignores_input_when_beta_zero
        double_matmul_is_double
        inference_call_then_training_call
    """,
    "pooling": """
        max_pool_ceil_mode_drops_empty_window
        max_pool_gradient
    """,
    "random": """
        dropout_mask_reused_in_backward
    """,
    "scan": """
        cumsum_of_integers_and_bools
    """,
    "scatter": """
        expert_rows_added_back
        replaced_attribute_is_seen
    """,
    "sort": """
        argsort_along_first_dim
        stable_sort_of_ties
    """,
}
EXPECTED: dict[str, str] = {
    name: classes for classes, names in _REFUSED.items() for name in names.split()
}

# Fails otherwise: the cause.
CAUSES: dict[str, str] = {}
