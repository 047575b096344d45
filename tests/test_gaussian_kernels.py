"""Kernels for Gaussian components and shapes of clusters, against twins, scipy and geometry."""

import gaussian_reference as reference
import numpy as np
import pytest
from conftest import size
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, multivariate_t

from fastcaf.kernels import small_matrices
from fastcaf.kernels.loop.gaussian import factorise
from fastcaf.kernels.rows import gaussian
from fastcaf.kernels.shapes.completed_likelihood import completed_likelihoods
from fastcaf.kernels.shapes.covariances import covariances_of_model
from fastcaf.kernels.shapes.heavy_tails import ROUNDS, heavy_tailed_likelihood
from fastcaf.kernels.shapes.merge_loss import cheapest_merge
from fastcaf.kernels.shapes.scatter import moments_around_means
from fastcaf.kernels.shapes.valleys import valleys

pytestmark = pytest.mark.kernels
NONE = np.empty(0)
TINY = 1e-30  # a resolution that changes nothing; 0 would be a constant feature
MODELS = range(4)
CHUNK = gaussian.MIN_CHUNK
STATISTICS = [gaussian.gaussian_statistics_serial, gaussian.gaussian_statistics_parallel]
CLASSIFY = [gaussian.classify_serial, gaussian.classify_parallel]
MEMBERSHIPS = [gaussian.gaussian_memberships_serial, gaussian.gaussian_memberships_parallel]
few = settings(deadline=None, max_examples=size(30, 8))


def triangles(matrices):
    """Lower triangles, row after row."""
    return np.array([m[np.tril_indices(len(m))] for m in matrices])


def positive_definite(rng, d, condition=30.0):
    q, _ = np.linalg.qr(rng.normal(size=(d, d)))
    return (q * condition ** rng.uniform(-0.5, 0.5, d)) @ q.T


def mixture(rng, K, d, is_full):
    """Centroids, covariances and shares of no particular kind."""
    S = np.array([positive_definite(rng, d) for _ in range(K)])
    if not is_full:
        S = rng.uniform(0.3, 3.0, K)[:, None, None] * np.eye(d)
    return rng.normal(size=(K, d)), S, rng.dirichlet(np.ones(K))


def kernel_arguments(S, shares, is_full):
    """W_j as the kernels take it, and constants without a resolution."""
    d = S.shape[1]
    W = np.linalg.inv(np.linalg.cholesky(S))
    factors = triangles(W) if is_full else W[:, :1, 0].copy()
    traces = np.trace(np.linalg.inv(S), axis1=1, axis2=2) / d
    constants = np.column_stack([np.linalg.slogdet(S)[1] - 2.0 * np.log(shares), traces])
    return factors, constants, np.inf  # no noise


def packed_sums(weight, squares, first, second, is_full):
    """As the kernels return it."""
    traces = np.trace(second, axis1=1, axis2=2)[:, None]
    return np.hstack(
        [weight[:, None], squares[:, None], first, triangles(second) if is_full else traces]
    )


def partition(rng, n, c, d):
    """Rows around c points, their labels (all in use), weights, and a resolution."""
    z = np.concatenate([np.arange(c), rng.integers(c, size=n - c)]).astype(np.int32)
    X = 3.0 * rng.normal(size=(c, d))[z] + rng.normal(size=(n, d)) * rng.uniform(0.5, 2.0, d)
    return X, z, rng.uniform(0.5, 2.0, n), rng.uniform(0.01, 0.1, d)


def sums_of(X, a, z, centroids, is_full):
    d = X.shape[1]
    n_moments = d * (d + 1) // 2 if is_full else 1
    return gaussian.sums_by_label(X, a, NONE, z, centroids, n_moments)


# The pass over the rows.


