"""The judge: plain formulas, held against the twin and against each other."""

import numpy as np
import pytest

import reference
from fastcaf import objective as judge


def test_memberships_equal_the_twin(rng):
    X, U = rng.normal(size=(20, 3)), rng.normal(size=(4, 3))
    X[0] = U[1]
    for m in (1.2, 2.0, 3.5):
        np.testing.assert_allclose(
            judge.memberships(X, U, m), reference.memberships(X, U, m), atol=1e-12
        )


def test_objective_equals_the_twin(rng):
    X, U, a = rng.normal(size=(20, 3)), rng.normal(size=(4, 3)), rng.uniform(0.5, 2, 20)
    pairs = sum(np.linalg.norm(U[k] - U[j]) for k in range(4) for j in range(k + 1, 4))
    expected = reference.statistics(X, a, U, 1.7)[4] + 0.3 * pairs
    found = judge.objective(X, U, 0.3, fuzzifier=1.7, sample_weight=a)
    assert found == pytest.approx(expected)


def test_weak_duality_for_any_feasible_multipliers(rng):
    w, M, gamma = rng.uniform(1, 3, 5), rng.normal(size=(5, 2)), 0.4
    for _ in range(50):
        U = rng.normal(size=(5, 2))
        packed = rng.uniform(-1, 1, size=2 * 10) * gamma / np.sqrt(2)
        assert judge.duality_gap(w, M, gamma, U, packed) >= 0.0


def test_infeasible_multipliers_certify_nothing():
    assert judge.centroid_dual([1, 1], [[0.0], [1.0]], 0.5, [0.6]) == -np.inf


def test_dual_meets_primal_in_the_closed_form_of_two():
    w, M, gamma = np.array([2.0, 5.0]), np.array([[0.0], [3.0]]), 1.0
    U = np.array([[gamma / 2], [3.0 - gamma / 5]])
    # lambda = -gamma (u_1 - u_2) / ||u_1 - u_2||, which points to +gamma here
    assert judge.duality_gap(w, M, gamma, U, [gamma]) == pytest.approx(0.0, abs=1e-15)


def test_residuals_vanish_at_a_stationary_point_and_not_elsewhere(rng):
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(8, 1, (30, 2))])
    U = reference.settle(X, X[[0, 59]], gamma=2.0, tol=1e-15)
    assert judge.optimality_residuals(X, U, 2.0).max() < 1e-6
    assert judge.optimality_residuals(X, U + 0.1, 2.0).min() > 1e-2
