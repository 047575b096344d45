"""Fits end: at a time limit with the levels reached, and their solver at a bound on sweeps."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fastcaf import (
    CAFHFCM,
    BeyondPathWarning,
    FastcafWarning,
    FuzzyCMeans,
    InterruptedFitWarning,
)
from fastcaf.exceptions import ConvergenceWarning
from fastcaf.fusion import iteration
from fastcaf.fusion.centroid_problem import most_sweeps
from fastcaf.kernels.loop.iteration import FEWEST_SWEEPS
from fastcaf.runtime import deadline
from fastcaf.selection import verdict


@pytest.fixture
def ticking(monkeypatch):
    """A clock that goes on by a second whenever somebody looks."""
    now = [0.0]

    def look():
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr(deadline.time, "monotonic", look)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, centers=4, cluster_std=0.6, random_state=1)[0]


@pytest.mark.parametrize("membership", ["auto", "fcm", "entropy", "gaussian"])
@pytest.mark.parametrize("ticks", [1, 3, 12, 40, 130])
def test_what_was_reached_is_kept(ticking, blobs, membership, ticks):
    model = CAFHFCM(membership=membership, time_limit=ticks, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(blobs)
    stopped = [one for one in caught if one.category is InterruptedFitWarning]
    assert all(f"Stopped by time_limit={ticks} " in str(one.message) for one in stopped)
    assert stopped or not any(path.interrupted for path in model.paths_.values())
    assert stopped or ticks > 100
    assert {one.category for one in caught} <= {
        *FastcafWarning.__subclasses__(),
        ConvergenceWarning,
    }
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    np.testing.assert_array_equal(model.predict(blobs), model.labels_)
    assert model.linkage_.shape == (len(model.path_.start) - 1, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BeyondPathWarning)
        assert model.cut(n_clusters=2).labels.max() <= 1


def test_levels_are_those_of_the_whole_path(ticking, blobs):
    whole = CAFHFCM(membership="fcm", random_state=0).fit(blobs).path_
    with pytest.warns(InterruptedFitWarning):
        part = CAFHFCM(membership="fcm", random_state=0, time_limit=20).fit(blobs).path_
    assert 1 < len(part.levels) < len(whole.levels)
    for one, other in zip(part.levels[:-1], whole.levels, strict=False):
        np.testing.assert_array_equal(one.centroids, other.centroids)


def test_the_first_level_is_reported_where_it_is_all_there_is(ticking, blobs):
    with pytest.warns(FastcafWarning):
        model = CAFHFCM(membership="fcm", random_state=0, time_limit=1).fit(blobs)
    assert model.path_.gammas.tolist() == [0.0]
    assert np.isfinite(model.cluster_centers_).all()


def test_a_limit_that_is_not_met_changes_nothing(blobs):
    one = CAFHFCM(random_state=0).fit(blobs)
    other = CAFHFCM(random_state=0, time_limit=1e6).fit(blobs)
    np.testing.assert_array_equal(one.memberships_, other.memberships_)
    assert other.doubts_ == []


def test_fuzzy_c_means(ticking, blobs):
    with pytest.warns(InterruptedFitWarning, match=r"Stopped by time_limit=2: .*settled"):
        model = FuzzyCMeans(4, random_state=0, n_init=50, time_limit=2).fit(blobs)
    assert np.isfinite(model.cluster_centers_).all()
    model = FuzzyCMeans(4, random_state=0, n_init=50, time_limit=1000).fit(blobs)
    assert model.converged_


@pytest.mark.parametrize("limit", [0, -1.0, np.inf, "soon"])
def test_what_no_limit_is(blobs, limit):
    for model in (CAFHFCM(time_limit=limit), FuzzyCMeans(2, time_limit=limit)):
        with pytest.raises((ValueError, TypeError), match="time_limit"):
            model.fit(blobs)


def test_limits_of_other_threads_and_of_callers():
    assert not deadline.time_is_up()
    with deadline.deadline(1e-9):
        assert deadline.time_is_up()
        with pytest.raises(KeyboardInterrupt):
            deadline.check_time()
        with deadline.deadline(100.0):
            assert not deadline.time_is_up()
        with deadline.deadline(None):  # that of the caller stays
            assert deadline.time_is_up()
    assert not deadline.time_is_up()


@pytest.fixture(scope="module")
def wide_weights():
    """Weights over 24 orders of magnitude, and a row that is far away."""
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(60, 7))
    rows[3] = 1e9
    return rows, 10.0 ** generator.uniform(-12, 12, 60)


@pytest.mark.parametrize("membership", ["fcm", "gaussian"])
def test_sweeps_of_a_level_are_bounded(wide_weights, membership):
    rows, weights = wide_weights
    model = CAFHFCM(membership=membership, fusion_weights="mass", max_iter=5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FastcafWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, sample_weight=weights)
    for level in model.path_.levels:
        solves = 2 * (level.n_iter + 1) * (1 + len(model.path_.dropped))
        assert level.n_sweeps <= most_sweeps(level.n_clusters) + FEWEST_SWEEPS * solves


def test_a_solver_that_met_its_bound_says_so(wide_weights, monkeypatch):
    for module in (iteration, verdict):
        monkeypatch.setattr(module, "most_sweeps", lambda n: 0)
    rows, weights = wide_weights
    model = CAFHFCM(membership="fcm", fusion_weights="mass", max_iter=5, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"met its bound on sweeps.*duality gap"):
        model.fit(rows, sample_weight=weights)
    assert any("bound on sweeps" in doubt for doubt in model.doubts_)