@pytest.mark.parametrize("driver", STATISTICS)
@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize(
    ("n", "d", "K"),
    size(
        [
            (n, d, K)
            for n in (1, 16, CHUNK, CHUNK + 1)
            for d in (1, 2, 3, 7)
            for K in (1, 5, 17)
        ],
        [(1, 1, 1), (17, 3, 5), (CHUNK, 2, 2), (CHUNK + 1, 7, 17)],
    ),
)
def test_sums_over_rows_equal_the_twin(rng, driver, is_full, n, d, K):
    X, a = rng.normal(size=(n, d)), rng.uniform(0.5, 2.0, n)
    scatter = rng.uniform(0.0, 1.0, n)
    U, S, shares = mixture(rng, K, d, is_full)
    factors, constants, _ = kernel_arguments(S, shares, is_full)
    for weights, cells in ((NONE, NONE), (a, NONE), (NONE, scatter), (a, scatter)):
        found, term = driver(X, weights, cells, U, factors, constants, np.inf)
        own = weights if len(weights) else np.ones(n)
        *sums, expected = reference.mixture_sums(
            X, own, U, S, shares, cells if len(cells) else 0.0
        )
        right = packed_sums(*sums, is_full)
        np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-11 * np.abs(right).max())
        assert term + 0.5 * d * np.log(2.0 * np.pi) * own.sum() == pytest.approx(expected)


@pytest.mark.parametrize("driver", STATISTICS)
@pytest.mark.parametrize("is_full", [True, False])
def test_single_precision_rows(rng, driver, is_full):
    """The twin gets the rounded numbers; what is left are roundings of the energies."""
    n, d, K = CHUNK + 50, 7, 17
    X, a = (one.astype(np.float32) for one in (rng.normal(size=(n, d)), rng.uniform(1, 2, n)))
    scatter = rng.uniform(0.0, 1.0, n).astype(np.float32)
    U, S, shares = mixture(rng, K, d, is_full)
    U = U.astype(np.float32).astype(np.float64)
    found, term = driver(X, a, scatter, U, *kernel_arguments(S, shares, is_full))
    *sums, expected = reference.mixture_sums(
        X.astype(float), a.astype(float), U, S, shares, scatter.astype(float)
    )
    right = packed_sums(*sums, is_full)
    precision = 100 * float(np.finfo(np.float32).eps)
    np.testing.assert_allclose(found, right, rtol=precision, atol=precision * right.max())
    constant = 0.5 * d * np.log(2.0 * np.pi) * a.sum(dtype=float)
    assert term + constant == pytest.approx(expected, rel=precision)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize(("n", "d", "K"), [(size(5000, 300), 9, 20), (1025, 2, 3)])
def test_threads_do_not_change_the_bits(rng, dtype, is_full, n, d, K):
    X, a, scatter = (
        one.astype(dtype)
        for one in (rng.normal(size=(n, d)), rng.uniform(1, 2, n), rng.uniform(0, 1, n))
    )
    U, S, shares = mixture(rng, K, d, is_full)
    parts = U, *kernel_arguments(S, shares, is_full)
    (one, term), (other, same) = (driver(X, a, scatter, *parts) for driver in STATISTICS)
    np.testing.assert_array_equal(one, other)
    assert term == same
    for serial, parallel in (CLASSIFY, MEMBERSHIPS):
        np.testing.assert_array_equal(serial(X, *parts), parallel(X, *parts))


def test_rows_of_weight_two_are_rows_that_come_twice(rng):
    X, (U, S, shares) = rng.normal(size=(size(400, 30), 3)), mixture(rng, 4, 3, True)
    parts = U, *kernel_arguments(S, shares, True)
    heavy, term = gaussian.gaussian_statistics_serial(X, np.full(len(X), 2.0), NONE, *parts)
    twice, same = gaussian.gaussian_statistics_serial(
        np.repeat(X, 2, axis=0), NONE, NONE, *parts
    )
    np.testing.assert_allclose(heavy, twice, rtol=1e-12, atol=1e-12 * len(X))
    assert term == pytest.approx(same, rel=1e-12)


