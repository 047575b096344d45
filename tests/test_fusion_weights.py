"""Pairs weighed by mass: the centroid problem, one gamma, the path, and the law of gamma."""

import cvxpy
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist, pdist

import reference
from fastcaf import CAFHFCM, solve_gamma
from fastcaf import objective as judge
from fastcaf.data.sources import ArrayRows
from fastcaf.fusion.centroid_problem import (
    UNIFORM,
    no_multipliers,
    pair_distances,
    solve_centroids,
)
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.fusion.hierarchy import Tree
from fastcaf.fusion.path import first_gamma
from fastcaf.memberships import FuzzyMemberships

# The centroid problem


def random_problem(rng, spread=3.0):
    """Weights over six orders of magnitude, pulls near them; gamma from 0 to all fused."""
    K, d = int(rng.integers(2, 61)), int(rng.integers(1, 11))
    M, w = rng.normal(size=(K, d)), 10.0 ** rng.uniform(-spread, spread, K)
    pair_mass = w * 10.0 ** rng.uniform(-0.5, 0.5, K)
    return w, M, pdist(M).mean() * 10.0 ** rng.uniform(-5, 0.5), pair_mass


def solve(w, M, gamma, pair_mass, **options):
    return solve_centroids(
        w, M, gamma, M.copy(), no_multipliers(*M.shape), pair_mass=pair_mass, **options
    )


def scs(w, M, gamma, pair_mass):
    U = cvxpy.Variable(M.shape)
    K = len(w)
    pairs = [
        reference.pair_weight(pair_mass, k, j) * cvxpy.norm2(U[k] - U[j])
        for k in range(K)
        for j in range(k + 1, K)
    ]
    data = 0.5 * cvxpy.sum(cvxpy.multiply(w[:, None], cvxpy.square(U - M)))
    problem = cvxpy.Problem(cvxpy.Minimize(data + gamma * cvxpy.sum(cvxpy.hstack(pairs))))
    problem.solve(solver="SCS", eps_abs=1e-9, eps_rel=1e-9, max_iters=200_000)
    return U.value


def test_two_hundred_random_problems_are_certified(rng):
    fused = 0
    for _ in range(200):
        w, M, gamma, pair_mass = random_problem(rng)
        solution = solve(w, M, gamma, pair_mass)
        gap = judge.duality_gap(
            w, M, gamma, solution.centroids, solution.multipliers, pair_mass
        )
        assert -1e-12 <= gap <= 1e-6
        assert solution.duality_gap == pytest.approx(gap, abs=1e-9)
        expected = judge.pair_distances(solution.centroids, pair_mass)
        assert solution.pair_distances == pytest.approx(expected, rel=1e-9, abs=1e-12)
        fused += solution.n_sets < len(w)
    assert 20 <= fused <= 180


def test_against_an_independent_solver(rng):
    for _ in range(6):
        K, d = int(rng.integers(2, 13)), int(rng.integers(1, 6))
        M, w = rng.normal(size=(K, d)), rng.uniform(1, 20, K)
        pair_mass = w * rng.uniform(0.7, 1.3, K)
        gamma = 10.0 ** rng.uniform(-2, 0.3)
        found = solve(w, M, gamma, pair_mass, tolerance=1e-11, fusion_tolerance=1e-11).centroids
        assert np.abs(found - scs(w, M, gamma, pair_mass)).max() <= 1e-5


@pytest.mark.parametrize("K", [2, 5, 12])
def test_equals_the_twin(rng, K):
    M, w, gamma = rng.normal(size=(K, 3)), rng.uniform(1, 5, K), 0.5 / K
    pair_mass = w * rng.uniform(0.5, 2, K)
    solution = solve(w, M, gamma, pair_mass, tolerance=1e-13, fusion_tolerance=1e-13)
    U, _, fused = reference.solve_centroids(w, M, gamma, pair_mass=pair_mass)
    np.testing.assert_allclose(solution.centroids, U, atol=1e-6)
    np.testing.assert_array_equal(solution.labels, reference.components(K, fused))


