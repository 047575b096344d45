"""RL-FCM against a twin with explicit loops, on clear data, and on bad input."""

import math
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastcaf import (
    RLFCM,
    DegenerateDataWarning,
    EmptyClustersWarning,
    FractionalWeightsWarning,
)

PUBLISHED, EQUAL, SWAPPED = (10.0, 100.0), (20.0, 20.0), (100.0, 10.0)


def twin_memberships(X, U, alpha, r1, r2):
    mu = np.zeros((len(X), len(U)))
    for i, x in enumerate(X):
        powers = [
            (-sum((x - u) ** 2) + r1 * math.log(a)) / r2 for u, a in zip(U, alpha, strict=True)
        ]
        largest = max(powers)
        terms = [math.exp(p - largest) for p in powers]
        mu[i] = [term / sum(terms) for term in terms]
    return mu


def twin(X, times, tol, max_iter):
    """The published algorithm, a line for every formula."""
    n, d = X.shape
    U, alpha, r1, r2, r3 = X.copy(), np.full(n, 1 / n), 1.0, 1.0, 1.0
    eta = min(1.0, 2.0 / d ** math.floor(d / 2 - 1))
    for t in range(1, max_iter + 1):
        mu = twin_memberships(X, U, alpha, r1, r2)
        means = mu.sum(axis=0) / n
        E = sum(a * math.log(a) for a in alpha)
        new = np.array(
            [m + r3 / r1 * a * (math.log(a) - E) for m, a in zip(means, alpha, strict=True)]
        )
        r1, r2 = math.exp(-t / times[0]), math.exp(-t / times[1])
        kept = new >= (1 - 1e-9) / n
        if kept.all() and t >= 100:
            r3 = 0.0
        elif len(alpha) > 1:
            first = sum(
                math.exp(-eta * n * abs(b - a)) for a, b in zip(alpha, new, strict=True)
            ) / len(alpha)
            r3 = min(first, (1 - max(means)) / (-max(alpha) * E))
        alpha = new[kept] / new[kept].sum()
        remaining = mu[:, kept].sum(axis=1, keepdims=True)
        mu = mu[:, kept] / np.where(remaining > 0, remaining, 1.0)  # 0/1: in no cluster left
        before = U[kept]
        U = (mu.T @ X) / mu.sum(axis=0)[:, None]
        if kept.all() and max(math.dist(a, b) for a, b in zip(U, before, strict=True)) < tol:
            break
    used = np.unique(twin_memberships(X, U, alpha, r1, r2).argmax(axis=1))
    return U[used], alpha[used] / alpha[used].sum(), (r1, r2), t


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("times", [PUBLISHED, EQUAL, SWAPPED])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_it_is_its_twin(rng, times, d, copies):
    X = np.concatenate([rng.normal(size=(25, d)), rng.normal(size=(15, d)) + 4.0])
    X = np.concatenate([X, np.repeat(X[10:30], copies - 1, axis=0)])
    model = RLFCM(r1_time=times[0], r2_time=times[1], max_iter=200).fit(X)
    U, alpha, rates, t = twin(X, times, 0.01, 200)
    order = np.argsort(-alpha, kind="stable")
    assert (model.n_clusters_, model.n_iter_) == (len(U), t)
    np.testing.assert_allclose(model.proportions_, alpha[order], rtol=1e-7)
    np.testing.assert_allclose(model.cluster_centers_, U[order], rtol=1e-7, atol=1e-9)
    new = rng.normal(size=(7, d)) * 3.0
    expected = twin_memberships(new, U[order], alpha[order], *rates)
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("times", [PUBLISHED, SWAPPED])
def test_well_separated_blobs_are_told_apart(blobs, times):
    X, y = blobs
    model = RLFCM(r1_time=times[0], r2_time=times[1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    assert [one.category for one in caught] == [EmptyClustersWarning] * (times == PUBLISHED)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert len(np.unique(model.labels_)) == 5
    assert model.n_clusters_ == 5
    if times == SWAPPED:  # the published pair leaves several clusters on one spot
        np.testing.assert_allclose(model.proportions_, 0.2, atol=1e-3)


def test_the_published_figure_of_iris(iris):
    """That which the paper of CAF-HFCM quotes from the paper of RL-FCM."""
    y = load_iris().target
    published = RLFCM().fit(iris)
    assert published.n_clusters_ == 3
    assert round(rand_score(y, published.labels_), 4) == 0.8923
    labels = RLFCM(r1_time=20, r2_time=20).fit(iris).labels_
    assert round(rand_score(y, labels), 4) == 0.8859
    assert round(adjusted_rand_score(y, labels), 4) == 0.7445


@pytest.mark.parametrize("scale", [1e-3, 0.5])
@pytest.mark.filterwarnings("ignore::fastcaf.EmptyClustersWarning")
def test_all_weights_a_fraction_change_nothing(blobs, scale):
    X = blobs[0]
    plain = RLFCM().fit(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = RLFCM().fit(X, sample_weight=np.full(len(X), scale))
    assert any(one.category is FractionalWeightsWarning for one in caught) == (scale < 0.1)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)


def test_the_published_constants_are_the_default():
    assert RLFCM().get_params() == {
        "r1_time": 10.0,
        "r2_time": 100.0,
        "max_iter": 300,
        "tol": 0.01,
    }


def test_a_weight_is_a_number_of_copies(rng):
    X, _ = make_blobs(60, centers=3, cluster_std=1.0, random_state=4)
    copies = rng.integers(0, 4, len(X))
    weighted = RLFCM(r1_time=100, r2_time=10).fit(X, sample_weight=copies)
    repeated = RLFCM(r1_time=100, r2_time=10).fit(np.repeat(X, copies, axis=0))
    np.testing.assert_array_equal(weighted.cluster_centers_, repeated.cluster_centers_)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, copies), repeated.labels_)
    score = weighted.score(X, sample_weight=copies)
    assert score == pytest.approx(repeated.score(np.repeat(X, copies, axis=0)))