@pytest.mark.parametrize("is_full", [True, False])
def test_components_far_away_get_nothing_and_spoil_nothing(rng, is_full):
    """Whole vectors of components are skipped, the padding of the last one among them."""
    K, d = size(19, 5), 2
    U, S, shares = mixture(rng, K, d, is_full)
    U += 1e4 * np.arange(K)[:, None]
    X = U[rng.integers(1, K, size(200, 20))] + rng.normal(size=(size(200, 20), d))
    found, _ = gaussian.gaussian_statistics_serial(
        X, NONE, NONE, U, *kernel_arguments(S, shares, is_full)
    )
    right = packed_sums(*reference.mixture_sums(X, np.ones(len(X)), U, S, shares)[:-1], is_full)
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-11)
    assert not found[0].any()


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize(("d", "K"), [(1, 1), (2, 5), (7, 17)])
def test_memberships_and_labels(rng, is_full, d, K):
    X, (U, S, shares) = rng.normal(size=(size(100, 20), d)), mixture(rng, K, d, is_full)
    parts = U, *kernel_arguments(S, shares, is_full)
    mu = gaussian.gaussian_memberships_serial(X, *parts)
    # A share below exp(-30) counts as 0.
    expected = reference.memberships(X, U, S, shares)
    np.testing.assert_allclose(mu, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mu.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_array_equal(gaussian.classify_serial(X, *parts), mu.argmax(axis=1))


def test_equal_components_share_rows_and_the_first_has_the_label(rng):
    X = rng.normal(size=(20, 2))
    U, S, shares = (np.repeat(one, 3, axis=0) for one in mixture(rng, 1, 2, True))
    parts = U, *kernel_arguments(S, shares / 3.0, True)
    np.testing.assert_allclose(gaussian.gaussian_memberships_serial(X, *parts), 1.0 / 3.0)
    assert not gaussian.classify_serial(X, *parts).any()


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize("d", [1, 2, 9])
def test_sums_by_label(rng, is_full, d):
    n, K = size(500, 60), 4
    X, z, a = rng.normal(size=(n, d)), rng.integers(K - 1, size=n), rng.uniform(0.5, 2, n)
    U, scatter = rng.normal(size=(K, d)), rng.uniform(0.0, 1.0, n)  # the last has no row
    found = gaussian.sums_by_label(X, a, scatter, z, U, d * (d + 1) // 2 if is_full else 1)
    sums = []
    for j in range(K):
        f, own, cells = X[z == j] - U[j], a[z == j], scatter[z == j]
        second = (own[:, None] * f).T @ f + own @ cells / d * np.eye(d)
        sums.append((own.sum(), own.sum(), own @ f, second))
    right = packed_sums(*(np.array(one) for one in zip(*sums, strict=True)), is_full)
    np.testing.assert_allclose(found, right, rtol=1e-11, atol=1e-11)
    assert not found[-1].any()


@pytest.mark.parametrize("is_full", [True, False])
def test_factors_of_covariances(rng, is_full):
    K, d = 4, 3
    _, S, shares = mixture(rng, K, d, is_full)
    blur = rng.uniform(0.1, 1.0, d)
    covariances = triangles(S) if is_full else S[:, :1, 0].copy()
    factors, constants = np.empty_like(covariances), np.empty((K, 2))
    logarithms, traces = factorise(covariances, shares, blur, float(d), factors, constants)
    right, plain, _ = kernel_arguments(S, shares, is_full)
    inverses = np.linalg.inv(S)
    plain[:, 0] += np.trace(inverses @ np.diag(blur), axis1=1, axis2=2)
    np.testing.assert_allclose(factors, right)
    np.testing.assert_allclose(constants, plain)
    assert logarithms == pytest.approx(np.linalg.slogdet(S)[1].sum())
    assert traces == pytest.approx(np.trace(inverses, axis1=1, axis2=2).sum())


# Small matrices.


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
@few
def test_small_matrices_as_in_linear_algebra(seed, d):
    rng = np.random.default_rng(seed)
    A = positive_definite(rng, d, 1e4)
    lower = np.linalg.cholesky(A)
    found = A.copy()
    assert small_matrices.cholesky(found)
    np.testing.assert_allclose(np.tril(found), lower, atol=1e-12 * lower.max())
    small_matrices.invert_triangle(found)
    inverse = np.linalg.inv(lower)
    np.testing.assert_allclose(np.tril(found), inverse, atol=1e-10 * np.abs(inverse).max())
    square = np.empty((d, d))
    small_matrices.square_of_triangle(found, 3.0, square)
    inverse = np.linalg.inv(A)
    np.testing.assert_allclose(square, 3.0 * inverse, atol=1e-9 * np.abs(inverse).max())
    np.testing.assert_array_equal(square, square.T)
    found = np.tril(A)  # what is above the diagonal is not read
    small_matrices.invert_positive(found, np.empty((d, d)))
    np.testing.assert_allclose(found, inverse, atol=1e-9 * np.abs(inverse).max())
    packed, back = np.empty(d * (d + 1) // 2), np.empty((d, d))
    small_matrices.pack_triangle(A, packed)
    np.testing.assert_array_equal(packed, A[np.tril_indices(d)])
    small_matrices.unpack_triangle(packed, back)
    np.testing.assert_array_equal(back, np.tril(A) + np.tril(A, -1).T)


@pytest.mark.parametrize("matrix", [[[0.0]], [[1.0, 2.0], [2.0, 1.0]], [[np.nan]]])
def test_what_is_not_positive_definite_is_noticed(matrix):
    assert not small_matrices.cholesky(np.array(matrix))


# Clusters with covariances.


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 6),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)
@few
def test_the_cheapest_merge_is_the_cheapest_of_all(seed, c, d, is_full, has_prior):
    rng = np.random.default_rng(seed)
    X, z, a, blur = partition(rng, 40, c, d)
    U, (prior, strength) = rng.normal(size=(c, d)), (0.7, d + 2.0) if has_prior else (0.0, 0.0)
    sums = sums_of(X, a, z, U, is_full)
    first, second, loss, weight, means = cheapest_merge(
        sums, U, blur, float(d), prior, strength
    )
    options = X, a, z
    losses = {
        (k, j): reference.merge_loss(*options, k, j, blur, prior, strength, not is_full)
        for j in range(c)
        for k in range(j)
    }
    best = min(losses, key=losses.get)
    assert loss == pytest.approx(losses[best], abs=1e-9 * a.sum())
    assert losses[first, second] == pytest.approx(losses[best], abs=1e-9 * a.sum())
    expected, centres, _ = reference.clusters(X, a, z, blur)
    np.testing.assert_allclose(weight, expected)
    np.testing.assert_allclose(means, centres, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 4))
