"""The narrowest gap: known values, a slow twin, and the laws it must keep."""

import numpy as np
import pytest

from fastcaf import CAFHFCM, NoClearStructureWarning
from fastcaf.data.kmeans import lloyd_steps
from fastcaf.data.sources import ArrayRows
from fastcaf.selection.cluster_gap import CLEAR_GAP, neighbours
from fastcaf.selection.separation import measure_separation


def plain(X):
    return ArrayRows(X - X.mean(axis=0), np.empty(0))


def narrowest_gap(source, centroids):
    return measure_separation(source, lloyd_steps(source, centroids)).cluster_gap


def slow(source, centroids):
    """The same pair by pair."""
    means = lloyd_steps(source, centroids)
    X = source.rows
    labels = ((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    least = np.inf
    for a in range(len(means)):
        for b in range(a):
            middle, radius = (means[a] + means[b]) / 2, np.linalg.norm(means[a] - means[b]) / 2
            rest = np.delete(means, [a, b], axis=0)
            if (np.linalg.norm(rest - middle, axis=1) < radius).any():
                continue
            line = (means[a] - means[b]) / (2 * radius)
            of = [X[labels == j] for j in (a, b)]
            variance = np.mean([(rows @ line).var(ddof=1) for rows in of])
            blur = sum(rows.var(axis=0, ddof=1).sum() / len(rows) for rows in of)
            least = min(least, np.sqrt(max(0.0, 4 * radius**2 - blur) / variance))
    return least


@pytest.mark.parametrize("seed", range(5))
def test_against_a_loop_over_pairs(seed):
    rng = np.random.default_rng(seed)
    source = plain(rng.normal(size=(120, 3)) * [3.0, 2.0, 1.0])
    start = source.rows[:6].copy()
    assert narrowest_gap(source, start) == pytest.approx(slow(source, start), rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_block_cut_in_two(d):
    X = np.random.default_rng(d).uniform(size=(20_000, d)) * np.append(10.0, np.ones(d - 1))
    source = plain(X)
    found = narrowest_gap(source, np.array([[-1.0] * d, [1.0] * d]))
    assert found == pytest.approx(2 * np.sqrt(3), rel=0.01)


def test_a_cloud_cut_in_two():
    X = np.random.default_rng(0).normal(size=(20_000, 3)) * [10.0, 1.0, 1.0]
    found = narrowest_gap(plain(X), np.array([[-1.0, 0, 0], [1.0, 0, 0]]))
    assert found == pytest.approx(2.647, rel=0.02)


@pytest.mark.parametrize("d", [2, 30])
def test_two_clusters_are_as_far_apart_as_they_are(d):
    X = np.random.default_rng(0).normal(size=(4000, d))
    X[:2000, 0] += 7.0
    found = narrowest_gap(plain(X), np.array([[-1.0] * d, [1.0] * d]))
    assert found == pytest.approx(7.0, rel=0.05)


def test_a_row_of_weight_two_is_the_row_twice():
    X = np.random.default_rng(0).normal(size=(60, 2))
    weights = np.ones(60)
    weights[::4] = 2.0
    start = X[:3].copy()
    weighted = narrowest_gap(ArrayRows(X, weights), start)
    twice = narrowest_gap(
        ArrayRows(np.repeat(X, weights.astype(int), axis=0), np.empty(0)), start
    )
    assert weighted == pytest.approx(twice, rel=1e-12)


def test_one_cluster_and_coinciding_rows_have_no_gap_to_speak_of():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    assert narrowest_gap(plain(X), np.zeros((1, 2))) == np.inf
    assert narrowest_gap(plain(X), X[[0, -1]] - 0.5) == np.inf


def test_neighbours_of_a_row_of_points():
    line = np.arange(4.0)[:, None]
    expected = np.abs(np.subtract.outer(range(4), range(4))) == 1
    np.testing.assert_array_equal(neighbours(line), expected)


def test_flat_clouds_are_said_to_have_no_clear_structure():
    X = np.random.default_rng(3).normal(size=(400, 8)) * np.geomspace(1.0, 0.2, 8)
    with pytest.warns(NoClearStructureWarning, match="a uniform block cut in two has 3.46"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    best = max((c for c in model.selection_ if c.n_clusters > 1), key=lambda c: c.score)
    level = model.paths_[best.membership].levels[best.level]
    assert narrowest_gap(plain(X), level.centroids - X.mean(axis=0)) < CLEAR_GAP