def test_fractional_weights_leave_clusters(blobs):
    X, y = blobs
    model = RLFCM(r1_time=100, r2_time=10).fit(X, sample_weight=np.full(len(X), 0.25))
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_answers_are_consistent(blobs):
    X, _ = blobs
    model = RLFCM(r1_time=100, r2_time=10)
    np.testing.assert_array_equal(model.fit_predict(X), model.predict(X))
    mu = model.predict_proba(X)
    np.testing.assert_allclose(mu.sum(axis=1), 1.0)
    np.testing.assert_array_equal(mu.argmax(axis=1), model.labels_)
    distances = np.linalg.norm(X[:, None] - model.cluster_centers_, axis=2)
    np.testing.assert_allclose(model.transform(X), distances)
    assert (np.diff(model.proportions_) <= 0).all()
    assert model.proportions_.sum() == pytest.approx(1.0)
    powers = -(distances**2) + model.r1_ * np.log(model.proportions_)
    objective = (mu * (powers - model.r2_ * np.log(np.maximum(mu, 1e-300)))).sum()
    assert model.score(X) == pytest.approx(objective, rel=1e-9)


@pytest.mark.filterwarnings("ignore::fastcaf.EmptyClustersWarning")
def test_the_order_of_rows_does_not_matter(rng, blobs):
    X, _ = blobs
    order = rng.permutation(len(X))
    one, other = RLFCM().fit(X), RLFCM().fit(X[order])
    np.testing.assert_array_equal(one.labels_[order], other.labels_)


def test_rows_far_apart_stay_alone():
    """Each holds exactly one row: rounding must not drop it."""
    X = 1e3 * np.arange(49.0)[:, None]
    assert RLFCM().fit(X).n_clusters_ == 49


def test_single_precision_answers_in_single_precision(blobs):
    X = blobs[0].astype(np.float32)
    model = RLFCM(r1_time=100, r2_time=10).fit(X)
    assert model.predict_proba(X).dtype == model.transform(X).dtype == np.float32


@pytest.mark.parametrize("times", [PUBLISHED, SWAPPED])
def test_a_long_run_stays_finite(blobs, times):
    """tol = 0 never settles: the rates fall by hundreds of orders of magnitude."""
    X = blobs[0][:40]
    model = RLFCM(r1_time=times[0] / 20, r2_time=times[1] / 20, tol=0.0, max_iter=3000)
    with pytest.warns(ConvergenceWarning, match="max_iter=3000"):
        model.fit(X)
    assert not model.converged_
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.n_iter_ == 3000


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"r1_time": 0.0}, ValueError, "r1_time must be above 0.0, got 0.0"),
        ({"r2_time": "slow"}, TypeError, "r2_time must be a number"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
        ({"tol": -1.0}, ValueError, "tol must be at least 0.0"),
        ({"tol": np.nan}, ValueError, "tol must be finite"),
    ],
)
def test_bad_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        RLFCM(**parameters).fit(np.eye(4))


def test_bad_data():
    with pytest.raises(ValueError, match="NaN"):
        RLFCM().fit([[np.nan], [1.0]])
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        RLFCM().fit(np.eye(3), sample_weight=[1.0, -1.0, 1.0])
    with pytest.raises(ValueError, match="too far apart"):
        RLFCM().fit([[0.0], [1e160]])
    with pytest.raises(NotFittedError):
        RLFCM().predict(np.eye(3))
    with pytest.raises(ValueError, match="expecting 3 features"):
        RLFCM().fit(np.eye(3)).predict(np.ones((2, 2)))


def test_equal_rows_are_one_cluster():
    with pytest.warns(DegenerateDataWarning, match="one distinct row"):
        model = RLFCM().fit(np.ones((5, 2)))
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.labels_, 0)


@pytest.fixture
def no_check_skips_itself(monkeypatch):
    """The check of array API input runs only where this is set."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.usefixtures("no_check_skips_itself")
@pytest.mark.filterwarnings("ignore::fastcaf.DegenerateDataWarning")
@pytest.mark.filterwarnings("ignore::fastcaf.EmptyClustersWarning")
@parametrize_with_checks([RLFCM(), RLFCM(r1_time=100.0, r2_time=10.0)])
def test_estimator_follows_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)
