"""How far apart clusters stand: against a slow twin, and the laws it must keep."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fastcaf.data import array_rows
from fastcaf.data.kmeans import STEPS, lloyd_steps
from fastcaf.data.sources import ArrayRows
from fastcaf.selection.separation import measure_separation


def slow(X, centroids, weights=None):
    """The same with a loop over the rows: the mean of all others is computed anew."""
    weights = np.ones(len(X)) if weights is None else weights
    for _ in range(STEPS):
        labels = ((X[:, None] - centroids) ** 2).sum(axis=2).argmin(axis=1)
        for j in range(len(centroids)):
            mine = labels == j
            if mine.any():
                centroids[j] = np.average(X[mine], axis=0, weights=weights[mine])
    distances = np.sqrt(((X[:, None] - centroids) ** 2).sum(axis=2))
    labels = distances.argmin(axis=1)
    apart = np.empty(len(X))
    for i, x in enumerate(X):
        others = weights * (labels == labels[i])
        others[i] -= 1.0
        own = np.linalg.norm(x - np.average(X, axis=0, weights=others))
        apart[i] = 1.0 - own / np.delete(distances[i], labels[i]).min()
    of_clusters = [
        max(0.0, np.average(apart[labels == j], weights=weights[labels == j]))
        for j in range(len(centroids))
    ]
    mass = np.bincount(labels, weights)
    return np.average(of_clusters, weights=mass), min(of_clusters)


def measure_released(source, centroids):
    return measure_separation(source, lloyd_steps(source, centroids))


@pytest.fixture
def blobs():
    X, _ = make_blobs(90, 3, centers=4, cluster_std=1.5, random_state=3)
    return X - X.mean(axis=0)


def plain(X):
    return ArrayRows(X, np.empty(0))


def test_against_a_loop_over_the_rows(blobs):
    found = measure_released(plain(blobs), blobs[:5].copy())
    expected = slow(blobs, blobs[:5].copy())
    np.testing.assert_allclose([found.mean, found.weakest], expected, rtol=1e-9)


def test_a_row_of_weight_two_is_the_row_twice(blobs):
    weights = np.ones(len(blobs))
    weights[::3] = 2.0
    twice = np.repeat(blobs, weights.astype(int), axis=0)
    weighted = measure_released(ArrayRows(blobs, weights), blobs[:5].copy())
    repeated = measure_released(plain(twice), blobs[:5].copy())
    assert weighted.mean == pytest.approx(repeated.mean, rel=1e-12)
    assert weighted.weakest == pytest.approx(repeated.weakest, rel=1e-12)


def test_points_are_wholly_apart():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 4, axis=0)
    assert measure_released(plain(X), X[[0, 4, 8]]) == measure_released(plain(X), X[[8, 0, 4]])
    assert measure_released(plain(X), X[[0, 4, 8]]).weakest == 1.0


def test_one_centroid_and_a_centroid_without_rows_are_no_evidence(blobs):
    assert measure_released(plain(blobs), blobs[:1]).mean == 0.0
    far = np.array([[0.0, 0.0, 0.0], [1e6, 0.0, 0.0]])
    assert measure_released(plain(blobs), far).weakest == 0.0


def test_a_lone_row_is_no_cluster(blobs):
    X = np.concatenate([blobs, [[100.0, 0.0, 0.0]]])
    start = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 0.0]])
    assert measure_released(plain(X), start).weakest == 0.0


def test_small_clusters_of_noise_do_not_look_compact():
    """In 64 dimensions 20 cells of a cloud have few rows each: they stand hardly apart."""
    X = np.random.default_rng(0).normal(size=(400, 64))
    assert (
        measure_released(plain(X), X[:20].copy()).mean < 0.04
    )  # 0.08 with rows in their own mean


def test_the_nearest_centroids_are_looked_up_once(blobs, monkeypatch):
    """For the separation and for the gap between clusters together."""
    calls = []
    nearest = array_rows.nearest

    def counted(*arguments):
        calls.append(1)
        return nearest(*arguments)

    monkeypatch.setattr(array_rows, "nearest", counted)
    found = measure_separation(plain(blobs), blobs[:4].copy())
    assert found.cluster_gap > 0.0
    assert len(calls) == 1