@pytest.mark.parametrize("gamma", [0.3, 0.999, 1.001, 5.0])
def test_two_centroids_alone_fuse_where_gamma_is_their_distance(gamma):
    w, M = np.array([2.0, 6.0]), np.array([[0.0, 0.0], [0.6, 0.8]])
    solution = solve(w, M, gamma, w, tolerance=1e-12, fusion_tolerance=1e-12)
    # The lighter one goes gamma omega / w_1 = gamma w_2 / (w_1 + w_2): three quarters of it.
    way = min(gamma, 1.0) * M[1]
    assert solution.n_sets == (1 if gamma >= 1.0 else 2)
    expected = [0.75 * way, M[1] - 0.25 * way]
    np.testing.assert_allclose(solution.centroids, expected, atol=1e-6)


def test_pulls_of_two_are_uniform_weights(rng):
    """omega = 2 * 2 / (2 + 2) = 1."""
    w, M = rng.uniform(1, 5, 15), rng.normal(size=(15, 3))
    options = {"tolerance": 1e-12, "fusion_tolerance": 1e-12}
    for gamma in (0.02, 0.2):
        one = solve(w, M, gamma, np.full(15, 2.0), **options)
        other = solve(w, M, gamma, UNIFORM, **options)
        np.testing.assert_allclose(one.centroids, other.centroids, atol=1e-6)
        np.testing.assert_array_equal(one.labels, other.labels)


def test_a_warm_start_outside_the_new_balls_is_brought_inside(rng):
    """Pulls are taken anew between levels and may fall: the dual knows only the new ones."""
    w, M = rng.uniform(1, 5, 20), rng.normal(size=(20, 3))
    first = solve(w, M, 0.1, 10.0 * w)
    assert judge.centroid_dual(w, M, 0.1, first.multipliers, w) == -np.inf
    for sweeps in (1, 2, None):
        warm = solve_centroids(
            w, M, 0.1, first.centroids, first.multipliers, pair_mass=w, max_sweeps=sweeps
        )
        gap = judge.duality_gap(w, M, 0.1, warm.centroids, warm.multipliers, w)
        assert gap == pytest.approx(warm.duality_gap, abs=1e-9)
        assert gap >= -1e-12
    assert gap <= 1e-6


def test_one_bad_weight_does_not_make_sweeps_many(rng):
    """One beta for all pairs would take thousands: light centroids would crawl."""
    w, M = rng.uniform(1, 5, 40), rng.normal(size=(40, 3))
    w[::10] *= 1e-4
    assert solve(w, M, 0.3, w).n_sweeps < 1000


@pytest.mark.parametrize("gamma", [5.0, 1e6, 1e15, 1e30])
def test_a_gamma_far_beyond_what_fuses_everything(rng, gamma):
    w, M = rng.uniform(1, 2, 8), rng.normal(size=(8, 3))
    solution = solve(w, M, gamma, w)
    assert solution.n_sets == 1
    np.testing.assert_allclose(solution.centroids, np.tile(w @ M / w.sum(), (8, 1)), atol=1e-9)
    gap = judge.duality_gap(w, M, gamma, solution.centroids, solution.multipliers, w)
    assert abs(gap) <= 1e-6


def test_pair_distances_equal_the_judges(rng):
    U, pair_mass = rng.normal(size=(7, 2)), rng.uniform(1, 9, 7)
    assert pair_distances(U, pair_mass) == pytest.approx(judge.pair_distances(U, pair_mass))
    assert pair_distances(U, UNIFORM) == pytest.approx(judge.pair_distances(U))
    assert pair_distances(U[:1], pair_mass[:1]) == 0.0


# One gamma


def start(X, K, rng):
    return X[rng.choice(len(X), K, replace=False)]


@pytest.mark.parametrize("gamma", [0.001, 0.03, 0.2, 1.0])
@pytest.mark.parametrize("m", [1.3, 2.0, 2.5])
def test_objective_never_rises_between_fusions(iris, rng, gamma, m):
    X = np.unique(iris, axis=0)
    found, _ = solve_gamma(
        X, start(X, 20, rng), gamma, fuzzifier=m, fusion_weights="mass", tol=1e-9, max_iter=2000
    )
    values, counts = found.history.T
    same = counts[1:] == counts[:-1]
    assert (np.diff(values)[same] <= 1e-12 * values[:-1][same]).all()


