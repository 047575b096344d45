"""One gamma: the objective falls, special cases are exact, and the answer stands still."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import reference
from fastcaf import FuzzyCMeans, solve_gamma
from fastcaf import objective as judge


def start(X, K, rng):
    return X[rng.choice(len(X), K, replace=False)]


@pytest.mark.parametrize("gamma", [0.0, 0.01, 0.3, 2.0, 20.0])
@pytest.mark.parametrize("m", [1.3, 2.0, 2.5])
def test_objective_never_rises_between_fusions(iris, rng, gamma, m):
    X = np.unique(iris, axis=0)
    history = solve_gamma(X, start(X, 20, rng), gamma, fuzzifier=m, tol=1e-9)[0].history
    values, counts = history.T
    same = counts[1:] == counts[:-1]
    assert (np.diff(values)[same] <= 1e-12 * values[:-1][same]).all()


@pytest.mark.parametrize("m", [1.5, 1.7, 2.0])
def test_gamma_zero_is_fuzzy_c_means(iris, rng, m):
    U = start(np.unique(iris, axis=0), 6, rng)
    with pytest.warns(ConvergenceWarning, match="max_iter=25"):
        found, _ = solve_gamma(iris, U, 0.0, fuzzifier=m, max_iter=25, tol=0.0)
    expected = reference.fuzzy_c_means(iris, U, m, iterations=25)
    np.testing.assert_allclose(found.centroids, expected, atol=1e-10)


def test_fuzzy_c_means_estimator_is_gamma_zero(iris, rng):
    U = start(np.unique(iris, axis=0), 3, rng)
    with pytest.warns(ConvergenceWarning, match="max_iter=12"):
        model = FuzzyCMeans(3, init=U, max_iter=12, tol=0.0).fit(iris)
    expected = reference.fuzzy_c_means(iris, U, iterations=12)
    order = np.argsort(-reference.memberships(iris, expected).sum(axis=0))
    np.testing.assert_allclose(model.cluster_centers_, expected[order], atol=1e-10)


def test_huge_gamma_gives_the_mean_of_one_cluster(iris, rng):
    solution, fused = solve_gamma(iris, start(np.unique(iris, axis=0), 12, rng), 1e6)
    np.testing.assert_allclose(solution.centroids, [iris.mean(axis=0)], atol=1e-9)
    assert (fused == 0).all()


def test_settled_centroids_stand_still(blobs, rng):
    X, _ = blobs
    solution, _ = solve_gamma(X, start(X, 5, rng), 1.0, tol=1e-13, max_iter=2000)
    residuals = judge.optimality_residuals(X, solution.centroids, 1.0)
    assert residuals.max() <= 1e-3 * X.std()


def test_equals_the_twin_with_fusions(rng):
    X = np.concatenate([rng.normal(c, 0.3, (12, 2)) for c in (0, 4, 9)])
    U = start(X, 8, rng)
    found, _ = solve_gamma(X, U, 0.4, tol=1e-9)
    expected = reference.settle(X, U, 0.4)
    assert len(found.centroids) == len(expected)
    assert 1 < len(expected) < 8
    order, other = np.lexsort(found.centroids.T), np.lexsort(expected.T)
    np.testing.assert_allclose(found.centroids[order], expected[other], atol=1e-2)


def test_reported_objective_weights_and_masses(iris, rng):
    a = rng.uniform(0.5, 2, len(iris))
    U = start(np.unique(iris, axis=0), 5, rng)
    found, _ = solve_gamma(iris, U, 0.7, fuzzifier=1.8, sample_weight=a)
    value = judge.objective(iris, found.centroids, 0.7, fuzzifier=1.8, sample_weight=a)
    assert found.objective == pytest.approx(value, rel=1e-10)
    w, _, mass, *_ = reference.statistics(iris, a, found.centroids, 1.8)
    np.testing.assert_allclose(found.weight, w, rtol=1e-9)
    np.testing.assert_allclose(found.mass, mass, rtol=1e-9)
    assert found.duality_gap <= 1e-6
    assert found.converged


def test_iterations_are_bounded_and_said_to_be(iris, rng):
    U = start(np.unique(iris, axis=0), 5, rng)
    with pytest.warns(ConvergenceWarning, match="max_iter=2 "):
        found, _ = solve_gamma(iris, U, 0.1, max_iter=2, tol=0)
    assert found.n_iter == 2
    assert not found.converged


def test_convex_clustering_is_the_limit_of_crisp_memberships(rng):
    """K = n, m near 1: each row holds its own centroid with weight 1."""
    X, gamma = rng.normal(size=(8, 2)), 0.05
    found, _ = solve_gamma(X, X, gamma, fuzzifier=1.001, tol=1e-12)
    expected, _, fused = reference.solve_centroids(np.ones(8), X, gamma)
    assert not fused
    np.testing.assert_allclose(found.centroids, expected, atol=5e-3)
