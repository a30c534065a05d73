"""Systems of equations with a triangular matrix, by substitution in blocks.

The inverses of the blocks on the diagonal are found by substitution, all at once; then whole blocks are substituted, in
halves, so that most of the work is a few large products. A system that is ill-conditioned as a whole is solved as well
as by substitution of single rows: only blocks of BLOCK rows are inverted.
"""

import torch

BLOCK = 8
LARGEST = 512  # rows; the graph has a few operations for each block


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """X of A X = B, or of X A = B if not `left`: A [..., n, n], B [..., n, k] or [..., k, n]; batches broadcast."""
    if A.shape[-1] > LARGEST:
        return NotImplemented
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    if upper:
        turned = solve_triangular(A.flip(-2, -1), B.flip(-2), upper=False, unitriangular=unitriangular)
        return turned.flip(-2)
    batch = torch.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    if 0 in batch or 0 in B.shape:
        return B.new_empty((*batch, *B.shape[-2:]))
    n = A.shape[-1]
    inverses = _block_inverses(A, unitriangular)
    B = B.expand(*batch, *B.shape[-2:])
    return _substitute(A.expand(*batch, n, n), inverses.expand(*batch, *inverses.shape[-3:]), B)


def _block_inverses(A, unit):
    """[..., n / BLOCK, BLOCK, BLOCK], of A's lower triangle continued by ones."""
    n = A.shape[-1]
    count = -(-n // BLOCK)
    blocks = []
    for i in range(count):
        block = A[..., i * BLOCK : (i + 1) * BLOCK, i * BLOCK : (i + 1) * BLOCK]
        if missing := BLOCK - block.shape[-1]:
            block = torch.nn.functional.pad(block, (0, missing, 0, missing))
            block = block + torch.diag(torch.arange(BLOCK, device=A.device) >= BLOCK - missing).to(A.dtype)
        blocks.append(block)
    lower = torch.stack(blocks, -3)
    rows = []
    for i in range(BLOCK):
        row = (torch.arange(BLOCK, device=A.device) == i).to(A.dtype).expand(*lower.shape[:-2], BLOCK)
        if rows:
            row = row - (lower[..., i, :i, None] * torch.stack(rows, -2)).sum(-2)
        rows.append(row if unit else row / lower[..., i, i, None])
    return torch.stack(rows, -2)


def _substitute(A, inverses, B):
    count, n = inverses.shape[-3], A.shape[-1]
    if count == 1:
        return inverses[..., 0, :n, :n] @ B
    half = count // 2
    rows = half * BLOCK
    first = _substitute(A[..., :rows, :rows], inverses[..., :half, :, :], B[..., :rows, :])
    rest = B[..., rows:, :] - A[..., rows:, :rows] @ first
    last = _substitute(A[..., rows:, rows:], inverses[..., half:, :, :], rest)
    return torch.cat([first, last], -2)


def triangular_solve(B, A, upper=True, transpose=False, unitriangular=False):
    """(X of A X = B, A), or with A's transpose."""
    if transpose:
        A, upper = A.mT, not upper
    X = solve_triangular(A, B, upper=upper, unitriangular=unitriangular)
    return NotImplemented if X is NotImplemented else (X, A.mT.clone() if transpose else A.clone())


def cholesky_solve(B, L, upper=False):
    """X of L L^H X = B, or of L^H L X = B if `upper`."""
    lower = L.mH if upper else L
    Y = solve_triangular(lower, B, upper=False)
    return NotImplemented if Y is NotImplemented else solve_triangular(lower.mH, Y, upper=True)


def cholesky_inverse(L, upper=False):
    """The inverse of L L^H, or of L^H L if `upper`."""
    ones = torch.eye(L.shape[-1], dtype=L.dtype, device=L.device)
    return cholesky_solve(ones.expand(L.shape), L, upper)


TABLE = {
    torch.ops.aten.linalg_solve_triangular.default: solve_triangular,
    torch.ops.aten.triangular_solve.default: triangular_solve,
    torch.ops.aten.cholesky_solve.default: cholesky_solve,
    torch.ops.aten._cholesky_solve_helper.default: cholesky_solve,
    torch.ops.aten.cholesky_inverse.default: cholesky_inverse,
}
