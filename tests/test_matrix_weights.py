"""The centroid problem with a matrix for each centroid: duality, cvxpy, closed forms."""

import cvxpy
import numpy as np
import pytest

from fastcaf.fusion.centroid_problem import UNIFORM, no_multipliers, solve_centroids
from fastcaf.fusion.pair_weights import edges_between, matrix_of

EXACT = {"tolerance": 1e-12, "fusion_tolerance": 1e-12}


def matrices(rng, K, d, condition):
    """Positive definite ones of up to this condition, twenty times as heavy at most."""
    found = np.empty((K, d, d))
    for j in range(K):
        q, _ = np.linalg.qr(rng.normal(size=(d, d)))
        found[j] = (q * condition ** rng.uniform(size=d) * rng.uniform(1, 20)) @ q.T
        found[j] = 0.5 * (found[j] + found[j].T)
    return found


def random_problem(rng, most_centroids=60, most_features=10):
    """Conditions up to 1e4; gamma from nearly nothing to all fused."""
    K, d = int(rng.integers(2, most_centroids + 1)), int(rng.integers(1, most_features + 1))
    A, M = matrices(rng, K, d, 10.0 ** rng.uniform(0, 4)), rng.normal(size=(K, d))
    pulls = np.einsum("jfg,jg->jf", A, M - joint_mean(A, M))
    all_fused = 2.0 * np.linalg.norm(pulls, axis=1).max() / K
    return A, M, all_fused * 10.0 ** rng.uniform(-4, 0.3)


def joint_mean(A, M):
    """Where one point for all centroids is best."""
    return np.linalg.solve(A.sum(axis=0), np.einsum("jfg,jg->f", A, M))


def solve(A, M, gamma, **options):
    return solve_centroids(A, M, gamma, M.copy(), no_multipliers(*M.shape), **options)


def radii(gamma, K, pair_mass):
    """Of every pair: gamma times its weight."""
    if len(pair_mass) == K * K:
        return gamma * pair_mass.reshape(K, K)
    if len(pair_mass) == 0:
        return np.full((K, K), gamma)
    return np.array([[gamma * p * q / (p + q) for q in pair_mass] for p in pair_mass])


def primal(A, M, gamma, U, pair_mass=UNIFORM):
    value, radius = 0.0, radii(gamma, len(U), pair_mass)
    for j in range(len(U)):
        value += 0.5 * (U[j] - M[j]) @ A[j] @ (U[j] - M[j])
        value += sum(radius[k, j] * np.linalg.norm(U[k] - U[j]) for k in range(j))
    return value


def dual(A, M, gamma, packed, pair_mass=UNIFORM):
    """A bound from below of every primal value, if the multipliers are feasible: asserted."""
    (K, d), radius, place = M.shape, radii(gamma, len(M), pair_mass), 0
    pulls = np.zeros((K, d))
    for k in range(K - 1):
        block = packed[place : place + d * (K - 1 - k)].reshape(d, -1).T
        place += block.size
        assert (np.linalg.norm(block, axis=1) <= radius[k, k + 1 :] * (1.0 + 1e-12)).all()
        pulls[k] += block.sum(axis=0)
        pulls[k + 1 :] -= block
    assert place == len(packed)
    return -sum(
        z @ m + 0.5 * z @ np.linalg.solve(a, z) for z, m, a in zip(pulls, M, A, strict=True)
    )


def gap_of(A, M, gamma, solution, pair_mass=UNIFORM):
    above = primal(A, M, gamma, solution.centroids, pair_mass)
    return (above - dual(A, M, gamma, solution.multipliers, pair_mass)) / above


def by_cvxpy(A, M, gamma):
    U, K = cvxpy.Variable(M.shape), len(M)
    factors = [np.linalg.cholesky(a).T for a in A]
    data = [0.5 * cvxpy.sum_squares(factors[j] @ (U[j] - M[j])) for j in range(K)]
    pairs = [gamma * cvxpy.norm2(U[k] - U[j]) for j in range(K) for k in range(j)]
    problem = cvxpy.Problem(cvxpy.Minimize(sum(data) + sum(pairs)))
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9)
    return U.value


