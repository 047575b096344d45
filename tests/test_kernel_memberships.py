"""Kernel memberships against a plain twin, and what has to hold of every model."""

import numpy as np
import pytest
from conftest import size
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import reference
from fastcaf import CAFHFCM, FuzzyCMeans, RowBlocks
from fastcaf import objective as judge
from fastcaf.data.sources import ArrayRows
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.kernels.rows import distances
from fastcaf.kernels.rows import kernel as kernel_rows
from fastcaf.memberships import FuzzyMemberships, KernelMemberships

NONE = np.empty(0)
CHUNK = distances.MIN_CHUNK
DRIVERS = [kernel_rows.kernel_statistics_serial, kernel_rows.kernel_statistics_parallel]
FUZZIFIERS = [2.0, 1.5, 1.2, 1.7, 3.0]


def twin_memberships(X, U, m, h, scatter=0.0):
    """mu and k, element by element of the formula."""
    D = reference.squared_distances(X, U) + np.reshape(scatter, (-1, 1))
    k = np.exp(-D / (2.0 * h * h))
    E = -2.0 * h * h * np.expm1(-D / (2.0 * h * h))
    mu = np.zeros_like(E)
    for i, row in enumerate(E):
        if (row == 0.0).any():
            mu[i] = (row == 0.0) / (row == 0.0).sum()
            continue
        for j in range(len(row)):
            mu[i, j] = 1.0 / ((row[j] / row) ** (1.0 / (m - 1.0))).sum()
    return mu, k, E


def twin_statistics(X, a, U, m, h, scatter=0.0):
    mu, k, E = twin_memberships(X, U, m, h, scatter)
    held = a[:, None] * mu**m
    return (
        (held * k).sum(axis=0),
        (held * k).T @ X,
        (a[:, None] * mu).sum(axis=0),
        held.sum(axis=0),
        0.5 * (held * E).sum(),
        0.0,
    )


def parameters(m, h, noise=np.inf):
    return KernelMemberships(m, noise, bandwidth=h).kernel_parameters[0]


def assert_close(found, expected, rtol):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.abs(other).max())