@few
def test_completed_likelihoods(seed, c, d):
    rng = np.random.default_rng(seed)
    X, z, a, blur = partition(rng, 50, c, d)
    U, out = rng.normal(size=(c, d)), np.empty(len(MODELS))
    expected = [reference.completed_likelihood(model, X, a, z, blur) for model in MODELS]
    variance = completed_likelihoods(sums_of(X, a, z, U, True), U, blur, float(d), NONE, out)
    np.testing.assert_allclose(out, expected, rtol=1e-10)
    weight, _, scatter = reference.clusters(X, a, z, blur)
    assert variance == pytest.approx(np.trace(scatter.sum(axis=0)) / (weight.sum() * d))
    if d > 1:  # with sums of squares alone
        sums = sums_of(X, a, z, U, False)
        completed_likelihoods(sums, U, blur, float(d), NONE, out)
        np.testing.assert_allclose(out[:2], expected[:2], rtol=1e-10)
        assert (out[2:] == -np.inf).all()
        around_zero = ((a[:, None] * X).T @ X)[np.tril_indices(d)]
        completed_likelihoods(sums, U, blur, float(d), around_zero, out)
        np.testing.assert_allclose(out[:3], expected[:3], rtol=1e-9)
        assert out[3] == -np.inf


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 4), st.booleans())
@few
def test_covariances_of_the_four_models(seed, c, d, is_full):
    rng = np.random.default_rng(seed)
    X, z, a, blur = partition(rng, 50, c, d)
    U = rng.normal(size=(c, d))
    weight, _, scatter = moments_around_means(sums_of(X, a, z, U, is_full), U)
    expected, _, around = reference.clusters(X, a, z, blur)
    for model in MODELS if is_full else MODELS[:2]:
        right = reference.covariances(model, expected, around)
        found = covariances_of_model(model, weight, scatter, blur, float(d))
        right = triangles(right) if model >= 2 else right[:, :1, 0]
        np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-9)