def test_two_hundred_random_problems_are_certified(rng):
    for _ in range(200):
        A, M, gamma = random_problem(rng)
        solution = solve(A, M, gamma)
        gap = gap_of(A, M, gamma, solution)
        assert -1e-11 <= gap <= 1e-6
        assert solution.duality_gap == pytest.approx(gap, abs=1e-9)


def test_fusion_weights_are_certified_too(rng):
    for _ in range(60):
        A, M, gamma = random_problem(rng, 40, 6)
        pair_mass = 10.0 ** rng.uniform(-2, 2, len(M))
        solution = solve(A, M, gamma, pair_mass=pair_mass)
        assert -1e-11 <= gap_of(A, M, gamma, solution, pair_mass) <= 1e-6


def test_weights_of_neighbours_alone_are_certified_too(rng):
    fused = 0
    for _ in range(40):
        A, M, gamma = random_problem(rng, 40, 6)
        weights = matrix_of(edges_between(M), len(M)).ravel() if len(M) > 7 else UNIFORM
        solution = solve(A, M, gamma, pair_mass=weights)
        assert -1e-11 <= gap_of(A, M, gamma, solution, weights) <= 1e-6
        far = solve(A, M, 1e9 * gamma, pair_mass=weights)
        assert far.n_sets == 1
        assert abs(gap_of(A, M, 1e9 * gamma, far, weights)) <= 1e-6
        fused += solution.n_sets < len(M)
    assert fused


def test_against_an_independent_solver(rng):
    for _ in range(20):
        A, M, gamma = random_problem(rng, 12, 4)
        expected = primal(A, M, gamma, by_cvxpy(A, M, gamma))
        assert primal(A, M, gamma, solve(A, M, gamma).centroids) == pytest.approx(
            expected, rel=1e-6
        )


@pytest.mark.kernels
@pytest.mark.parametrize("weighted", [False, True])
def test_multiples_of_the_unit_matrix_are_numbers(rng, weighted):
    sizes = set()
    for share in (0.03, 0.3, 0.6, 1.2):
        w, M = rng.uniform(1.0, 20.0, 10), rng.normal(size=(10, 3))
        away = np.linalg.norm(M - np.average(M, axis=0, weights=w), axis=1)
        gamma = share * 2.0 * (w * away).max() / 10
        options = EXACT | ({"pair_mass": rng.uniform(1.0, 3.0, 10)} if weighted else {})
        numbers, A = solve(w, M, gamma, **options), w[:, None, None] * np.eye(3)
        found = solve(A, M, gamma, **options)
        np.testing.assert_allclose(found.centroids, numbers.centroids, atol=1e-10)
        np.testing.assert_array_equal(found.labels, numbers.labels)
        assert found.pair_distances == pytest.approx(numbers.pair_distances, abs=1e-9)
        sizes.add(found.n_sets)
    assert len(sizes) > 1


@pytest.mark.kernels
@pytest.mark.parametrize("share", [0.3, 0.999, 1.001, 5.0])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_two_centroids_fuse_from_the_gamma_of_the_closed_form(rng, d, share):
    """Each moves by A_j^-1 lambda; they meet where (A_1^-1 + A_2^-1) lambda = m_1 - m_2."""
    A, M = matrices(rng, 2, d, 50.0), rng.normal(size=(2, d))
    first, second = np.linalg.inv(A)
    needed = np.linalg.solve(first + second, M[0] - M[1])
    gamma = share * np.linalg.norm(needed)
    solution = solve(A, M, gamma, **EXACT)
    assert solution.n_sets == (1 if share > 1.0 else 2)
    if share > 1.0:
        np.testing.assert_array_equal(solution.centroids[0], solution.centroids[1])
        np.testing.assert_allclose(solution.centroids[0], joint_mean(A, M), atol=1e-9)
    else:  # where nothing moves any more
        apart = solution.centroids[0] - solution.centroids[1]
        force = gamma * apart / np.linalg.norm(apart)
        for a, m, u, sign in zip(A, M, solution.centroids, (1.0, -1.0), strict=True):
            np.testing.assert_allclose(a @ (m - u), sign * force, atol=1e-4 * gamma)