@pytest.mark.kernels
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("m", FUZZIFIERS)
@pytest.mark.parametrize("h", [0.4, 2.0, 1e3, 1e6])
def test_statistics_equal_the_twin(rng, driver, m, h):
    X, U, a = rng.normal(size=(37, 3)), rng.normal(size=(5, 3)), rng.uniform(0.2, 3.0, 37)
    U[0] = X[0]  # on a centroid
    s = rng.uniform(0.0, 0.5, 37) * (np.arange(37) > 0)
    for scatter in (NONE, s):
        expected = twin_statistics(X, a, U, m, h, scatter if len(scatter) else 0.0)
        assert_close(driver(X, a, scatter, U, parameters(m, h)), expected, 1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("m", FUZZIFIERS)
def test_a_noise_cluster_is_one_more_at_its_distance_from_every_row(rng, driver, m):
    """Rows at 0, centroids and the noise on a sphere around it: all share alike."""
    U = rng.normal(size=(4, 3))
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    X, h = np.zeros((5, 3)), 0.9
    weight, _, mass, squares, term, _ = driver(X, NONE, NONE, U, parameters(m, h, 1.0))
    e, k = -2.0 * h * h * np.expm1(-1.0 / (2.0 * h * h)), np.exp(-1.0 / (2.0 * h * h))
    np.testing.assert_allclose(mass, 5.0 / 5.0)
    np.testing.assert_allclose(squares, 5.0 * 0.2**m)
    np.testing.assert_allclose(weight, 5.0 * 0.2**m * k)
    assert term == pytest.approx(0.5 * 5.0 * 5.0 * 0.2**m * e)
    shown = kernel_rows.kernel_memberships_serial(X, U, parameters(m, h, 1.0))
    np.testing.assert_allclose(shown, 0.2)


@pytest.mark.kernels
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("n", [1, 15, 16, 17, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
@pytest.mark.parametrize("K", [1, 8, 9, 33])
def test_statistics_of_any_size(rng, driver, n, K):
    n = size(n, min(n, CHUNK + 1))
    X, U = rng.normal(size=(n, 2)), rng.normal(size=(K, 2))
    expected = twin_statistics(X, np.ones(n), U, 2.0, 1.5)
    assert_close(driver(X, NONE, NONE, U, parameters(2.0, 1.5)), expected, 1e-10)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("m", [2.0, 1.7])
def test_float32_rows_are_summed_to_float32_accuracy(rng, driver, m):
    X, U = rng.normal(size=(700, 5)).astype(np.float32), rng.normal(size=(9, 5))
    a = rng.uniform(0.2, 3.0, 700).astype(np.float32)
    found = driver(X, a, NONE[:0].astype(np.float32), U, parameters(m, 1.5))
    exact = X.astype(float), a.astype(float), U.astype(np.float32).astype(float)
    assert_close(found, twin_statistics(*exact, m, 1.5), 3e-5)
    assert KernelMemberships(m, bandwidth=1.5).memberships(X, U).dtype == np.float32


@pytest.mark.kernels
@pytest.mark.parametrize(
    "driver", [kernel_rows.kernel_memberships_serial, kernel_rows.kernel_memberships_parallel]
)
@pytest.mark.parametrize("m", FUZZIFIERS)
def test_memberships_equal_the_twin_and_the_judge(rng, driver, m):
    X, U = 3.0 * rng.normal(size=(CHUNK + 1, 3)), rng.normal(size=(6, 3))
    X[0] = U[2]
    found = driver(X, U, parameters(m, 0.8))
    np.testing.assert_allclose(found, twin_memberships(X, U, m, 0.8)[0], atol=1e-12)
    np.testing.assert_allclose(found, judge.memberships(X, U, m, 0.8), atol=1e-12)


@pytest.mark.kernels
def test_a_row_far_from_everything_belongs_to_all_alike_and_pulls_at_none():
    U, far = np.array([[0.0], [1.0], [3.0]]), np.array([[50.0], [1e3]])
    model = KernelMemberships(2.0, bandwidth=1.0)
    np.testing.assert_allclose(model.memberships(far, U), 1.0 / 3.0)
    found = model.statistics(far, NONE, U)
    assert found.weight.max() < 1e-25
    assert np.abs(found.sums).max() < 1e-25
    np.testing.assert_allclose(found.mass, 2.0 / 3.0)
    assert found.data_term == pytest.approx(0.5 * 2 * 3 * (1 / 3) ** 2 * 2.0)


@pytest.mark.parametrize("m", [1.5, 1.7, 2.0])
def test_without_a_penalty_it_is_the_plain_iteration(iris, rng, m):
    """Centroids after so many iterations, and the objective, to 1e-10."""
    U = start = iris[rng.choice(150, 4, replace=False)] + 1e-3
    h, n = 1.3, 12
    for _ in range(n):
        weight, sums, *_ = twin_statistics(iris, np.ones(150), U, m, h)
        U = sums / weight[:, None]
    model = FuzzyCMeans(
        4, membership="kernel", bandwidth=h, fuzzifier=m, init=start, max_iter=n, tol=0.0
    )
    with pytest.warns(ConvergenceWarning):
        model.fit(iris)
    order = np.lexsort(U.T)
    found = model.cluster_centers_[np.lexsort(model.cluster_centers_.T)]
    np.testing.assert_allclose(found, U[order], rtol=1e-10)
    expected = twin_statistics(iris, np.ones(150), U, m, h)[4]
    assert model.objective_ == pytest.approx(expected, rel=1e-10)
    assert judge.objective(iris, U, 0.0, fuzzifier=m, bandwidth=h) == pytest.approx(expected)


def test_the_objective_never_rises():
    """500 random problems at a fixed gamma, steps beyond the answer and fusions included."""
    compared = 0
    for seed in range(size(500, 10)):
        rng = np.random.default_rng(seed)
        n, d, K = rng.integers(20, 60), rng.integers(1, 4), rng.integers(2, 9)
        X = rng.normal(size=(n, d)) * rng.choice([1.0, 6.0], size=(n, 1), p=[0.9, 0.1])
        a = rng.uniform(0.1, 3.0, n) if seed % 2 else NONE
        m, h = rng.choice([1.3, 1.5, 2.0, 2.6]), 10 ** rng.uniform(-1.5, 1.0)
        weights = ("mass", "uniform", "neighbours")[seed % 3]
        model = KernelMemberships(m, bandwidth=h)
        solver = Solver(ArrayRows(X, a), model, tol=1e-9, max_iter=40, fusion_weights=weights)
        state = solver.start(X[rng.choice(n, K, replace=False)])
        gamma = 10 ** rng.uniform(-3.0, 1.0)
        _, settled = solver.settle(state, gamma, lambda places, sets: None)
        values, counts = np.array(settled.history).T
        same = counts[1:] == counts[:-1]
        rises = np.diff(values)[same] / values[:-1][same]
        assert rises.max(initial=-1.0) <= 1e-12, seed
        compared += same.sum()
    assert compared > size(5000, 20)


@pytest.mark.parametrize("gamma", [0.0, 0.05, 0.5])
def test_a_wide_kernel_is_fuzzy_c_means_at_the_same_gamma(iris, gamma):
    options = {"gamma": gamma, "prune": False, "random_state": 0, "tol": 1e-9}
    options |= {"init": iris[::8], "max_iter": 3000}
    plain = CAFHFCM(membership="fcm", **options).fit(iris)
    wide = CAFHFCM(membership="kernel", bandwidth=1e5, **options).fit(iris)
    assert wide.n_clusters_ == plain.n_clusters_
    assert wide.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    assert wide.gamma_ == plain.gamma_


def test_the_reported_level_is_that_of_the_judge(X):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    model = CAFHFCM(
        membership="kernel", bandwidth=4.0, gamma=0.5, random_state=0, prune=False
    ).fit(X, sample_weight=weights)
    U = model.path_.levels[-1].centroids
    value = judge.objective(X, U, 0.5, bandwidth=4.0, sample_weight=weights)
    assert model.path_.levels[-1].objective == pytest.approx(value, rel=1e-9)
    assert (model.bandwidth_, model.fuzzifier_) == (pytest.approx(4.0), 2.0)


def test_clusters_are_found_and_predicted(blobs):
    X, y = blobs
    model = CAFHFCM(membership="kernel", random_state=0).fit(X)
    assert model.n_clusters_ == len(np.unique(y)) == 5
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    mu = model.predict_proba(X)
    np.testing.assert_allclose(mu.sum(axis=1), 1.0)
    np.testing.assert_array_equal(mu.argmax(axis=1), model.labels_)
    np.testing.assert_array_equal(model.cut(n_clusters=5).labels, model.labels_)


@pytest.mark.parametrize("factor", [1e-150, 3.0, 2.0**40])
def test_a_bandwidth_from_the_data_follows_the_scale(X, factor):
    one = FuzzyCMeans(5, membership="kernel", random_state=0).fit(X)
    other = FuzzyCMeans(5, membership="kernel", random_state=0).fit(factor * X + factor)
    expected = np.sqrt(0.5 * ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    assert one.bandwidth_ == pytest.approx(expected)
    assert other.bandwidth_ == pytest.approx(factor * one.bandwidth_)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(other.memberships_, one.memberships_, atol=1e-6)


@pytest.mark.parametrize("make", [FuzzyCMeans, CAFHFCM], ids=lambda make: make.__name__)
def test_weights_are_copies(make, rng):
    X, _ = make_blobs(90, 3, centers=4, cluster_std=0.7, random_state=2)
    copies = rng.integers(0, 4, len(X))
    options = {"membership": "kernel", "fuzzifier": "auto", "n_clusters": 4}
    options |= {"init": X[copies > 0][:12] if make is CAFHFCM else X[copies > 0][:4]}
    weighted = make(**options).fit(X, sample_weight=copies)
    repeated = make(**options).fit(np.repeat(X, copies, axis=0))
    assert weighted.bandwidth_ == pytest.approx(repeated.bandwidth_, rel=1e-12)
    assert weighted.fuzzifier_ == repeated.fuzzifier_
    np.testing.assert_array_equal(np.repeat(weighted.labels_, copies), repeated.labels_)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)


def test_many_rows_in_memory_and_in_blocks():
    places = [[0, 0], [0, 8], [8, 0], [8, 8], [16, 0], [16, 8]]
    X, y = make_blobs(3000, centers=places, cluster_std=0.6, random_state=3)
    options = {"membership": "kernel", "random_state": 0}
    whole = CAFHFCM(representatives=500, **options).fit(X)
    blocks = CAFHFCM(representatives=500, **options).fit(RowBlocks(lambda: np.split(X, 6)))
    assert whole.n_clusters_ == len(np.unique(y))
    assert blocks.bandwidth_ == whole.bandwidth_
    np.testing.assert_array_equal(blocks.labels_, whole.labels_)
    expected = np.sqrt(0.5 * ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    assert whole.bandwidth_ == pytest.approx(expected, rel=1e-5)  # with the cells' scatter


@pytest.mark.parametrize("make", [FuzzyCMeans, CAFHFCM], ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    ("bandwidth", "error", "message"),
    [
        (0.0, ValueError, r"bandwidth must be above 0\.0, got 0\.0"),
        (np.inf, ValueError, "bandwidth must be finite, got inf"),
        ("wide", TypeError, "bandwidth must be a number, got 'wide'"),
    ],
)
def test_bandwidths_that_cannot_be(X, make, bandwidth, error, message):
    with pytest.raises(error, match=message):
        make(membership="kernel", bandwidth=bandwidth).fit(X)


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@pytest.mark.parametrize("bandwidth", [1e-200, 1e-3, 1e200, "auto"])
def test_extreme_bandwidths_and_data_stay_finite(rng, bandwidth):
    for X in (rng.normal(size=(40, 2)), np.ones((6, 2)), rng.normal(size=(1, 3))):
        model = CAFHFCM(membership="kernel", bandwidth=bandwidth, random_state=0).fit(X)
        assert np.isfinite(model.cluster_centers_).all()
        assert np.isfinite(model.predict_proba(X)).all()


def test_other_memberships_have_no_bandwidth(X):
    model = FuzzyCMeans(3, random_state=0).fit(X)
    with pytest.raises(AttributeError, match='fit with membership="kernel"'):
        _ = model.bandwidth_
    with pytest.raises(ValueError, match="membership must be one of 'fcm', 'kernel'"):
        FuzzyCMeans(membership="entropy").fit(X)


@pytest.mark.kernels
def test_it_shares_the_parameters_of_fuzzy_c_means():
    model = KernelMemberships(1.5, bandwidth=0.7)
    assert KernelMemberships.from_parameters(model.parameters) == model
    assert model.power == FuzzyMemberships(1.5).power
    assert model.least_confidence == FuzzyMemberships.least_confidence
