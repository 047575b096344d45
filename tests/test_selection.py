"""Rules on hand-made paths, known numbers on clear data, and support."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from fastcaf import CAFHFCM, NoClearStructureWarning
from fastcaf.memberships import FuzzyMemberships
from fastcaf.path import Level, Path
from fastcaf.selection import Run, persistence, plateau, rank, runs_of
from fastcaf.support import weakest_unsupported


def level(gamma, c, separation=0.5):
    empty = np.empty((c, 1))
    return Level(
        gamma, empty, np.arange(c), empty[:, 0], empty[:, 0], 0.0, separation, 1, 1, 0.0, True,
        np.empty((1, 2)), FuzzyMemberships(),
    )  # fmt: skip


def hand_made(pairs, n_start=20):
    return Path(np.empty((n_start, 1)), [level(*pair) for pair in pairs], [])


def test_runs_of_a_path():
    path = hand_made([(0.0, 20), (1.0, 5), (2.0, 5), (4.0, 3), (8.0, 3), (16.0, 3), (32.0, 1)])
    found = [
        (run.n_clusters, run.n_before, run.gamma_start, run.gamma_end, run.middle)
        for run in runs_of(path)
    ]
    assert found == [
        (20, 20, 0.0, 1.0, 0),
        (5, 20, 1.0, 4.0, 1),
        (3, 5, 4.0, 32.0, 4),
        (1, 3, 32.0, 32.0, 6),
    ]


def test_persistence_by_hand():
    run = Run(3, 6, 0, 1, gamma_start=2.0, gamma_end=20.0, separation=0.5)
    expected = np.log(10) - 2.5 * np.log(2) + 3 * np.log(0.5)
    assert persistence(run, effective_dimension=2.0) == pytest.approx(expected)


def test_persistence_where_gamma_is_a_distance():
    """Balanced clusters fuse at a gamma that falls with c, not with its square."""
    run = Run(3, 6, 0, 1, gamma_start=2.0, gamma_end=20.0, separation=0.5, by_mass=True)
    expected = np.log(10) - 1.5 * np.log(2) + 3 * np.log(0.5)
    assert persistence(run, effective_dimension=2.0) == pytest.approx(expected)


def test_persistence_of_a_run_without_birth_or_separation_is_least():
    assert persistence(Run(3, 6, 0, 1, 0.0, 2.0, 0.5), 2.0) == -np.inf
    assert persistence(Run(3, 6, 0, 1, 1.0, 2.0, 0.0), 2.0) == -np.inf


def test_plateau_is_the_length_on_the_linear_axis():
    assert plateau(Run(3, 6, 0, 1, 2.0, 20.0, 0.5), 2.0) == 18.0


def test_candidates_are_ranked_and_bounded():
    path = hand_made([(0.0, 20), (1.0, 16), (2.0, 5), (4.0, 3), (50.0, 1)])
    candidates = rank(path, plateau, 2.0)
    assert [c.n_clusters for c in candidates] == [3, 5]  # 16 > 0.7 * 20 and 1 are no candidates
    assert candidates[0].level == 3
    assert candidates[0].score == 46.0


def test_levels_below_the_given_grid_are_no_candidates():
    path = hand_made([(0.0, 20), (1.0, 9), (2.0, 5), (4.0, 5), (5.0, 3), (6.0, 3), (7.0, 3)])
    candidates = rank(path, plateau, 2.0, first_gamma=4.0)
    assert [(c.n_clusters, c.score) for c in candidates] == [(3, 2.0), (5, 1.0)]


def test_a_path_without_candidates_reports_its_end():
    path = hand_made([(0.0, 20), (1.0, 1)])
    assert [c.n_clusters for c in rank(path, persistence, 2.0)] == [1]


@pytest.mark.parametrize("c", [2, 3, 5, 8, 13])
@pytest.mark.parametrize("d", [2, 5])
def test_clear_clusters_are_found(c, d):
    """Gaussian clusters on random points of a grid, six deviations apart or more."""
    rng = np.random.default_rng(c)
    places = np.unique(rng.integers(0, 6, size=(400, d)), axis=0)
    centers = rng.permutation(places)[:c].astype(float)
    X, y = make_blobs(60 * c, d, centers=centers, cluster_std=1 / 6, random_state=c)
    model = CAFHFCM(random_state=0).fit(X)
    assert model.n_clusters_ == c
    assert adjusted_rand_score(y, model.labels_) > 0.95


@pytest.mark.parametrize("d", [2, 5, 10])
@pytest.mark.parametrize("membership", ["fcm", "auto"])
def test_structureless_data_are_said_to_be(d, membership):
    X = np.random.default_rng(d).normal(size=(300, d))
    with pytest.warns(NoClearStructureWarning, match="structureless data reach"):
        CAFHFCM(membership=membership, random_state=0).fit(X)


@pytest.mark.parametrize("d", [2, 8, 32])
def test_clear_mixtures_are_not_said_to_be_structureless(d):
    """A warning would be an error here: see pyproject.toml."""
    angles = 2.0 * np.pi * np.arange(5) / 5
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    centers = 8.0 * (ring if d == 2 else np.eye(d)[:5])
    X, y = make_blobs(400, d, centers=centers, cluster_std=1.0, random_state=0)
    model = CAFHFCM(membership="auto", random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_given_numbers_and_gammas_are_not_judged():
    X = np.random.default_rng(0).normal(size=(100, 2))
    CAFHFCM(n_clusters=3, random_state=0).fit(X)
    CAFHFCM(gamma=0.1, random_state=0).fit(X)
    CAFHFCM(selection="plateau", random_state=0).fit(X)


def test_a_rule_of_the_user(iris):
    def many(run, effective_dimension):
        return run.n_clusters

    model = CAFHFCM(selection=many, random_state=0).fit(iris)
    assert model.n_clusters_ == max(c.n_clusters for c in model.selection_)


def test_plateau_on_the_papers_grid_gives_three_for_iris(iris):
    model = CAFHFCM(gamma=np.arange(0.1, 10.05, 0.1), selection="plateau", random_state=0)
    assert model.fit(iris).n_clusters_ == 3


def test_selection_lists_candidates_best_first(iris):
    model = CAFHFCM(random_state=0).fit(iris)
    scores = [c.score for c in model.selection_]
    assert scores == sorted(scores, reverse=True)
    assert model.n_clusters_ == model.selection_[0].n_clusters
    chosen = model.path_.levels[model.selection_[0].level]
    assert chosen.n_clusters == model.n_clusters_
    assert chosen.gamma == model.gamma_


def test_support_names_the_weakest_below_its_share():
    confidence, mass = np.array([0.9, 0.8, 0.6, 0.85, 0.9]), np.ones(5)
    assert weakest_unsupported(confidence, mass, 0.72) == 2  # below 0.72 * 0.85 = 0.612
    assert weakest_unsupported(confidence, mass, 0.70) is None


def test_support_names_an_empty_centroid_first():
    confidence, mass = np.array([0.9, 0.8, 0.3, 0.85]), np.array([9.0, 0.01, 8.0, 7.0])
    assert weakest_unsupported(confidence, mass, 0.72) == 1
    assert weakest_unsupported(confidence[[0, 1, 3]], mass[[0, 2, 3]], 0.0) is None


@pytest.mark.parametrize("confidence", [[0.5], [0.1, 0.9]])
def test_one_or_two_centroids_are_never_dropped(confidence):
    mass = np.linspace(0.0, 1.0, len(confidence))
    assert weakest_unsupported(np.array(confidence), mass, 0.72) is None


def test_pruning_drops_one_of_two_twins():
    """Six clusters on a ring, and a seventh centroid that comes to share one of them."""
    angles = np.arange(6) * np.pi / 3
    ring = 5.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    X, _ = make_blobs(300, centers=ring, cluster_std=0.3, random_state=0)
    start = np.concatenate([ring, [[0.0, 0.1]]])
    exact = CAFHFCM(gamma=[1e-4], init=start, prune=False).fit(X)
    pruned = CAFHFCM(gamma=[1e-4], init=start).fit(X)
    assert exact.path_.n_clusters[-1] == 7
    assert pruned.path_.n_clusters[-1] == 6
    assert pruned.path_.merges[0].kind == "dropped"
    assert 6 in (pruned.path_.merges[0].first, pruned.path_.merges[0].second)
