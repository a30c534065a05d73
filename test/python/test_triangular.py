"""Triangular systems beside float64: at most a few times eager's error, also where rows of other blocks are large."""

import pytest
import torch

U = 2.0**-24


def compiled(function, *args):
    torch._dynamo.reset()
    return torch.compile(function, backend="neuron", fullgraph=True, dynamic=False)(*args)


def matrices(n, batch=()):
    return torch.randn(*batch, n, n, generator=torch.Generator().manual_seed(n))


def right_hand_sides(n, k, batch=()):
    return torch.randn(*batch, n, k, generator=torch.Generator().manual_seed(1))


def check(solve, *args):
    exact = solve(*(arg.double() for arg in args))
    eager, got = solve(*args), compiled(solve, *args)
    assert got.shape == eager.shape and got.dtype == eager.dtype
    error, own, largest = ((x.double() - exact).abs().max() if x is not exact else x.abs().max() for x in (got, eager, exact))
    # Both are substitutions, whose errors differ by how they group the terms.
    assert error <= 4 * own + 4 * U * largest, f"{error / largest:.2g}, eager {own / largest:.2g}"


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("n", [1, 7, 8, 33])
def test_solve(n, unit, upper, left):
    A = matrices(n) / 4 + 2 * torch.eye(n)
    B = right_hand_sides(n, 5) if left else right_hand_sides(5, n)
    check(lambda A, B: torch.linalg.solve_triangular(A, B, upper=upper, left=left, unitriangular=unit), A, B)


def test_batches_are_broadcast():
    A = matrices(20, (3, 1)) / 4 + 2 * torch.eye(20)
    check(lambda A, B: torch.linalg.solve_triangular(A, B, upper=False), A, right_hand_sides(20, 2, (4,)))


@pytest.mark.parametrize("n", [24, 64])
def test_ill_conditioned(n):
    """Of random elements: the condition grows exponentially with n, the error of substitution does not."""
    check(lambda A, B: torch.linalg.solve_triangular(A, B, upper=False), matrices(n), right_hand_sides(n, 3))


@pytest.mark.parametrize("shape", [((0, 0), (0, 3)), ((3, 3), (3, 0)), ((0, 3, 3), (3, 2))])
def test_nothing(shape):
    A, B = (torch.ones(sizes) for sizes in shape)
    solve = lambda A, B: torch.linalg.solve_triangular(A, B, upper=True)
    assert compiled(solve, A, B).shape == solve(A, B).shape


@pytest.mark.parametrize("upper", [True, False])
def test_cholesky_factors(upper):
    L = torch.linalg.cholesky(matrices(12) @ matrices(12).mT + torch.eye(12), upper=upper)
    check(lambda B, L: torch.cholesky_solve(B, L, upper=upper), right_hand_sides(12, 3), L)
    check(lambda L: torch.cholesky_inverse(L, upper=upper), L)


def test_gradients():
    A = matrices(12) / 4 + 2 * torch.eye(12)
    B = right_hand_sides(12, 3)

    def gradients(A, B):
        A, B = A.detach().requires_grad_(), B.detach().requires_grad_()
        X = torch.linalg.solve_triangular(A, B, upper=False)
        return torch.cat([g.flatten() for g in torch.autograd.grad(X.square().sum(), (A, B))])

    exact, eager = gradients(A.double(), B.double()), gradients(A, B)
    A, B = A.requires_grad_(), B.requires_grad_()
    X = compiled(lambda A, B: torch.linalg.solve_triangular(A, B, upper=False), A, B)
    got = torch.cat([g.flatten() for g in torch.autograd.grad(X.square().sum(), (A, B))])
    error, own = (got - exact).abs().max(), (eager - exact).abs().max()
    assert error <= 4 * own + 4 * U * exact.abs().max()
