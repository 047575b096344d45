"""The centroid problem: optimality by duality, an independent solver, closed forms."""

import cvxpy
import numpy as np
import pytest

import reference
from fastcaf.fusion.centroid_problem import merge, no_multipliers, solve_centroids
from fastcaf.kernels.pairs.centroid_update import lifted_means
from fastcaf.objective import (
    centroid_dual,
    centroid_primal,
    duality_gap,
    pair_distances,
    pair_multipliers,
)


def random_problem(rng, K=None, d=None):
    """Weights over six orders of magnitude; gamma from nearly nothing to all fused."""
    K = K or int(rng.integers(2, 61))
    d = d or int(rng.integers(1, 11))
    M = rng.normal(size=(K, d))
    w = 10.0 ** rng.uniform(-3, 3, K)
    mean = w @ M / w.sum()
    # sum_l lambda_jl balances w_j (m_j - mean): with this gamma everything fuses
    all_fused = 2.0 * (w * np.linalg.norm(M - mean, axis=1)).max() / K
    return w, M, all_fused * 10.0 ** rng.uniform(-5, 0.3)


def solve(w, M, gamma, **options):
    return solve_centroids(w, M, gamma, M.copy(), no_multipliers(*M.shape), **options)


def scs(w, M, gamma):
    U = cvxpy.Variable(M.shape)
    K = len(w)
    pairs = [cvxpy.norm2(U[k] - U[j]) for k in range(K) for j in range(k + 1, K)]
    data = 0.5 * cvxpy.sum(cvxpy.multiply(w[:, None], cvxpy.square(U - M)))
    problem = cvxpy.Problem(cvxpy.Minimize(data + gamma * cvxpy.sum(cvxpy.hstack(pairs))))
    problem.solve(solver="SCS", eps_abs=1e-9, eps_rel=1e-9, max_iters=200_000)
    return U.value


def test_two_hundred_random_problems_are_certified(rng):
    for _ in range(200):
        w, M, gamma = random_problem(rng)
        solution = solve(w, M, gamma)
        gap = duality_gap(w, M, gamma, solution.centroids, solution.multipliers)
        assert gap <= 1e-6
        assert gap >= -1e-12
        assert solution.duality_gap == pytest.approx(gap, abs=1e-9)


def test_few_centroids_of_very_unequal_weight_may_take_many_sweeps():
    """Two of 20,000 random problems needed more than 10,000 sweeps; this is one of them."""
    rng = np.random.default_rng(34)
    w, M, gamma = [random_problem(rng) for _ in range(63)][-1]
    assert len(w) == 3
    solution = solve(w, M, gamma)
    assert duality_gap(w, M, gamma, solution.centroids, solution.multipliers) <= 1e-6
    assert solution.n_sweeps > 10_000


def test_against_an_independent_solver(rng):
    for _ in range(8):
        K, d = int(rng.integers(2, 16)), int(rng.integers(1, 6))
        M, w = rng.normal(size=(K, d)), rng.uniform(1, 20, K)
        gamma = 10.0 ** rng.uniform(-2, 0.5)
        found = solve(w, M, gamma, tolerance=1e-11, fusion_tolerance=1e-11).centroids
        assert np.abs(found - scs(w, M, gamma)).max() <= 1e-5


@pytest.mark.kernels
@pytest.mark.parametrize("K", [2, 5, 12])
def test_equals_the_twin(rng, K):
    M, w, gamma = rng.normal(size=(K, 3)), rng.uniform(1, 5, K), 0.5 / K
    solution = solve(w, M, gamma, tolerance=1e-13, fusion_tolerance=1e-13)
    U, lam, fused = reference.solve_centroids(w, M, gamma)
    np.testing.assert_allclose(solution.centroids, U, atol=1e-6)
    np.testing.assert_array_equal(solution.labels, reference.components(K, fused))
    full = pair_multipliers(solution.multipliers, K)
    for (k, j), value in lam.items():
        if (k, j) not in fused:  # inside a fused set the multipliers are not unique
            np.testing.assert_allclose(full[k, j], value, atol=1e-4)


@pytest.mark.kernels
@pytest.mark.parametrize("gamma", [0.3, 0.999, 1.001, 5.0])
def test_two_centroids_have_a_closed_form(gamma):
    w = np.array([2.0, 5.0])
    # the two fuse from gamma = ||m_1 - m_2|| / (1/w_1 + 1/w_2), here 1
    M = np.array([[0.0, 0.0], [0.42, 0.56]])
    solution = solve(w, M, gamma, tolerance=1e-12, fusion_tolerance=1e-12)
    if gamma >= 1.0:
        expected = np.tile(w @ M / w.sum(), (2, 1))
        assert solution.n_sets == 1
        np.testing.assert_array_equal(solution.centroids[0], solution.centroids[1])
    else:
        direction = np.array([0.6, 0.8])
        expected = [gamma / 2 * direction, M[1] - gamma / 5 * direction]
        assert solution.n_sets == 2
    np.testing.assert_allclose(solution.centroids, expected, atol=1e-6)


@pytest.mark.kernels
def test_large_gamma_gives_the_weighted_mean(rng):
    w, M, _ = random_problem(rng, K=20, d=3)
    solution = solve(w, M, 10 * w.sum())
    assert solution.n_sets == 1
    np.testing.assert_allclose(solution.centroids, np.tile(w @ M / w.sum(), (20, 1)), atol=1e-9)


