"""The twin itself, against numbers by hand, closed forms and scipy's optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

import reference


def test_memberships_by_hand():
    # squared distances 1 and 4: inverse 1 and 1/4, so shares 4/5 and 1/5
    np.testing.assert_allclose(reference.memberships([[0.0]], [[1.0], [2.0]]), [[0.8, 0.2]])


def test_memberships_of_a_row_on_two_centroids_are_shared():
    mu = reference.memberships([[1.0, 1.0]], [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(mu, [[0.5, 0.0, 0.5]])


def test_statistics_by_hand():
    w, S, mass, _, term, _ = reference.statistics(
        np.array([[0.0]]), np.array([2.0]), np.array([[1.0], [2.0]])
    )
    np.testing.assert_allclose(w, [2 * 0.64, 2 * 0.04])
    np.testing.assert_allclose(S, [[0.0], [0.0]])
    np.testing.assert_allclose(mass, [1.6, 0.4])
    assert term == pytest.approx(0.5 * 2 * (0.64 * 1 + 0.04 * 4))


def test_prox_minimises_on_a_grid():
    y, threshold = np.array([1.0, 0.5]), 0.4
    grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 401)] * 2), axis=-1).reshape(-1, 2)
    values = 0.5 * ((grid - y) ** 2).sum(1) + threshold * np.linalg.norm(grid, axis=1)
    np.testing.assert_allclose(reference.prox(y, threshold), grid[values.argmin()], atol=0.01)


def test_two_centroids_have_a_closed_form():
    w, M, gamma = np.array([2.0, 5.0]), np.array([[0.0, 0.0], [3.0, 4.0]]), 1.5
    U, _, fused = reference.solve_centroids(w, M, gamma)
    direction = np.array([0.6, 0.8])
    np.testing.assert_allclose(U, [gamma / 2 * direction, M[1] - gamma / 5 * direction])
    assert not fused


def test_centroid_problem_against_a_general_optimiser(rng):
    w, M, gamma = rng.uniform(1, 3, 4), rng.normal(size=(4, 2)), 0.2

    def value(flat):
        U = flat.reshape(4, 2)
        pairs = [np.linalg.norm(U[k] - U[j]) for k in range(4) for j in range(k + 1, 4)]
        return 0.5 * (w * ((U - M) ** 2).sum(1)).sum() + gamma * sum(pairs)

    best = minimize(value, M.ravel(), method="Powell", options={"xtol": 1e-9, "ftol": 1e-13})
    U, _, _ = reference.solve_centroids(w, M, gamma)
    assert value(U.ravel()) <= best.fun + 1e-9
