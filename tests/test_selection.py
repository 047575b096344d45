"""Rules on hand-made paths, known numbers on clear data, and support."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from fastcaf import CAFHFCM, CloseCandidatesWarning, NoClearStructureWarning
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.hierarchy import Tree
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.pruning import weakest_unsupported
from fastcaf.memberships import FuzzyMemberships
from fastcaf.memberships.base import Statistics
from fastcaf.selection.plateaus import Plateau, plateaus_of
from fastcaf.selection.rules import (
    RULES,
    ScoredPlateau,
    persistence,
    plateau_length,
    rank,
    score_plateaus,
)
from fastcaf.selection.separation import Separation


def level(gamma, c):
    empty = np.zeros((c, 1))
    return Level(
        gamma, empty, np.arange(c), empty[:, 0], empty[:, 0], 0.0, 1, 1, 0.0, True,
        np.empty((1, 2)), FuzzyMemberships(),
    )  # fmt: skip


def hand_made(pairs, n_start=20):
    return Path(np.empty((n_start, 1)), [level(*pair) for pair in pairs], Tree(n_start))


@pytest.fixture
def training():
    """Rows whose internal coordinates are their own: centred, and within -1 and 1."""
    return TrainingData(np.linspace(-0.9, 0.9, 50)[:, None], np.empty(0))


HALF = Separation(0.5, 0.25, 2.5)


def run(c, before, start, end, evidence=HALF, dimension=2.0, by_mass=False, gap=2.5):
    """A run whose evidence and gap are given."""
    own = replace(level(start, c), pair_mass=np.ones(c if by_mass else 0))
    made = Plateau(c, before, 0, 1, start, end, own, SimpleNamespace())
    made.training.effective_dimension = dimension
    # The place of a cached property.
    made.__dict__["separation"] = replace(evidence, cluster_gap=gap)
    return made


def test_runs_of_a_path(training):
    path = hand_made([(0.0, 20), (1.0, 5), (2.0, 5), (4.0, 3), (8.0, 3), (16.0, 3), (32.0, 1)])
    found = [
        (run.n_clusters, run.n_before, run.gamma_start, run.gamma_end, run.middle)
        for run in plateaus_of(path, training)
    ]
    assert found == [
        (20, 20, 0.0, 1.0, 0),
        (5, 20, 1.0, 4.0, 1),
        (3, 5, 4.0, 32.0, 4),
        (1, 3, 32.0, np.inf, 6),
    ]
    assert all(
        run.internal_level is path.levels[run.middle] for run in plateaus_of(path, training)
    )


def test_a_last_run_that_was_not_seen_to_end_ends_at_its_last_level(training):
    last = plateaus_of(hand_made([(0.0, 20), (1.0, 5), (2.0, 5)]), training)[-1]
    assert (last.gamma_start, last.gamma_end) == (1.0, 2.0)


def test_persistence_by_hand():
    expected = np.log(10) - 2.5 * np.log(2) + 2 * (np.log(0.5) + np.log(0.25) + np.log(0.5))
    assert persistence(run(3, 6, 2.0, 20.0)) == pytest.approx(expected)
    assert persistence(run(3, 6, 2.0, 20.0, gap=9.0)) == pytest.approx(expected + 2 * np.log(2))


def test_a_very_long_life_counts_as_a_long_one():
    assert persistence(run(3, 6, 1.0, 1e9)) == persistence(run(3, 6, 1.0, np.exp(3.0)))


def test_persistence_where_gamma_is_a_distance():
    """Balanced clusters fuse at a gamma that falls with c, not with its square."""
    uniform, by_mass = run(3, 6, 2.0, 20.0), run(3, 6, 2.0, 20.0, by_mass=True)
    assert persistence(by_mass) - persistence(uniform) == pytest.approx(np.log(2))


def test_persistence_of_a_run_without_birth_is_least():
    assert persistence(run(3, 6, 0.0, 2.0)) == -np.inf


def test_clusters_that_are_not_apart_cost_much_but_not_everything():
    apart, together = (
        run(3, 6, 1.0, 2.0, Separation(0.5, weakest, 2.5)) for weakest in (0.5, 0.0)
    )
    assert persistence(apart) - persistence(together) == pytest.approx(2 * np.log(10))


def test_plateau_is_the_length_on_the_linear_axis():
    assert plateau_length(run(3, 6, 2.0, 20.0)) == 18.0


def test_runs_are_judged_within_bounds(training):
    path = hand_made([(0.0, 20), (1.0, 16), (2.0, 5), (4.0, 3), (50.0, 1)])
    scored = score_plateaus(path, training, plateau_length, "fcm")
    # 16 > 0.7 * 20 and 1 are no candidates
    assert [(one.plateau.n_clusters, one.score) for one in scored] == [(5, 2.0), (3, 46.0)]


def test_levels_below_the_given_grid_are_no_candidates(training):
    path = hand_made([(0.0, 20), (1.0, 9), (2.0, 5), (4.0, 5), (5.0, 3), (6.0, 3), (7.0, 3)])
    scored = score_plateaus(path, training, plateau_length, "fcm", first_gamma=4.0)
    assert [(one.plateau.n_clusters, one.score) for one in scored] == [(5, 1.0), (3, 2.0)]


def test_a_path_without_candidates_reports_its_end(training):
    path = hand_made([(0.0, 20), (1.0, 1)])
    scored = score_plateaus(path, training, persistence, "fcm")
    assert [one.plateau.n_clusters for one in scored] == [1]


def test_one_candidate_for_every_number_the_best_of_both_paths():
    scored = [
        ScoredPlateau(run(3, 6, 1.0, 2.0), -2.0, "fcm"),
        ScoredPlateau(run(3, 4, 1.0, 9.0), -1.0, "entropy"),
        ScoredPlateau(run(2, 3, 2.0, 3.0), -1.5, "fcm"),
    ]
    candidates = rank(scored, plateau_length)
    found = [(c.n_clusters, c.membership, c.score) for c in candidates]
    assert found == [(3, "entropy", -1.0), (2, "fcm", -1.5)]


def test_a_reason_names_what_was_lost_most():
    best = ScoredPlateau(run(3, 4, 1.0, 9.0, Separation(0.8, 0.7, 2.5)), 1.0, "fcm")
    weak = ScoredPlateau(run(4, 5, 1.0, 9.0, Separation(0.79, 0.1, 2.5)), 0.5, "fcm")
    short = ScoredPlateau(run(5, 6, 1.0, 1.1, Separation(0.79, 0.1, 2.5)), 0.0, "fcm")
    first, second, third = rank([short, weak, best], persistence)
    assert first.reason.startswith(
        "Best: stable over a 9-fold range of gamma; mean separation 0.80"
    )
    assert "Behind 3 because its weakest separation is smaller" in second.reason
    assert "Behind 4 because its range of gamma is shorter" in third.reason
    assert (second.separation, second.weakest_separation) == (0.79, 0.1)


@pytest.mark.parametrize("c", [2, 3, 5, 8, 13])
@pytest.mark.parametrize("d", [2, 5])
def test_clear_clusters_are_found(c, d):
    """Gaussian clusters on random points of a small grid, six deviations apart or more.

    On a wide grid two of three may be near each other and far from the third: then two and
    three clusters are both right, on two scales.
    """
    rng = np.random.default_rng(c)
    places = np.unique(rng.integers(0, 4 if d == 2 else 2, size=(400, d)), axis=0)
    centers = rng.permutation(places)[:c].astype(float)
    X, y = make_blobs(60 * c, d, centers=centers, cluster_std=1 / 6, random_state=c)
    model = CAFHFCM(random_state=0).fit(X)
    assert model.n_clusters_ == c
    assert adjusted_rand_score(y, model.labels_) > 0.9


@pytest.mark.filterwarnings("ignore::fastcaf.EmptyClustersWarning")
@pytest.mark.filterwarnings("ignore::fastcaf.UnstableNumberWarning")
@pytest.mark.parametrize("d", [2, 5, 10])
@pytest.mark.parametrize("make", ["normal", "uniform"])
def test_clouds_and_cubes_are_said_to_have_no_structure(d, make):
    X = getattr(np.random.default_rng(d), make)(size=(300, d))
    with pytest.warns(NoClearStructureWarning, match="structureless data reach"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    assert 1 in [c.n_clusters for c in model.selection_]
    with pytest.warns(NoClearStructureWarning, match="Found one cluster: |or none at all: "):
        model = CAFHFCM(random_state=0).fit(X)
    # One in three of these cubes in the plane is answered with several, and the warning.
    assert model.n_clusters_ == 1 or (make, d) == ("uniform", 2)


@pytest.mark.parametrize("membership", ["fcm", "auto"])
def test_a_cloud_is_one_cluster(membership):
    X = np.random.default_rng(2).normal(size=(300, 2))
    with pytest.warns(NoClearStructureWarning, match="Found one cluster"):
        model = CAFHFCM(membership=membership, random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert model.selection_[0].n_clusters == 1
    assert ("One cluster" if membership == "auto" else "without structure") in (
        model.selection_[0].reason
    )
    np.testing.assert_allclose(model.cluster_centers_[0], X.mean(axis=0), atol=1e-9)
    assert not model.labels_.any()


@pytest.mark.parametrize("d", [2, 8, 32])
def test_clear_mixtures_are_not_said_to_be_structureless(d):
    """A warning would be an error here: see pyproject.toml."""
    angles = 2.0 * np.pi * np.arange(5) / 5
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    centers = 8.0 * (ring if d == 2 else np.eye(d)[:5])
    X, y = make_blobs(400, d, centers=centers, cluster_std=1.0, random_state=0)
    model = CAFHFCM(random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_given_numbers_and_gammas_are_not_judged():
    X = np.random.default_rng(0).normal(size=(100, 2))
    CAFHFCM(n_clusters=3, random_state=0, selection="persistence").fit(X)
    CAFHFCM(gamma=0.1, random_state=0).fit(X)
    CAFHFCM(selection="plateau", random_state=0).fit(X)


def test_a_rule_of_the_user(iris):
    def many(run):
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
    best = model.selection_[0]
    assert model.n_clusters_ == best.n_clusters
    assert model.membership_ == best.membership
    chosen = model.paths_[best.membership].levels[best.level]
    assert model.path_ is model.paths_[best.membership]
    assert chosen.n_clusters == model.n_clusters_
    assert best.gamma_start <= chosen.gamma < best.gamma_end
    assert model.gamma_ == chosen.gamma
    assert len({c.n_clusters for c in model.selection_}) == len(scores)


@pytest.mark.parametrize("rule", [*RULES])
def test_every_rule_finds_six_far_clusters(rule):
    angles = np.arange(6) * np.pi / 3
    ring = 5.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    X, y = make_blobs(300, centers=ring, cluster_std=0.3, random_state=0)
    grid = np.linspace(0.0, 20.0, 101)[1:] if rule == "plateau" else None
    model = CAFHFCM(selection=rule, gamma=grid, random_state=0).fit(X)
    assert model.n_clusters_ == 6
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.selection_[0].reason.startswith("Best: ")


def test_a_close_second_is_warned_of():
    """Two pairs of clusters, the pairs nearly three times as far apart as the two of a pair."""
    places = np.array([[0.0, 0.0], [0.0, 4.5], [12.5, 0.0], [12.5, 4.5]])
    X, _ = make_blobs(400, centers=places, cluster_std=1.0, random_state=0)
    with pytest.warns(CloseCandidatesWarning, match=r"are nearly as good: look at both"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    assert {c.n_clusters for c in model.selection_[:2]} == {2, 4}


def statistics(mass, confidence):
    mass, confidence = np.array(mass), np.array(confidence)
    return Statistics(mass, mass[:, None], mass, 0.0, squares=mass * confidence)


def places(n):
    return np.arange(n, dtype=float)[:, None]


def test_support_names_the_weakest_below_its_share():
    shared = statistics(np.ones(5), [0.9, 0.8, 0.6, 0.85, 0.9])
    found = weakest_unsupported(places(5), shared, 0.72)  # below 0.72 * 0.85 = 0.612
    assert (found.index, found.kind) == (2, "ghost")
    assert "0.706 of the median" in found.reason
    assert weakest_unsupported(places(5), shared, 0.70) is None


def test_a_shared_centroid_beside_another_is_its_twin():
    shared = statistics(np.ones(5), [0.9, 0.8, 0.6, 0.85, 0.9])
    near = np.array([[0.0], [1.0], [1.1], [2.1], [3.1]])
    assert weakest_unsupported(near, shared, 0.72).kind == "twin"


def test_support_names_an_empty_centroid_first():
    light = statistics([9.0, 1.0, 8.0, 7.0], [0.9, 0.8, 0.3, 0.85])
    found = weakest_unsupported(places(4), light, 0.72)
    assert (found.index, found.kind) == (1, "ghost")
    assert "0.133 of the median mass" in found.reason
    heavy = statistics([9.0, 1.2, 8.0, 7.0], [0.9, 0.8, 0.8, 0.85])
    assert weakest_unsupported(places(4), heavy, 0.72) is None


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_centroids_are_never_dropped(n):
    assert weakest_unsupported(places(n), statistics([0.0, 1.0][:n], [0.1, 0.9][:n]), 1) is None


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
    (dropped,) = pruned.path_.dropped
    assert dropped.gamma == pruned.path_.merges[0].gamma
    assert dropped.node in (pruned.path_.merges[0].first, pruned.path_.merges[0].second)
    assert "of the median" in dropped.reason
    assert np.abs(dropped.centroid).max() < 6.0
    assert not exact.path_.dropped
