"""Numbers near the ends of what floats can hold: finite results, or an error that says so."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from fastcaf import (
    CAFHFCM,
    RLFCM,
    EmptyClustersWarning,
    FractionalWeightsWarning,
    FuzzyCMeans,
    solve_gamma,
)


@pytest.fixture(scope="module")
def X():
    return make_blobs(120, 2, centers=3, cluster_std=0.5, random_state=7)[0]


def test_rows_of_weight_0_get_distances_and_so_have_a_range_too(X):
    rows, weights = np.vstack([X, 1e300 * np.ones((1, 2))]), np.append(np.ones(len(X)), 0.0)
    with pytest.raises(ValueError, match="too large to be squared"):
        CAFHFCM(random_state=0).fit(rows, sample_weight=weights)


@pytest.mark.parametrize("exponent", [-300, -200, -160, 155, 200, 300])
@pytest.mark.parametrize("weight", [None, 1e-300])
def test_what_cannot_be_squared_is_refused(X, exponent, weight):
    rows = X * 10.0**exponent
    weights = None if weight is None else np.full(len(X), weight)
    message = "too large to be squared" if exponent > 0 else "too near each other"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FractionalWeightsWarning)
        for fit in (
            CAFHFCM(random_state=0).fit,
            CAFHFCM(membership="fcm", random_state=0).fit,
            FuzzyCMeans(3, random_state=0).fit,
            lambda *rows, **weights: solve_gamma(*rows, rows[0][:5], 0.0, **weights),
        ):
            with pytest.raises(ValueError, match=message):
                fit(rows, sample_weight=weights)


@pytest.mark.parametrize("membership", ["auto", "fcm"])
def test_large_float32_values(X, membership):
    """Their differences, and the power of two above them, are beyond float32."""
    span = np.abs(X).max()
    rows = (X * (3.3e38 / span)).astype(np.float32)
    model = CAFHFCM(membership=membership, random_state=0).fit(rows)
    plain = CAFHFCM(membership=membership, random_state=0).fit(X.astype(np.float32))
    assert adjusted_rand_score(model.labels_, plain.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(rows), model.labels_)


def test_a_fuzzifier_whose_memberships_vanish(X):
    rows = X.astype(np.float32)
    message = r"fuzzifier=100.0 is too large for \d+ centroids in float32.*or float64"
    for model in (CAFHFCM(membership="fcm", fuzzifier=100.0), FuzzyCMeans(3, fuzzifier=100.0)):
        with pytest.raises(ValueError, match=message):
            model.fit(rows)
        assert np.isfinite(model.set_params(random_state=0).fit(X).cluster_centers_).all()


@pytest.mark.parametrize("init", ["k-means++", "random", "bisection"])
def test_weights_that_vanish_beside_others_in_float32(X, init):
    weights = np.ones(len(X))
    weights[::3] = 1e-60
    model = CAFHFCM(init=init, random_state=0).fit(X.astype(np.float32), sample_weight=weights)
    assert np.isfinite(model.cluster_centers_).all()
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))


@pytest.mark.filterwarnings("ignore::fastcaf.EmptyClustersWarning")  # RLFCM's own way
@pytest.mark.parametrize(
    "model", [CAFHFCM(random_state=0), RLFCM(r1_time=100.0, r2_time=10.0)], ids=["CAF", "RL"]
)
def test_weights_that_are_shares_are_said_and_leave_the_number(X, model):
    with pytest.warns(FractionalWeightsWarning, match="adds up to 1 for 120 rows.*shares"):
        model.fit(X, sample_weight=np.full(len(X), 1.0 / len(X)))
    assert len(np.unique(model.labels_)) == 3


def test_fractions_near_one_are_no_shares(X):
    CAFHFCM(random_state=0).fit(X, sample_weight=np.full(len(X), 0.5))


def test_fuzzy_c_means_says_that_clusters_share_their_place():
    coins = np.random.default_rng(0).integers(0, 2, (60, 8)).astype(float)
    with pytest.warns(EmptyClustersWarning, match="5 of the 8 clusters are nearest to no row"):
        model = FuzzyCMeans(8, random_state=0).fit(coins)
    assert len(np.unique(model.labels_)) == 3