def test_one_cluster_has_the_likelihood_of_scipy(rng):
    X, z, _, _ = partition(rng, 80, 1, 3)
    blur, out = np.full(3, TINY), np.empty(4)
    U = np.zeros((1, 3))
    completed_likelihoods(sums_of(X, NONE, z, U, True), U, blur, 3.0, NONE, out)
    expected = multivariate_normal(X.mean(axis=0), np.cov(X.T, ddof=0)).logpdf(X).sum()
    assert out[2] == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
@few
def test_heavy_tailed_likelihoods(seed, c, d):
    rng = np.random.default_rng(seed)
    X, z, a, blur = partition(rng, 50, c, d)
    X = X + 5.0 * (rng.uniform(size=(50, 1)) < 0.1) * rng.normal(size=(50, d))
    U = rng.normal(size=(c, d))
    for model in MODELS:
        expected, *_ = reference.heavy_tailed_likelihood(model, X, a, z, blur)
        further = reference.heavy_tailed_likelihood(model, X, a, z, blur, ROUNDS + 1)
        for is_full in {True, model >= 2}:  # variances need sums of squares only
            weight, means, moments = moments_around_means(sums_of(X, a, z, U, is_full), U)
            found = heavy_tailed_likelihood(
                X, a, NONE, z, weight, means, moments, blur, float(d), model
            )
            assert found == pytest.approx(expected, rel=1e-9)
            # Left behind: what the next round would begin with.
            np.testing.assert_allclose(means, further[1], rtol=1e-9, atol=1e-9)
            own = covariances_of_model(model, weight, moments, blur, float(d))
            diagonal = np.cumsum(np.arange(1, d + 1)) - 1 if own.shape[1] > 1 else [0]
            variances = [np.diag(S)[: len(diagonal)] for S in further[2]]
            np.testing.assert_allclose(own[:, diagonal], variances, rtol=1e-8)


def test_heavy_tails_of_one_cluster_are_those_of_scipy(rng):
    X = rng.standard_t(3, size=(80, 3))
    z, blur, U = np.zeros(80, np.int32), np.full(3, TINY), np.zeros((1, 3))
    sums = sums_of(X, NONE, z, U, True)
    for model in MODELS:
        moments = moments_around_means(sums, U)
        found = heavy_tailed_likelihood(X, NONE, NONE, z, *moments, blur, 3.0, model)
        _, (mean,), (S,) = reference.heavy_tailed_likelihood(model, X, np.ones(80), z, blur)
        expected = multivariate_t(mean, S, df=4).logpdf(X).sum()
        assert found == pytest.approx(expected, rel=1e-10)


def test_a_constant_feature_tells_nothing(rng):
    X, z, a, blur = partition(rng, 60, 3, 2)
    wide = np.column_stack([X[:, 0], np.zeros(60), X[:, 1]])
    wide_blur, found = np.array([blur[0], 0.0, blur[1]]), []
    for rows, resolution in ((X, blur), (wide, wide_blur)):
        U, out = np.zeros((3, rows.shape[1])), np.empty(4)
        sums = sums_of(rows, a, z, U, True)
        completed_likelihoods(sums, U, resolution, 2.0, NONE, out)
        merge = cheapest_merge(sums, U, resolution, 2.0, 0.5, 4.0)[:3]
        tails = [
            heavy_tailed_likelihood(
                rows, a, NONE, z, *moments_around_means(sums, U), resolution, 2.0, model
            )
            for model in (0, 1, 2)
        ]
        depths, gaps = valleys(rows, a, z, sums, U, resolution, 2.0, 1.0, 1.0)
        found.append([*out[:3], *merge, *tails, *depths, *gaps])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)


