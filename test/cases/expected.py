"""What becomes of each case on backend 'neuron'; cases not named here pass."""

# Raises NEFFCompilationError, because of exactly these classes of kernels
# (test/python/kernel_classes.py): classes -> cases.
_REFUSED = {
    "attention": """
        attention_gradients
    """,
    "data-dependent gather": """
        embedding_of_no_indices
    """,
    "data-dependent sort": """
        one_hot_router_scores
    """,
    "float8": """
        float8_cast_out_of_range
    """,
    "gather": """
        negative_index_tensors
        embedding_padding_row_gets_no_gradient
        boolean_mask_assignment
        bf16_logits_then_f32_log_softmax
        bilinear_resize_small_and_odd
        chunks_of_one_shared_parameter
    """,
    "gather scatter": """
        index_reduce_gradient
    """,
    "pooling": """
        max_pool_gradient
    """,
    "random": """
        dropout_mask_reused_in_backward
    """,
    "scan": """
        cumsum_of_integers_and_bools
        pad_after_long_reduction
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