@pytest.mark.kernels
@pytest.mark.parametrize("gamma", [1e3, 1e15, 1e30])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_gamma_beyond_what_fuses_everything(rng, gamma, weighted):
    A, M = matrices(rng, 8, 3, 10.0), rng.normal(size=(8, 3))
    pair_mass = rng.uniform(1.0, 2.0, 8) if weighted else UNIFORM
    solution = solve(A, M, gamma, pair_mass=pair_mass)
    assert (solution.n_sets, solution.n_sweeps) == (1, 0)
    np.testing.assert_allclose(solution.centroids, np.tile(joint_mean(A, M), (8, 1)), atol=1e-9)
    assert abs(gap_of(A, M, gamma, solution, pair_mass)) <= 1e-9


@pytest.mark.kernels
def test_a_linear_map_of_one_centroid_alone(rng):
    """Far centroids that hold still: the one that moves goes by A^-1 times all forces."""
    A, M = matrices(rng, 3, 2, 20.0), np.array([[0.0, 0.0], [1e6, 0.0], [0.0, 1e6]])
    solution = solve(A, M, 1e-2, **EXACT)
    expected = np.linalg.solve(A[0], [1e-2, 1e-2])
    np.testing.assert_allclose(solution.centroids[0], expected, rtol=1e-3)


def test_a_warm_start_gives_the_same_in_fewer_sweeps(rng):
    A, M = matrices(rng, 30, 4, 100.0), rng.normal(size=(30, 4))
    gamma = np.trace(A.mean(axis=0)) / 4 / 30
    first = solve(A, M, gamma)
    cold = solve(A, M, 1.04 * gamma)
    warm = solve_centroids(A, M, 1.04 * gamma, first.centroids, first.multipliers)
    assert warm.n_sweeps < cold.n_sweeps
    values = [primal(A, M, 1.04 * gamma, one.centroids) for one in (warm, cold)]
    assert values[0] == pytest.approx(values[1], rel=2e-6)


@pytest.mark.kernels
def test_an_inexact_answer_is_never_worse_than_the_start(rng):
    A, M = matrices(rng, 12, 3, 30.0), rng.normal(size=(12, 3))
    gamma = 0.3 * np.trace(A.mean(axis=0)) / 3 / 12
    exact = solve(A, M, gamma, **EXACT)
    best = primal(A, M, gamma, exact.centroids)
    for tolerance in (1e-1, 1e-3):
        loose = solve_centroids(
            A, M, gamma, exact.centroids, no_multipliers(12, 3), tolerance=tolerance
        )
        assert primal(A, M, gamma, loose.centroids) <= best * (1.0 + 1e-14)


@pytest.mark.kernels
def test_a_set_that_fuses_is_put_where_its_matrices_want_it(rng):
    """Two close centroids far from a third: the forces of the third on them are alike."""
    A, M = matrices(rng, 3, 2, 3.0), np.array([[0.0, 0.0], [1e-3, 2e-3], [100.0, 0.0]])
    A[1] = A[0] + 0.3 * np.diag(np.diag(A[0]))  # near enough to move alike
    first, second, _ = np.linalg.inv(A)
    gamma = 2.0 * np.linalg.norm(np.linalg.solve(first + second, M[0] - M[1]))
    solution = solve(A, M, gamma, **EXACT)
    np.testing.assert_array_equal(solution.labels, [0, 0, 1])
    np.testing.assert_array_equal(solution.centroids[0], solution.centroids[1])
    pulled = np.linalg.solve(A[:2].sum(axis=0), [2.0 * gamma, 0.0])
    expected = joint_mean(A[:2], M[:2]) + pulled
    np.testing.assert_allclose(
        solution.centroids[0], expected, atol=1e-3 * np.abs(expected).max()
    )
