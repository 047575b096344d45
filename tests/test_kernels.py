"""Each kernel against its twin in plain NumPy, on random problems of any small size."""

import numpy as np
import pytest
from conftest import size
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from fastcaf import objective as judge
from fastcaf.fusion.centroid_problem import (
    UNIFORM,
    fusion_gamma_of_two,
    merge,
    no_multipliers,
    solve_centroids,
)
from fastcaf.kernels.pairs import admm
from fastcaf.kernels.pairs.centroid_update import penalty_of, solve_u_step
from fastcaf.kernels.pairs.duality_gap import dual_value, primal_value
from fastcaf.kernels.pairs.matrix_weights import no_matrices
from fastcaf.kernels.pairs.problem import Problem
from fastcaf.kernels.pairs.prox_multipliers import multiplier_sums, update_multipliers
from fastcaf.kernels.rows import distances, entropy, fcm

pytestmark = pytest.mark.kernels
NONE = np.empty(0)
small = settings(deadline=None, max_examples=size(40, 10))
problems = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(1, 5), st.booleans()
)


def pairs_problem(seed, K, d, weighted):
    """A centroid problem, centroids and multipliers of no particular kind."""
    rng = np.random.default_rng(seed)
    w, M, U = rng.uniform(0.1, 5.0, K), rng.normal(size=(K, d)), rng.normal(size=(K, d))
    pair_mass = rng.uniform(0.5, 3.0, K) if weighted else UNIFORM
    problem = Problem(
        w, no_matrices(), M.T.copy(), rng.uniform(0.05, 2.0), pair_mass, 1e-6, 1e-6
    )
    return problem, M, U, rng.normal(size=d * K * (K - 1) // 2)


def by_pair(packed, K):
    full = judge.pair_multipliers(packed, K)
    return {(k, j): full[k, j] for k in range(K) for j in range(k + 1, K)}


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 19), st.integers(1, 6))
@small
def test_sums_over_rows(seed, n, K, d):
    rng = np.random.default_rng(seed)
    X, U, a = rng.normal(size=(n, d)), rng.normal(size=(K, d)), rng.uniform(0.1, 3.0, n)
    scatter, tau, m = rng.uniform(0.0, 1.0, n), rng.uniform(0.2, 3.0), rng.uniform(1.3, 3.0)
    labels, first, _ = distances.nearest_serial(X, U)
    D = reference.squared_distances(X, U)
    np.testing.assert_array_equal(labels, D.argmin(axis=1))
    np.testing.assert_allclose(first, D.min(axis=1), rtol=1e-12)
    found = [
        fcm.fcm_statistics_serial(X, a, scatter, U, 1.0, np.inf),
        fcm.fcm_statistics_serial(X, a, scatter, U, 1.0 / (m - 1.0), np.inf),
        entropy.entropy_statistics_serial(X, a, scatter, U, tau, np.inf),
    ]
    expected = [
        reference.statistics(X, a, U, 2.0, scatter),
        reference.statistics(X, a, U, m, scatter),
        reference.entropy_statistics(X, a, U, tau, scatter),
    ]
    for one, other in zip(found, expected, strict=True):
        for here, there in zip(one, other, strict=True):
            np.testing.assert_allclose(here, there, rtol=1e-8, atol=1e-9)


@given(problems)
@small
def test_prox_and_multiplier_step(task):
    """Both steps as the paper has them, for every pair."""
    problem, _, U, packed = pairs_problem(*task)
    K, d = U.shape
    penalty, before = penalty_of(problem), by_pair(packed, K)
    z = np.zeros((d, K))
    update_multipliers(
        problem.gamma,
        problem.pair_mass,
        penalty.beta,
        penalty.s,
        U.T.copy(),
        packed,
        0,
        K - 1,
        z,
    )
    p = problem.pair_mass if len(problem.pair_mass) else None
    for (k, j), found in by_pair(packed, K).items():
        beta = penalty.beta * penalty.s[k] * penalty.s[j]
        radius = problem.gamma * reference.pair_weight(p, k, j)
        v = reference.prox(U[k] - U[j] - before[k, j] / beta, radius / beta)
        expected = before[k, j] + beta * (v - (U[k] - U[j]))
        np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, beta))
        assert np.linalg.norm(found) <= radius * (1.0 + 1e-12)
    sums = np.empty_like(z)
    multiplier_sums(packed, sums)
    np.testing.assert_allclose(sums, judge.pair_multipliers(packed, K).sum(axis=1).T, atol=1e-9)
    np.testing.assert_allclose(sums, z, atol=1e-9)


