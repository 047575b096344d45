"""Path invariants."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
)

import reference
from fastcaf import CAFHFCM
from fastcaf import objective as judge


@pytest.fixture(scope="module", params=[True, False], ids=["pruned", "exact"])
def fitted(request, iris):
    return CAFHFCM(prune=request.param, random_state=0, selection="persistence").fit(iris)


def test_starts_with_nothing_fused_and_ends_with_one(fitted):
    path = fitted.path_
    assert path.gammas[0] == 0.0
    assert path.n_clusters[0] == len(path.start) == int(2 * np.sqrt(149))
    assert path.n_clusters[-1] == 1


def test_gammas_rise_and_numbers_of_clusters_fall(fitted):
    assert (np.diff(fitted.path_.gammas) > 0).all()
    assert (np.diff(fitted.path_.n_clusters) <= 0).all()


def test_automatic_gammas_are_geometric(fitted):
    """Steps are the ratio, or roots of it where most centroids would fuse at once."""
    ratios = fitted.path_.gammas[2:] / fitted.path_.gammas[1:-1]
    allowed = 1.15 ** np.array([1.0, 0.5, 0.25, 0.125])
    assert np.abs(ratios[:, None] - allowed).min(axis=1).max() < 1e-9


@pytest.mark.filterwarnings("ignore::fastcaf.NoClearStructureWarning")
@pytest.mark.parametrize("seed", range(4))
def test_noise_does_not_fuse_all_at_once(seed):
    """From gamma = 0 straight to a gamma that fuses something, all could fuse."""
    X = np.random.default_rng(seed).normal(size=(200, 2))
    counts = (
        CAFHFCM(random_state=0, prune=False, selection="persistence").fit(X).path_.n_clusters
    )
    assert counts[1] * 3 >= counts[0]
    assert len(np.unique(counts)) >= 5


def test_levels_are_certified_and_consistent(fitted, iris):
    for level in fitted.path_.levels:
        assert level.converged
        assert level.duality_gap <= 1e-6
        value = judge.objective(iris, level.centroids, level.gamma)
        assert level.objective == pytest.approx(value, rel=1e-9)
        assert level.mass.sum() == pytest.approx(len(iris))
        assert len(level.nodes) == level.n_clusters == len(level.weight)
        assert level.n_iter == len(level.history)


def test_centroids_of_a_level_are_distinct(fitted):
    for level in fitted.path_.levels:
        assert len(np.unique(level.centroids, axis=0)) == level.n_clusters


def test_merges_are_nested(fitted):
    """A node never comes back: the sets of starting centroids only grow together."""
    path = fitted.path_
    members = {node: {node} for node in range(len(path.start))}
    for i, merge in enumerate(path.merges):
        members[len(path.start) + i] = members[merge.first] | members[merge.second]
        assert merge.sizes == (len(members[merge.first]), len(members[merge.second]))
    before = [{node} for node in range(len(path.start))]
    for level in path.levels:
        sets = [members[node] for node in level.nodes.tolist()]
        assert sorted(x for s in sets for x in s) == list(range(len(path.start)))
        assert all(any(old <= new for new in sets) for old in before)
        before = sets


def test_every_merge_lies_at_the_gamma_of_its_level(fitted):
    path = fitted.path_
    made = len(path.start) - path.n_clusters
    for i, merge in enumerate(path.merges):
        level = int(np.searchsorted(made, i, side="right"))
        assert merge.gamma == path.gammas[level]
        assert merge.distance > 0.0


def test_only_pruning_drops(iris):
    kinds = {
        prune: {
            merge.kind
            for merge in CAFHFCM(prune=prune, random_state=0, selection="persistence")
            .fit(iris)
            .path_.merges
        }
        for prune in (True, False)
    }
    assert kinds[True] == {"fused", "dropped"}
    assert kinds[False] == {"fused"}


def test_equals_the_twin_on_a_given_grid(rng):
    X = np.concatenate([rng.normal(c, 0.3, (10, 2)) for c in ([0, 0], [3, 0], [0, 7])])
    U = X[rng.choice(len(X), 6, replace=False)]
    gammas = np.array([0.02, 0.1, 0.4, 1.5, 4.0, 20.0, 60.0])
    model = CAFHFCM(gamma=gammas, init=U, prune=False, tol=1e-9, max_iter=2000).fit(X)
    expected = reference.path(X, U, model.path_.gammas)
    counts = [len(level) for level in expected]
    assert len(set(counts)) >= 3
    assert model.path_.n_clusters.tolist() == counts[: len(model.path_.levels)]
    for level, centroids in zip(model.path_.levels, expected, strict=False):
        apart = cdist(level.centroids, centroids)
        assert apart[linear_sum_assignment(apart)].max() <= 0.02


def test_given_gammas_follow_the_automatic_series_as_they_are(iris):
    gammas = np.arange(0.1, 3.0, 0.1)
    path = CAFHFCM(gamma=gammas, random_state=0).fit(iris).path_
    np.testing.assert_allclose(path.gammas[-len(gammas) :], gammas)
    assert path.gammas[0] == 0.0
    assert path.gammas[-len(gammas) - 1] < 0.1


def test_a_coarse_grid_does_not_fuse_everything_at_once(iris):
    """From 24 centroids straight to gamma = 0.1 all would fuse."""
    path = CAFHFCM(gamma=[0.1, 0.2], prune=False, random_state=0).fit(iris).path_
    assert path.n_clusters[-2] >= 8


def test_one_gamma_ends_the_automatic_series(iris):
    model = CAFHFCM(gamma=4.3, random_state=0).fit(iris)
    assert model.path_.gammas[-1] == pytest.approx(4.3)
    assert model.gamma_ == model.path_.gammas[-1]
    whole = CAFHFCM(random_state=0, selection="persistence").fit(iris)
    shared = len(model.path_.levels) - 1
    np.testing.assert_array_equal(model.path_.gammas[:shared], whole.path_.gammas[:shared])


def test_gamma_zero_alone_is_fuzzy_c_means_from_the_start(iris):
    path = CAFHFCM(gamma=0.0, random_state=0).fit(iris).path_
    assert path.gammas.tolist() == [0.0]
    assert path.n_clusters.tolist() == [len(path.start)]


def test_finer_series_finds_the_same_clusters(blobs):
    X, _ = blobs
    coarse = CAFHFCM(random_state=0, selection="persistence").fit(X)
    fine = CAFHFCM(gamma_ratio=1.03, random_state=0, selection="persistence").fit(X)
    # clusters of equal size may be numbered in another order
    assert adjusted_rand_score(coarse.labels_, fine.labels_) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_iris_reproduces_the_published_figures_for_any_start(iris, seed):
    labels = CAFHFCM(gamma=4.3, random_state=seed).fit_predict(iris)
    species = np.repeat([0, 1, 2], 50)
    figures = [
        rand_score(species, labels),
        adjusted_rand_score(species, labels),
        normalized_mutual_info_score(species, labels),
    ]
    np.testing.assert_allclose(figures, [0.9124, 0.8019, 0.7959], atol=5e-5)
