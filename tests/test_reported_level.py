"""The level that is reported: settled further than the path, its clusters by their rows."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from fastcaf import (
    CAFHFCM,
    EmptyClustersWarning,
    FastcafWarning,
    FuzzyCMeans,
    InterruptedFitWarning,
)
from fastcaf.fusion import polish
from fastcaf.fusion.centroid_problem import no_multipliers, solve_centroids

OVERLAPPING = make_blobs(2000, centers=12, cluster_std=0.5, random_state=1)[0]


def distance_to_solution(model, X):
    """Of the centroids from the solution for their own memberships, in units of the data."""
    m = 2.0 if model.membership_ == "fcm" else 1.0
    mu = model.predict_proba(X) ** m
    weight = mu.sum(axis=0)
    means, U = mu.T @ X / weight[:, None], model.cluster_centers_
    cold = no_multipliers(*U.shape)
    solution = solve_centroids(weight, means, model.gamma_, U, cold, tolerance=1e-12)
    scale = np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    return np.linalg.norm(solution.centroids - U, axis=1).max() / scale


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@pytest.mark.parametrize("membership", ["fcm", "entropy"])
@pytest.mark.parametrize("data", ["iris", "overlapping", "digits", "representatives"])
def test_reported_centroids_solve_the_problem_of_their_memberships(iris, data, membership):
    X = {"iris": iris, "digits": load_digits().data[:500]}.get(data, OVERLAPPING)
    options = {"representatives": 300} if data == "representatives" else {}
    model = CAFHFCM(membership=membership, random_state=0, **options).fit(X)
    assert distance_to_solution(model, X) < 1e-4
    (level,) = (one for one in model.path_.levels if one.gamma == model.gamma_)
    if not options and level.n_clusters == model.n_clusters_:
        # The level of the path is the one that is reported.
        np.testing.assert_array_equal(
            np.sort(level.centroids, axis=0), np.sort(model.cluster_centers_, axis=0)
        )
        assert model.objective_ == pytest.approx(level.objective, rel=1e-12)


@pytest.mark.filterwarnings("ignore::fastcaf.CloseCandidatesWarning")
def test_clusters_are_numbered_by_their_rows(iris):
    by_mass = []
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(iris))
    for X, model in [
        (iris, CAFHFCM(gamma=4.3, random_state=0)),
        (OVERLAPPING, CAFHFCM(membership="fcm", random_state=0)),
        (OVERLAPPING, FuzzyCMeans(12, random_state=0)),
    ]:
        model.fit(X)
        assert (np.diff(np.bincount(model.labels_)) <= 0).all()
        by_mass.append((np.diff(model.cluster_masses_) <= 0).all())
    assert not all(by_mass)  # the two orders differ
    weighted = CAFHFCM(gamma=4.3, random_state=0).fit(iris, sample_weight=weights)
    assert (np.diff(np.bincount(weighted.labels_, weights)) <= 0).all()


def test_a_fit_reports_as_many_clusters_as_it_uses():
    fewer = 0
    for seed in range(12):
        X = np.random.default_rng(seed).normal(size=(100, 4 + seed % 7))
        with pytest.warns(
            FastcafWarning, match="structure|one cluster|instead of|as good"
        ) as seen:
            model = CAFHFCM(random_state=0, selection="persistence").fit(X)
        assert len(np.unique(model.labels_)) == model.n_clusters_
        said = [str(one.message) for one in seen if one.category is EmptyClustersWarning]
        fewer += len(said)
        assert all(f"{model.n_clusters_} cluster" in message for message in said)
        assert all(message in model.doubts_ for message in said)
    assert fewer > 0


def test_an_interruption_leaves_the_level_of_the_path(iris, monkeypatch):
    before = CAFHFCM(random_state=0, selection="persistence").fit(iris)

    def stopped(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(polish, "_settled", stopped)
    with pytest.warns(InterruptedFitWarning, match="Interrupted while the reported level"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(iris)
    assert model.n_clusters_ == before.n_clusters_
    assert 0 < np.abs(model.cluster_centers_ - before.cluster_centers_).max() < 1e-2