def test_unfusing_example_of_the_design_is_solved_exactly():
    """With unequal weights the exact path un-fuses: the solver must show it."""
    M, w = np.array([[0.0], [1.0], [10.0], [10.5], [11.0]]), np.array([0.02, 8, 3, 3, 3])
    sets = [
        solve(w, M, gamma, tolerance=1e-12, fusion_tolerance=1e-12).n_sets
        for gamma in (0.004, 0.007, 0.012)
    ]
    assert sets == [5, 4, 5]


def test_warm_start_needs_fewer_sweeps_and_gives_the_same(rng):
    w, M = rng.uniform(1, 5, 30), rng.normal(size=(30, 4))
    first = solve(w, M, 0.05)
    cold = solve(w, M, 0.052)
    warm = solve_centroids(w, M, 0.052, first.centroids, first.multipliers)
    assert warm.n_sweeps < cold.n_sweeps
    # Two answers of gap g P each: strong convexity keeps both within sqrt(2 g P) of the best.
    apart = (w[:, None] * (warm.centroids - cold.centroids) ** 2).sum()
    assert apart <= 8e-6 * centroid_primal(w, M, 0.052, cold.centroids)


@pytest.mark.kernels
def test_an_inexact_answer_is_never_worse_than_the_start(rng):
    w, M = rng.uniform(1, 5, 20), rng.normal(size=(20, 3))
    exact = solve(w, M, 0.05, tolerance=1e-12)
    for tolerance in (1e-1, 1e-2, 1e-4):
        loose = solve_centroids(
            w, M, 0.05, exact.centroids, no_multipliers(20, 3), tolerance=tolerance
        )
        value = centroid_primal(w, M, 0.05, loose.centroids)
        assert value <= centroid_primal(w, M, 0.05, exact.centroids) * (1 + 1e-14)


def test_loose_solves_do_not_fuse(rng):
    """Merges are permanent: they need the tight certificate even in a loose solve."""
    for _ in range(30):
        w, M, gamma = random_problem(rng, K=15, d=2)
        loose = solve(w, M, gamma, tolerance=1e-2, fusion_tolerance=1e-6)
        if loose.n_sets < 15:
            assert loose.duality_gap <= 1e-6


def test_multipliers_are_feasible_and_vanish_nowhere_outside(rng):
    w, M, gamma = random_problem(rng, K=25, d=4)
    solution = solve(w, M, gamma)
    norms = np.linalg.norm(pair_multipliers(solution.multipliers, 25), axis=2)
    assert norms.max() <= gamma * (1 + 1e-12)
    assert np.isfinite(centroid_dual(w, M, gamma, solution.multipliers))


@pytest.mark.kernels
def test_reported_pair_distances(rng):
    w, M, gamma = random_problem(rng, K=12, d=3)
    solution = solve(w, M, gamma)
    assert solution.pair_distances == pytest.approx(pair_distances(solution.centroids))


@pytest.mark.kernels
def test_coinciding_means_need_no_sweep():
    solution = solve(np.ones(4), np.ones((4, 2)), 0.1)
    assert (solution.n_sets, solution.n_sweeps, solution.duality_gap) == (1, 0, 0.0)


def test_scaling_scales_the_solution(rng):
    w, M, gamma = random_problem(rng, K=10, d=2)
    plain, scaled = solve(w, M, gamma), solve(w, 8.0 * M, 8.0 * gamma)
    np.testing.assert_array_equal(scaled.centroids, 8.0 * plain.centroids)


@pytest.mark.kernels
def test_merging_averages_multipliers_with_their_sign(rng):
    K, d = 4, 2
    packed = rng.normal(size=d * K * (K - 1) // 2)
    full = pair_multipliers(packed, K)
    labels = np.array([0, 1, 1, 0])
    places, merged = merge(rng.normal(size=(K, d)), packed, labels)
    expected = np.mean([full[0, 1], full[0, 2], full[3, 1], full[3, 2]], axis=0)
    assert places.shape == (2, d)
    np.testing.assert_allclose(pair_multipliers(merged, 2)[0, 1], expected)


@pytest.mark.kernels
def test_merging_with_a_negative_label_drops_a_centroid(rng):
    K, d = 4, 3
    packed = rng.normal(size=d * K * (K - 1) // 2)
    U = rng.normal(size=(K, d))
    places, merged = merge(U, packed, np.array([0, -1, 1, 2]))
    np.testing.assert_array_equal(places, U[[0, 2, 3]])
    full = pair_multipliers(packed, K)[np.ix_([0, 2, 3], [0, 2, 3])]
    np.testing.assert_allclose(pair_multipliers(merged, 3), full)


@pytest.mark.kernels
def test_a_weightless_centroid_stays_where_it_is():
    weight, means = lifted_means(
        np.array([4.0, 0.0]), np.array([[8.0], [0.0]]), np.array([[1.0], [7.0]]), 1e-9
    )
    np.testing.assert_allclose(means, [[2.0], [7.0]])
    assert weight.min() > 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("gamma", [1.0, 1e6, 1e15, 1e30])
def test_a_gamma_far_beyond_what_fuses_everything(rng, gamma):
    w, M = rng.uniform(1, 2, 8) / 8, rng.normal(size=(8, 3))
    solution = solve(w, M, gamma)
    assert (solution.n_sets, solution.n_sweeps) == (1, 0)
    np.testing.assert_allclose(solution.centroids, np.tile(w @ M / w.sum(), (8, 1)), atol=1e-12)
    assert abs(duality_gap(w, M, gamma, solution.centroids, solution.multipliers)) <= 1e-12