def unequal(rng):
    return np.concatenate([rng.normal(c, 0.3, (n, 2)) for c, n in ((0, 30), (4, 10), (9, 6))])


def test_one_gamma_equals_the_twin(rng):
    X = unequal(rng)
    U = X[[0, 32, 44]]
    found, _ = solve_gamma(X, U, 0.5, fusion_weights="mass", tol=1e-12, max_iter=2000)
    expected = reference.settle(X, U, 0.5, by_mass=True, tol=1e-12)
    np.testing.assert_allclose(found.centroids, expected, atol=1e-3)
    uniform, _ = solve_gamma(X, U, 0.5, tol=1e-12, max_iter=2000)
    assert np.abs(uniform.centroids - expected).max() > 0.1


def test_reported_objective_and_settled_centroids(blobs, rng):
    X, _ = blobs
    a = rng.uniform(0.5, 2, len(X))
    found, _ = solve_gamma(
        X,
        start(X, 5, rng),
        0.1,
        fusion_weights="mass",
        sample_weight=a,
        tol=1e-13,
        max_iter=2000,
    )
    options = {"sample_weight": a, "pair_mass": found.pair_mass}
    value = judge.objective(X, found.centroids, 0.1, **options)
    assert found.objective == pytest.approx(value, rel=1e-10)
    residuals = judge.optimality_residuals(X, found.centroids, 0.1, **options)
    assert residuals.max() <= 1e-3 * X.std()
    assert len(solve_gamma(X, start(X, 5, rng), 0.1)[0].pair_mass) == 0


def test_gamma_is_a_distance(iris):
    """It follows the scale of the rows, and row weights do not change it."""
    plain, scaled, heavier = (
        CAFHFCM(fusion_weights="mass", random_state=0, selection="persistence").fit(
            X, sample_weight=a
        )
        for X, a in ((iris, None), (1024.0 * iris, None), (iris, np.full(150, 64.0)))
    )
    np.testing.assert_array_equal(scaled.path_.gammas, 1024.0 * plain.path_.gammas)
    np.testing.assert_allclose(scaled.linkage_[:, 2], 1024.0 * plain.linkage_[:, 2])
    np.testing.assert_allclose(heavier.path_.gammas, plain.path_.gammas, rtol=1e-9)
    np.testing.assert_allclose(
        heavier.path_.levels[-2].pair_mass, 64 * plain.path_.levels[-2].pair_mass
    )
    assert heavier.objective_ == pytest.approx(64.0 * plain.objective_, rel=1e-6)


# The path


def test_a_path_equals_the_twin_with_fusions(rng):
    """At the level of a fusion the pulls are those of a moment; a level later they agree."""
    X, gammas = unequal(rng), np.array([0.0, 0.05, 0.1, 0.2, 0.4, 0.45, 0.5, 2.5, 2.6, 2.7])
    U = X[[0, 10, 20, 32, 44]]
    model = CAFHFCM(
        gamma=gammas, fusion_weights="mass", init=U, prune=False, tol=1e-9, max_iter=2000
    ).fit(X)
    expected = reference.path(X, U, gammas, by_mass=True)
    counts = [len(level) for level in expected]
    found = model.path_.n_clusters.tolist()
    assert found == counts[: len(found)]
    assert len(set(found)) >= 3
    for i in range(2, len(found)):
        if counts[i - 2] == counts[i]:
            apart = cdist(model.path_.levels[i].centroids, expected[i])
            assert apart[linear_sum_assignment(apart)].max() <= 0.02


@pytest.fixture(scope="module", params=[True, False], ids=["pruned", "exact"])
def fitted(request, iris):
    return CAFHFCM(
        fusion_weights="mass", prune=request.param, random_state=0, selection="persistence"
    ).fit(iris)


def test_a_path_ends_at_one_cluster(fitted):
    counts = fitted.path_.n_clusters
    assert counts[0] == 24
    assert counts[-1] == 1
    assert (np.diff(counts) <= 0).all()
    assert len(np.unique(counts)) >= 5


