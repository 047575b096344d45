"""Only neighbours pull: who they are, the centroid problem, one gamma, the path, its files."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from test_fusion_weights import scs

import fastcaf
import reference
from fastcaf import CAFHFCM, solve_gamma
from fastcaf import objective as judge
from fastcaf.exceptions import ModelFileError
from fastcaf.fusion.centroid_problem import no_multipliers, solve_centroids
from fastcaf.fusion.pair_weights import edges_between, edges_of, matrix_of

# Who are neighbours


def test_neighbours_equal_the_twins(rng):
    for K in (7, 8, 15, 40):
        U = rng.normal(size=(K, 2)) + 20.0 * rng.integers(0, 4, (K, 1))
        edges = edges_between(U)
        np.testing.assert_allclose(matrix_of(edges, K), reference.neighbour_weights(U))
        assert edges[:, 2].sum() == pytest.approx(K * (K - 1) / 2)
        np.testing.assert_array_equal(edges_of(matrix_of(edges, K).ravel(), K), edges)


def test_up_to_six_centroids_all_pairs_are_neighbours(rng):
    for K in range(1, 7):
        assert len(edges_between(rng.normal(size=(K, 3)))) == 0
        np.testing.assert_allclose(
            reference.neighbour_weights(rng.normal(size=(K, 3))).sum(), K * (K - 1)
        )


def test_groups_far_apart_are_connected(rng):
    """Nine places at 0 and nine at 1e6, one of them taken by all: no neighbour is elsewhere."""
    for spread in (0.0, 1.0):
        U = np.repeat([[0.0], [1e6]], 9, axis=0) + spread * rng.normal(size=(18, 1))
        edges = edges_between(U)[:, :2].astype(int)
        assert reference.components(18, edges.tolist()).max() == 0
        assert ((edges[:, 0] < 9) & (edges[:, 1] >= 9)).sum() == 1


# The centroid problem


def solve(w, M, gamma, weights, **options):
    return solve_centroids(
        w, M, gamma, M.copy(), no_multipliers(*M.shape), pair_mass=weights.ravel(), **options
    )


def random_problem(rng, most=60):
    K, d = int(rng.integers(7, most)), int(rng.integers(1, 9))
    M, w = rng.normal(size=(K, d)), 10.0 ** rng.uniform(-1, 2, K)
    gamma = pdist(M).mean() * w.mean() / K * 10.0 ** rng.uniform(-3, 0.5)
    return w, M, gamma, matrix_of(edges_between(M), K)


def test_random_problems_are_certified(rng):
    fused = 0
    for _ in range(60):
        w, M, gamma, weights = random_problem(rng)
        solution = solve(w, M, gamma, weights)
        gap = judge.duality_gap(w, M, gamma, solution.centroids, solution.multipliers, weights)
        assert -1e-12 <= gap <= 1e-6
        assert solution.duality_gap == pytest.approx(gap, abs=1e-9)
        expected = judge.pair_distances(solution.centroids, weights)
        assert solution.pair_distances == pytest.approx(expected, rel=1e-9, abs=1e-12)
        fused += solution.n_sets < len(w)
    assert 10 <= fused <= 55


def test_against_an_independent_solver(rng):
    for _ in range(4):
        w, M, gamma, weights = random_problem(rng, most=14)
        found = solve(w, M, gamma, weights, tolerance=1e-11, fusion_tolerance=1e-11)
        assert np.abs(found.centroids - scs(w, M, gamma, weights)).max() <= 1e-4


def test_a_pair_without_weight_does_not_fuse_by_itself():
    """The first two lie in one place, but are tied to the third alone."""
    weights = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    w, M = np.ones(3), np.array([[0.0], [0.0], [10.0]])
    apart = solve(w, M, 1.0, weights, tolerance=1e-12)
    np.testing.assert_allclose(apart.centroids, [[1.0], [1.0], [8.0]], atol=1e-5)
    assert apart.n_sets == 3
    assert np.isfinite(apart.multipliers).all()
    assert solve(w, M, 4.0, weights).n_sets == 1


def test_parts_without_an_edge_between_them_stay_apart(rng):
    weights = np.kron(np.eye(2), np.ones((4, 4))) - np.eye(8)
    M = np.repeat([[0.0], [5.0]], 4, axis=0) + rng.normal(size=(8, 1))
    solution = solve(np.ones(8), M, 50.0, weights)
    np.testing.assert_array_equal(solution.labels, np.repeat([0, 1], 4))
    np.testing.assert_allclose(
        solution.centroids, np.repeat([M[:4].mean(), M[4:].mean()], 4)[:, None]
    )


@pytest.mark.parametrize("gamma", [1e3, 1e6, 1e15, 1e30])
def test_a_gamma_far_beyond_what_fuses_everything(rng, gamma):
    w, M, _, weights = random_problem(rng)
    solution = solve(w, M, gamma, weights)
    assert solution.n_sets == 1
    np.testing.assert_allclose(
        solution.centroids, np.tile(w @ M / w.sum(), (len(w), 1)), atol=1e-9
    )
    gap = judge.duality_gap(w, M, gamma, solution.centroids, solution.multipliers, weights)
    assert abs(gap) <= 1e-6


# One gamma


def start(X, K, rng):
    return X[rng.choice(len(X), K, replace=False)]


@pytest.mark.parametrize("gamma", [0.001, 0.03, 0.2, 1.0])
@pytest.mark.parametrize("m", [1.3, 2.0, 2.5])
def test_objective_never_rises_between_fusions(iris, rng, gamma, m):
    X = np.unique(iris, axis=0)
    options = {"fuzzifier": m, "fusion_weights": "neighbours", "tol": 1e-9, "max_iter": 2000}
    found, _ = solve_gamma(X, start(X, 20, rng), gamma, **options)
    values, counts = found.history.T
    same = counts[1:] == counts[:-1]
    assert (np.diff(values)[same] <= 1e-12 * values[:-1][same]).all()


def test_one_gamma_equals_the_twin(rng):
    """Ten clusters on a line: the ends know nothing of each other."""
    X = np.concatenate([rng.normal((4 * c, 0), 0.3, (12, 2)) for c in range(10)])
    U = X[5::12]
    options = {"tol": 1e-12, "max_iter": 2000}
    found, _ = solve_gamma(X, U, 0.5, fusion_weights="neighbours", **options)
    expected = reference.settle(X, U, 0.5, by_neighbours=True, tol=1e-12)
    apart = cdist(found.centroids, expected)
    assert len(found.centroids) == len(expected) == 10
    assert apart[linear_sum_assignment(apart)].max() <= 1e-3
    uniform, _ = solve_gamma(X, U, 0.5, **options)
    assert cdist(uniform.centroids, expected).min(axis=1).max() > 0.01
    value = judge.objective(X, found.centroids, 0.5, pair_mass=found.pair_weights)
    assert found.objective == pytest.approx(value, rel=1e-10)


def test_a_large_gamma_gives_one_cluster(iris, rng):
    for gamma in (1e3, 1e12):
        found, fused = solve_gamma(
            iris, start(np.unique(iris, axis=0), 20, rng), gamma, fusion_weights="neighbours"
        )
        assert found.n_clusters == 1
        assert not fused.any()


def test_few_centroids_are_uniform_to_the_bit(iris):
    neighbours, uniform = (
        CAFHFCM(fusion_weights=weights, n_start=6, random_state=0).fit(iris)
        for weights in ("neighbours", "uniform")
    )
    np.testing.assert_array_equal(neighbours.linkage_, uniform.linkage_)
    np.testing.assert_array_equal(neighbours.cluster_centers_, uniform.cluster_centers_)


# The path


@pytest.fixture(scope="module", params=["fcm", "entropy"])
def fitted(request, iris):
    return CAFHFCM(
        fusion_weights="neighbours",
        membership=request.param,
        random_state=0,
        selection="persistence",
    ).fit(iris)


def test_a_path_ends_at_one_cluster(fitted):
    counts = fitted.path_.n_clusters
    assert counts[0] == 24
    assert counts[-1] == 1
    assert (np.diff(counts) <= 0).all()
    assert len(np.unique(counts)) >= 5


def test_levels_are_certified_and_know_their_edges(fitted, iris):
    before = fitted.path_.levels[0]
    for level in fitted.path_.levels:
        assert level.converged
        assert level.duality_gap <= 1e-6
        assert (len(level.edges) > 0) == (level.n_clusters > 7) or level.n_clusters == 7
        if fitted.membership == "fcm":
            options = {"pair_mass": level.pair_weights}
            value = judge.objective(iris, level.centroids, level.gamma, **options)
            assert level.objective == pytest.approx(value, rel=1e-9)
        # Frozen since the level began; the reported one settled further, at the end.
        if level.n_clusters == before.n_clusters and before.gamma != fitted.gamma_:
            expected = reference.neighbour_weights(before.centroids)
            np.testing.assert_allclose(level.pair_weights, expected)
        before = level


@pytest.mark.parametrize("number", range(1, 25))
def test_every_number_of_clusters_can_be_cut(iris, fitted, number):
    model = clone(fitted).set_params(n_clusters=number).fit(iris)
    assert model.n_clusters_ == len(model.cluster_centers_) == number
    np.testing.assert_array_equal(model.linkage_, fitted.linkage_)


def test_between_two_levels_neighbours_are_found_anew(fitted):
    level = fitted.path_.levels[0]
    merged = level.merged(np.maximum(np.arange(24) - 1, 0))
    np.testing.assert_allclose(
        merged.pair_weights, reference.neighbour_weights(merged.centroids)
    )


def test_gamma_is_that_of_the_paper(iris):
    """A weight times a distance: it follows the scale of the rows and their weights."""
    options = {"fusion_weights": "neighbours", "random_state": 0, "membership": "fcm"}
    plain, scaled, heavier = (
        CAFHFCM(**options).fit(X, sample_weight=a)
        for X, a in ((iris, None), (1024.0 * iris, None), (iris, np.full(150, 64.0)))
    )
    np.testing.assert_array_equal(scaled.path_.gammas, 1024.0 * plain.path_.gammas)
    np.testing.assert_allclose(heavier.path_.gammas, 64.0 * plain.path_.gammas, rtol=1e-9)
    for one, other in zip(plain.path_.levels, scaled.path_.levels, strict=True):
        np.testing.assert_array_equal(one.edges, other.edges)


@pytest.mark.parametrize("membership", ["auto", "fcm"])
def test_a_weight_is_a_number_of_copies(rng, membership):
    X = make_blobs(90, centers=5, cluster_std=0.7, random_state=2)[0]
    copies = rng.integers(1, 4, len(X))
    model = CAFHFCM(
        fusion_weights="neighbours", membership=membership, init=X[:16], random_state=0
    )
    options = {"n_clusters": None}
    weighted = CAFHFCM(**{**model.get_params(), **options}).fit(X, sample_weight=copies)
    repeated = CAFHFCM(**{**model.get_params(), **options}).fit(np.repeat(X, copies, axis=0))
    assert weighted.n_clusters_ == repeated.n_clusters_ == 5
    np.testing.assert_allclose(weighted.path_.gammas, repeated.path_.gammas, rtol=1e-6)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, copies), repeated.labels_)


def test_the_default_finds_clusters_with_them():
    X, y = make_blobs(400, centers=9, cluster_std=0.5, random_state=4)
    model = CAFHFCM(fusion_weights="neighbours", random_state=0).fit(X)
    assert model.n_clusters_ == len(np.unique(y))
    assert adjusted_rand_score(y, model.labels_) > 0.95


# Files


def test_edges_are_saved_and_read(fitted, tmp_path):
    fitted.save(tmp_path / "model.fcaf")
    loaded = fastcaf.load(tmp_path / "model.fcaf")
    for mine, its in zip(fitted.path_.levels, loaded.path_.levels, strict=True):
        np.testing.assert_array_equal(mine.edges, its.edges)
        np.testing.assert_array_equal(mine.pair_weights, its.pair_weights)


@pytest.mark.parametrize("edge", [(0, 24, 1.0), (3, 3, 1.0), (0.5, 2, 1.0), (1, 2, -1.0)])
def test_edges_of_no_level_are_refused(fitted, tmp_path, edge):
    first, *others = fitted.path_.levels
    wrong = np.concatenate([[edge], first.edges[1:]])
    broken = copy(fitted)
    broken.path_ = replace(fitted.path_, levels=[replace(first, edges=wrong), *others])
    broken.paths_ = {fitted.membership: broken.path_}
    with pytest.raises(ModelFileError, match=r"an edge is between|edges has numbers below 0"):
        broken.save(tmp_path / "model.fcaf")  # reads what it is about to write
