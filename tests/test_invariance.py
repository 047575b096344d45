"""Laws: what must not change a result, and how it must change with the units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from fastcaf import CAFHFCM, RLFCM, DegenerateDataWarning, FuzzyCMeans

FREE_OF_SCALE = {
    "CAFHFCM": CAFHFCM(random_state=0),
    "CAFHFCM by mass": CAFHFCM(fusion_weights="mass", random_state=0),
    "CAFHFCM by neighbours": CAFHFCM(fusion_weights="neighbours", random_state=0),
    "fcm": CAFHFCM(membership="fcm", random_state=0),
    "fcm by mass": CAFHFCM(membership="fcm", fusion_weights="mass", random_state=0),
    "entropy": CAFHFCM(membership="entropy", random_state=0),
    "gaussian": CAFHFCM(membership="gaussian", random_state=0),
    "spherical": CAFHFCM(membership="gaussian", covariance_type="spherical", random_state=0),
    "FuzzyCMeans": FuzzyCMeans(4, random_state=0),
}
ESTIMATORS = {**FREE_OF_SCALE, "RLFCM": RLFCM(r1_time=100.0, r2_time=10.0)}
at_any_scale = pytest.mark.parametrize("estimator", FREE_OF_SCALE.values(), ids=FREE_OF_SCALE)
by_name = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)


@pytest.fixture(scope="module")
def X():
    return make_blobs(200, 3, centers=4, cluster_std=1.0, random_state=3)[0]


def fitted(estimator, X, **fit_parameters):
    model = type(estimator)(**estimator.get_params())
    return model.fit(X, **fit_parameters)


@at_any_scale
def test_a_power_of_two_scales_every_bit(estimator, X):
    plain, scaled = fitted(estimator, X), fitted(estimator, 1024.0 * X)
    np.testing.assert_array_equal(plain.labels_, scaled.labels_)
    np.testing.assert_array_equal(scaled.cluster_centers_, 1024.0 * plain.cluster_centers_)
    np.testing.assert_array_equal(scaled.memberships_, plain.memberships_)


@at_any_scale
@given(exponent=st.floats(-140, 140))
@settings(max_examples=15, deadline=None)
def test_any_scale(estimator, exponent):
    X = make_blobs(200, 3, centers=4, cluster_std=1.0, random_state=3)[0]
    scale = 10.0**exponent
    plain, scaled = fitted(estimator, X), fitted(estimator, scale * X)
    np.testing.assert_array_equal(plain.labels_, scaled.labels_)
    np.testing.assert_allclose(
        scaled.cluster_centers_, scale * plain.cluster_centers_, rtol=1e-4
    )


@at_any_scale
@pytest.mark.parametrize("shift", [3.0, -1e4, 1e8])
def test_shift(estimator, X, shift):
    plain, moved = fitted(estimator, X), fitted(estimator, X + shift)
    np.testing.assert_array_equal(plain.labels_, moved.labels_)
    np.testing.assert_allclose(
        moved.cluster_centers_ - shift, plain.cluster_centers_, atol=1e-4
    )


def test_shift_of_the_competition(X):
    """Clusters of one proportion come in the order of their rounding."""
    plain, moved = (fitted(ESTIMATORS["RLFCM"], X + shift) for shift in (0.0, -1e4))
    assert adjusted_rand_score(moved.labels_, plain.labels_) == 1.0


@by_name
def test_rotation(estimator, X):
    turn = ortho_group.rvs(3, random_state=1)
    plain, turned = fitted(estimator, X), fitted(estimator, X @ turn)
    np.testing.assert_array_equal(plain.labels_, turned.labels_)
    np.testing.assert_allclose(
        turned.cluster_centers_, plain.cluster_centers_ @ turn, atol=1e-4
    )


@by_name
def test_permutation(estimator, X):
    order = np.random.default_rng(0).permutation(len(X))
    plain, shuffled = fitted(estimator, X), fitted(estimator, X[order])
    np.testing.assert_array_equal(plain.labels_[order], shuffled.labels_)
    np.testing.assert_allclose(shuffled.cluster_centers_, plain.cluster_centers_, atol=1e-4)


@by_name
def test_permutation_of_columns(estimator, X):
    plain, shuffled = fitted(estimator, X), fitted(estimator, X[:, [2, 0, 1]])
    np.testing.assert_array_equal(plain.labels_, shuffled.labels_)
    centers = shuffled.cluster_centers_[:, [1, 2, 0]]
    np.testing.assert_allclose(centers, plain.cluster_centers_, atol=1e-4)


@by_name
def test_rows_of_weight_zero_are_not_there(estimator, X):
    rows = np.vstack([X[:50], [[1e4, 0.0, -1e4]], X[50:], [[0.0, 0.0, 1e6]]])
    weights = np.ones(len(rows))
    weights[[50, -1]] = 0.0
    plain, model = fitted(estimator, X), fitted(estimator, rows, sample_weight=weights)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)
    np.testing.assert_array_equal(model.labels_[weights > 0.0], plain.labels_)
    np.testing.assert_array_equal(model.labels_, plain.predict(rows))


@at_any_scale  # RLFCM counts the columns
def test_a_constant_column_changes_nothing(estimator, X):
    wide = np.column_stack([X[:, 0], np.full(len(X), 3.7), X[:, 1:]])
    plain = fitted(estimator, X)
    with pytest.warns(DegenerateDataWarning, match="constant columns.*: 1"):
        model = fitted(estimator, wide)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_allclose(model.cluster_centers_[:, 1], 3.7, rtol=1e-12)
    centers = model.cluster_centers_[:, [0, 2, 3]]
    np.testing.assert_allclose(centers, plain.cluster_centers_, atol=1e-4)


@by_name
def test_weights_are_copies(estimator, X):
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = fitted(estimator, X, sample_weight=counts)
    repeated = fitted(estimator, np.repeat(X, counts, axis=0))
    np.testing.assert_array_equal(weighted.labels_, repeated.predict(X))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-6)


def test_weights_are_copies_to_ten_digits_after_the_same_iterations(X):
    """Same start, same number of iterations: nothing but rounding may differ."""
    counts = np.random.default_rng(2).integers(1, 4, len(X))
    parameters = {"n_clusters": 4, "init": X[:4], "max_iter": 5, "tol": 0.0}
    with pytest.warns(UserWarning, match="had not settled"):
        weighted = FuzzyCMeans(**parameters).fit(X, sample_weight=counts)
    with pytest.warns(UserWarning, match="had not settled"):
        repeated = FuzzyCMeans(**parameters).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(
        weighted.cluster_centers_, repeated.cluster_centers_, rtol=0, atol=1e-10
    )


@by_name
def test_unit_weights_are_no_weights(estimator, X):
    plain, weighted = fitted(estimator, X), fitted(estimator, X, sample_weight=np.ones(len(X)))
    np.testing.assert_array_equal(plain.cluster_centers_, weighted.cluster_centers_)


def test_scaled_weights_do_not_change_fuzzy_c_means(X):
    estimator = ESTIMATORS["FuzzyCMeans"]
    weights = np.random.default_rng(3).uniform(0.5, 2, len(X))
    one, other = (fitted(estimator, X, sample_weight=s * weights) for s in (1.0, 37.0))
    np.testing.assert_allclose(one.cluster_centers_, other.cluster_centers_, atol=1e-9)


@by_name
def test_float32_is_near_float64(estimator, X):
    double, single = fitted(estimator, X), fitted(estimator, X.astype(np.float32))
    assert adjusted_rand_score(double.labels_, single.labels_) > 0.99
    # clusters of equal mass may come in another order
    pairs = cdist(single.cluster_centers_, double.cluster_centers_)
    assert pairs.min(axis=1).max() < 0.02
    assert sorted(pairs.argmin(axis=1)) == list(range(len(pairs)))


@by_name
def test_same_input_and_seed_give_the_same_bits(estimator, X):
    one, other = fitted(estimator, X), fitted(estimator, X)
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