@given(problems)
@small
def test_u_step_is_a_dense_solve(task):
    problem, M, U, _ = pairs_problem(*task)
    penalty, rng = penalty_of(problem), np.random.default_rng(0)
    z, z_old = rng.normal(size=(2, *problem.m.shape))
    s, beta = penalty.s, penalty.beta
    laplacian = beta * (np.diag(s * s.sum()) - np.outer(s, s))  # A^T (beta s_k s_l) A
    right = problem.w[:, None] * M + laplacian @ U + 2.0 * z.T - z_old.T
    found = U.T.copy()
    solve_u_step(problem, penalty, z_old, z, found)
    expected = np.linalg.solve(np.diag(problem.w) + laplacian, right)
    np.testing.assert_allclose(found.T, expected, rtol=1e-7, atol=1e-8)


@given(problems)
@small
def test_primal_and_dual_value(task):
    problem, M, U, packed = pairs_problem(*task)
    K, pair_mass = len(U), problem.pair_mass if task[3] else None
    mass = () if pair_mass is None else (pair_mass,)
    value, apart = primal_value(problem, U.T.copy())
    expected = judge.centroid_primal(problem.w, M, problem.gamma, U, *mass)
    assert value == pytest.approx(expected)
    assert apart == pytest.approx(judge.pair_distances(U, *mass))
    z = judge.pair_multipliers(packed, K).sum(axis=1)
    dual = -(z * M).sum() - 0.5 * ((z**2).sum(axis=1) / problem.w).sum()
    assert dual_value(problem, z.T.copy()) == pytest.approx(dual)


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.integers(1, 4))
@small
def test_merging_averages_over_pairs(seed, K, d):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(0, K, K), return_inverse=True)[1].astype(np.int64)
    packed, U = rng.normal(size=d * K * (K - 1) // 2), rng.normal(size=(K, d))
    full = judge.pair_multipliers(packed, K)
    centroids, merged = merge(U, packed, labels)
    found = judge.pair_multipliers(merged, len(centroids))
    for a in range(len(centroids)):
        np.testing.assert_array_equal(centroids[a], U[labels == a][0])
        for b in range(len(centroids)):
            if a != b:
                expected = full[labels == a][:, labels == b].mean(axis=(0, 1))
                np.testing.assert_allclose(found[a, b], expected, atol=1e-12)


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_two_centroids_fuse_from_the_gamma_of_the_closed_form(rng, share):
    w, M = rng.uniform(0.5, 5.0, 2), rng.normal(size=(2, 3))
    gamma = share * fusion_gamma_of_two(np.linalg.norm(M[0] - M[1]), *w)
    answer = solve_centroids(w, M, gamma, M.copy(), no_multipliers(2, 3))
    assert answer.n_sets == (1 if share > 1.0 else 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [3, 40, size(admm.PARALLEL_CENTROIDS + 5, 5)])
def test_serial_and_parallel_sweeps_have_equal_bits(rng, K, weighted):
    M, w, gamma = rng.normal(size=(K, 3)), rng.uniform(1, 5, K), 0.3 / K
    answers = []
    for driver in (admm.admm_serial, admm.admm_parallel):
        u, packed = M.T.copy(), no_multipliers(K, 3)
        mass = w if weighted else UNIFORM
        limits = 1e-6, 1e-6, size(500, 20)
        result = driver(w, no_matrices(), M.T.copy(), gamma, mass, u, packed, *limits)
        answers.append((u, packed, *result))
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_entropy_memberships_have_equal_bits_on_all_threads(rng, dtype):
    X, U = rng.normal(size=(size(1500, 300), 3)).astype(dtype), rng.normal(size=(7, 3))
    one = entropy.entropy_memberships_serial(X, U, 0.4, np.inf)
    np.testing.assert_array_equal(one, entropy.entropy_memberships_parallel(X, U, 0.4, np.inf))
    D = reference.squared_distances(X.astype(float), U.astype(dtype).astype(float))
    expected = np.exp(-D / 0.4) / np.exp(-D / 0.4).sum(axis=1, keepdims=True)
    # A share below exp(-30) counts as 0.
    np.testing.assert_allclose(one, expected, atol=max(1e-13, 20 * np.finfo(dtype).eps))