def test_levels_are_certified_and_consistent(fitted, iris):
    before = fitted.path_.levels[0]
    np.testing.assert_array_equal(before.pair_mass, before.weight)
    for level in fitted.path_.levels:
        assert level.converged
        assert level.duality_gap <= 1e-6
        value = judge.objective(iris, level.centroids, level.gamma, pair_mass=level.pair_mass)
        assert level.objective == pytest.approx(value, rel=1e-9)
        assert level.pair_mass.shape == level.weight.shape
        # Frozen since the level began; the reported one settled further, at the end.
        if level.n_clusters == before.n_clusters and before.gamma != fitted.gamma_:
            np.testing.assert_array_equal(level.pair_mass, before.weight)
        before = level


def test_reported_objective_is_that_of_the_level(fitted, iris):
    (level,) = (one for one in fitted.path_.levels if one.gamma == fitted.gamma_)
    assert fitted.objective_ == pytest.approx(level.objective, rel=1e-9)


@pytest.mark.parametrize("number", range(1, 25))
def test_every_number_of_clusters_can_be_cut(iris, number):
    model = CAFHFCM(number, fusion_weights="mass", random_state=0, selection="persistence").fit(
        iris
    )
    assert model.n_clusters_ == number
    assert model.objective_ > 0.0


def test_the_first_gamma_of_two_centroids_is_their_distance(rng):
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (10, 2))])
    solver = Solver(ArrayRows(X, np.empty(0)), FuzzyMemberships(2.0), fusion_weights="mass")
    state, _ = solver.settle(solver.start(X[[0, 35]]), 0.0, lambda places, labels: None)
    assert first_gamma(state) == pytest.approx(pdist(state.centroids)[0])


def test_below_the_first_gamma_hardly_any_two_fuse(rng):
    X = rng.normal(size=(200, 2))
    solver = Solver(ArrayRows(X, np.empty(0)), FuzzyMemberships(1.3), fusion_weights="mass")
    state, _ = solver.settle(solver.start(X[:15]), 0.0, lambda places, labels: None)
    w, means = state.statistics.held_means(state.centroids)
    omega = np.array([[reference.pair_weight(w, k, j) for j in range(15)] for k in range(15)])
    np.fill_diagonal(omega, 0.0)
    reach = omega.sum(axis=1) / w  # how far gamma = 1 moves each centroid at the most
    apart = np.linalg.norm(state.centroids[:, None] - state.centroids, axis=2)
    np.fill_diagonal(apart, np.inf)
    bound = (apart / (reach[:, None] + reach)).min(axis=1)
    assert first_gamma(state) == pytest.approx(np.quantile(bound, 0.1))
    assert solve(w, means, 0.99 * bound.min(), w, tolerance=1e-9).n_sets == 15


def test_a_tree_is_completed_at_distances():
    heights = {}
    for by_mass in (True, False):
        tree = Tree(2)
        tree.complete(0.1, np.array([[0.0], [3.0]]), np.array([2.0, 4.0]), by_mass)
        heights[by_mass] = tree.merges[0].gamma
    assert heights == {True: pytest.approx(3.0), False: pytest.approx(4.0)}


def test_a_path_cut_short_ends_in_a_tree_of_rising_gammas(iris):
    model = CAFHFCM(gamma=0.2, fusion_weights="mass", random_state=0).fit(iris)
    assert model.path_.gammas[-1] == pytest.approx(0.2)
    assert model.n_clusters_ > 1
    assert (np.diff(model.linkage_[:, 2]) >= 0.0).all()


@pytest.mark.parametrize("seed", range(5))
def test_small_clusters_beside_large_ones_are_found(seed):
    """Three clusters of 2000 rows and five of 100; uniform weights find 4."""
    rng = np.random.default_rng(seed)
    large = [(-8, 0), (-5, 3), (-5, -3)]
    small = [(6, -4), (6, 4), (9, -4), (9, 4), (7.5, 0)]
    sizes = [2000] * len(large) + [100] * len(small)
    places = zip(large + small, sizes, strict=True)
    X = np.concatenate([rng.normal(place, 0.3, (n, 2)) for place, n in places])
    model = CAFHFCM(fusion_weights="mass", random_state=seed, selection="persistence").fit(X)
    assert model.n_clusters_ == 8
    assert sorted(np.bincount(model.labels_)) == sorted(sizes)
