"""Products of groups of rows, columns or terms with a matrix each, as networks with experts have them.

Where a group ends is known to the device only, so every matrix is multiplied with all rows, and each row takes its own
group's product: as many times the arithmetic as there are groups, in one batched product whose shape does not depend
on the numbers.
"""

import torch


def _members(offs, size):
    """[groups, size]: whether an index belongs to a group; `offs` are where the groups end."""
    index = torch.arange(size, device=offs.device)
    ends = offs.unsqueeze(1)
    starts = torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])
    return (index >= starts) & (index < ends)


def _own(products, members):
    """The sum over the groups [groups, ...] of what is a member: at most one is. Others may be infinite."""
    return torch.where(members, products, 0).sum(0, dtype=products.dtype)


def grouped_mm(mat_a, mat_b, offs=None, bias=None, out_dtype=None):
    """aten._grouped_mm. Groups are of the rows of `mat_a` [S, K] with `mat_b` [G, K, N], of the columns of `mat_b`
    [K, N] with `mat_a` [G, M, K], of the terms of both ([M, K] and [K, N] to [G, M, N]), or given apart (both of three
    dimensions). What is in no group is 0."""
    if bias is not None or out_dtype not in (None, mat_a.dtype):
        return NotImplemented
    if mat_a.dim() == 3 and mat_b.dim() == 3:
        return torch.bmm(mat_a, mat_b)
    if mat_a.dim() == 2 and mat_b.dim() == 3:
        members = _members(offs, mat_a.shape[0]).unsqueeze(2)
        return _own(torch.bmm(mat_a.expand(mat_b.shape[0], -1, -1), mat_b), members)
    if mat_a.dim() == 3:
        members = _members(offs, mat_b.shape[1]).unsqueeze(1)
        return _own(torch.bmm(mat_a, mat_b.expand(mat_a.shape[0], -1, -1)), members)
    # Both are cleared: 0 times what is infinite in another group would be NaN.
    members = _members(offs, mat_a.shape[1])
    return torch.bmm(
        torch.where(members.unsqueeze(1), mat_a, 0),
        torch.where(members.unsqueeze(2), mat_b, 0),
    )


def fallback(input, weight, offs):
    """What `transformers` calls for aten._grouped_mm while it is compiled, but of bfloat16."""
    return grouped_mm(input, weight, offs)


def fallback_backward(input, weight, offs, grad):
    """(gradient of the input [S, K], of the weight [G, K, N]) from that of the output [S, N]."""
    return grouped_mm(grad, weight.mT, offs), grouped_mm(input.mT, grad, offs)


TABLE = {torch.ops.aten._grouped_mm.default: grouped_mm}

# Operators that another package defines once it is imported: opaque calls of Python that no compiler can look into.
FOREIGN = {
    "transformers::grouped_mm_fallback": fallback,
    "transformers::grouped_mm_fallback_backward": fallback_backward,
}