# Valleys.


def look(X, z, a=NONE, is_full=True, one_row=1.0, prior=1.0):
    """Depths and gaps, as a judge of partitions asks for them."""
    U = np.zeros((z.max() + 1, X.shape[1]))
    sums, blur = sums_of(X, a, z, U, is_full), np.full(X.shape[1], TINY)
    return valleys(X, a, z, sums, U, blur, float(X.shape[1]), prior, one_row)


N_ROWS = 5000


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_gaussian_cut_in_two_has_no_valley(rng, d, is_full):
    X = rng.normal(size=(N_ROWS, d))
    depths, _ = look(X, (X[:, 0] > X[:, 0].mean()).astype(np.int32), is_full=is_full)
    assert depths.min() > 0.9


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_two_gaussians_far_apart_have_a_deep_one(rng, d, is_full):
    z = rng.integers(2, size=N_ROWS).astype(np.int32)
    X = rng.normal(size=(N_ROWS, d))
    X[:, 0] += 6.0 * z
    depths, gaps = look(X, z, is_full=is_full)
    assert depths.max() < 0.1
    np.testing.assert_allclose(gaps, 6.0, rtol=0.05)


def test_a_uniform_block_cut_in_two_is_one(rng):
    """Its halves are 1/2 apart with a deviation of 1 / (2 sqrt(12)): sqrt(12) deviations."""
    X = rng.uniform(size=(4 * N_ROWS, 2))
    depths, gaps = look(X, (X[:, 0] > 0.5).astype(np.int32), prior=1.0 / 12.0)
    assert depths.min() > 0.9
    np.testing.assert_allclose(gaps, np.sqrt(12.0), rtol=0.05)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(1, 4), st.booleans())
@few
def test_depths_and_gaps_equal_the_twin(seed, c, d, is_full):
    """The gap is the distance of Mahalanobis to the nearest cluster."""
    rng = np.random.default_rng(seed)
    X, z, a, _ = partition(rng, 150, c, d)
    prior, one_row = rng.uniform(0.1, 2.0), rng.uniform(0.3, 1.0)
    found = look(X, z, a, is_full, one_row, prior)
    right = reference.valley_depths(
        X, a, z, np.full(d, TINY), prior, one_row, is_round=not is_full and d > 1
    )
    np.testing.assert_allclose(found, right, rtol=1e-9)


def test_weights_of_rows_in_valleys(rng):
    X, z, _, _ = partition(rng, 400, 4, 2)
    twice = look(np.repeat(X, 2, axis=0), np.repeat(z, 2))
    np.testing.assert_allclose(look(X, z, np.full(400, 2.0)), twice, rtol=1e-9)
    # Counts are as certain as there are rows, whatever one row weighs.
    heavy = np.full(400, 2.0**40)
    one, other = (look(X, z, a, one_row=a[0]) for a in (heavy, 8.0 * heavy))
    np.testing.assert_allclose(one, other, rtol=1e-6)
    many, gaps = look(X, z, heavy, one_row=heavy[0] / 100.0)
    assert (many < one[0]).all()
    np.testing.assert_array_equal(gaps, one[1])


def test_valleys_do_not_depend_on_the_units_of_features(rng):
    X, z, a, _ = partition(rng, 400, 4, 3)
    B = rng.normal(size=(3, 3)) * [1.0, 100.0, 0.01]
    np.testing.assert_allclose(look(X @ B, z, a), look(X, z, a), rtol=1e-6)
