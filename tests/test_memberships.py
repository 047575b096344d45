"""The row pass and the row-wise outputs, against the twin."""

import numpy as np
import pytest
from conftest import size

import reference
from fastcaf.kernels.rows import distances
from fastcaf.kernels.rows import fcm as fcm_rows
from fastcaf.memberships import FuzzyMemberships, Statistics

pytestmark = pytest.mark.kernels
NONE = np.empty(0)
POWERS = [1.0, 2.0, 3.0, 8.0, 20.0, 1 / 0.7, 0.5, 0.1]
CHUNK = distances.MIN_CHUNK
DRIVERS = [fcm_rows.fcm_statistics_serial, fcm_rows.fcm_statistics_parallel]


def problem(rng, n=37, d=3, K=5, dtype=np.float64):
    X = rng.normal(size=(n, d)).astype(dtype)
    return X, rng.uniform(0.2, 3.0, n).astype(dtype), rng.normal(size=(K, d))


def assert_close(found, expected, rtol):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.abs(other).max())


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("power", POWERS)
def test_statistics_equal_the_twin(rng, driver, power):
    X, a, U = problem(rng)
    expected = reference.statistics(X, a, U, 1.0 + 1.0 / power)
    assert_close(driver(X, a, NONE, U, power, np.inf), expected, 1e-11)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_statistics_at_the_borders_of_blocks_and_chunks(rng, driver, n):
    X, _, U = problem(rng, n=n, d=2, K=3)
    expected = reference.statistics(X, np.ones(n), U)
    assert_close(driver(X, NONE, NONE, U, 1.0, np.inf), expected, 1e-11)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("K", [1, 2, 7, 8, 9, 33])
def test_statistics_for_any_number_of_features_and_centroids(rng, driver, d, K):
    X, a, U = problem(rng, d=d, K=K)
    assert_close(driver(X, a, NONE, U, 1.0, np.inf), reference.statistics(X, a, U), 1e-11)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("power", [1.0, 2.0, 1 / 0.7])
def test_float32_rows_are_summed_to_float32_accuracy(rng, driver, power):
    X, a, U = problem(rng, n=700, d=5, K=9, dtype=np.float32)
    found = driver(X, a, NONE, U, power, np.inf)
    assert found[1].dtype == np.float64
    expected = reference.statistics(
        X.astype(float), a.astype(float), U.astype(np.float32), 1.0 + 1.0 / power
    )
    assert_close(found, expected, 3e-5)


def test_no_rows_give_zero():
    weight, sums, mass, _, term, _ = fcm_rows.fcm_statistics_serial(
        np.empty((0, 2)), NONE, NONE, np.ones((3, 2)), 1.0, np.inf
    )
    assert not weight.any()
    assert not sums.any()
    assert not mass.any()
    assert term == 0.0


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_row_on_centroids_is_shared_among_them(driver, power):
    X = np.array([[1.0, 2.0], [0.0, 0.5]])
    U = np.array([[1.0, 2.0], [5.0, 5.0], [1.0, 2.0]])
    expected = reference.statistics(X, np.ones(2), U, 1.0 + 1.0 / power)
    assert_close(driver(X, NONE, NONE, U, power, np.inf), expected, 1e-11)


@pytest.mark.parametrize("gap", [1e-150, 1e-160, 5e-324])
def test_distances_whose_inverse_overflows(gap):
    """1/d^2 is infinite here, and the row must still belong to its nearest centroid."""
    mu = fcm_rows.fcm_memberships_serial(
        np.array([[0.0, 0.0]]), np.array([[gap, 0.0], [1.0, 0.0]]), 1.0, np.inf
    )
    np.testing.assert_allclose(mu, [[1.0, 0.0]], atol=1e-100)


@pytest.mark.parametrize(
    "driver", [fcm_rows.fcm_memberships_serial, fcm_rows.fcm_memberships_parallel]
)
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("n", [1, 4, 6, CHUNK + 1])
def test_memberships_equal_the_twin(rng, driver, power, n):
    X, _, U = problem(rng, n=n, K=6)
    mu = driver(X, U, power, np.inf)
    np.testing.assert_allclose(mu.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(mu, reference.memberships(X, U, 1 + 1 / power), atol=1e-12)


def test_memberships_keep_float32(rng):
    X, _, U = problem(rng, dtype=np.float32)
    assert FuzzyMemberships().memberships(X, U).dtype == np.float32


@pytest.mark.parametrize("driver", [distances.nearest_serial, distances.nearest_parallel])
@pytest.mark.parametrize("n", [1, 5, CHUNK + 1])
def test_nearest_two_equal_the_twin(rng, driver, n):
    X, _, U = problem(rng, n=n, K=11)
    labels, first, second = driver(X, U)
    D = reference.squared_distances(X, U)
    np.testing.assert_array_equal(labels, D.argmin(axis=1))
    np.testing.assert_allclose(first, np.sort(D, axis=1)[:, 0], rtol=1e-12)
    np.testing.assert_allclose(second, np.sort(D, axis=1)[:, 1], rtol=1e-12)


def test_nearest_gives_ties_to_the_lowest_index():
    labels, _, _ = distances.nearest_serial(np.zeros((1, 1)), np.array([[1.0], [-1.0], [1.0]]))
    assert labels[0] == 0


def test_nearest_of_a_single_centroid_has_no_second():
    _, first, second = distances.nearest_serial(np.zeros((1, 2)), np.ones((1, 2)))
    assert first[0] == 2.0
    assert second[0] == np.inf


def test_statistics_add_up_over_blocks_of_rows(rng):
    X, a, U = problem(rng, n=100)
    model = FuzzyMemberships(1.7)
    parts = model.statistics(X[:30], a[:30], U) + model.statistics(X[30:], a[30:], U)
    whole = model.statistics(X, a, U)
    assert isinstance(parts, Statistics)
    np.testing.assert_allclose(parts.sums, whole.sums, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(parts.mass, whole.mass, rtol=1e-12)
    assert parts.data_term == pytest.approx(whole.data_term, rel=1e-12)


@pytest.mark.parametrize(("m", "power"), [(2.0, 1.0), (1.5, 2.0), (4 / 3, 3.0), (1.1, 10.0)])
def test_whole_powers_are_recognised(m, power):
    assert FuzzyMemberships(m).power == power


def test_memory_layout_does_not_change_the_bits(rng):
    """The compiler's overlap checks once chose between loops by where arrays lay."""
    X, a, U = problem(rng, n=size(2000, 40), d=6, K=21)
    first = fcm_rows.fcm_statistics_serial(X, a, NONE, U, 1.0, np.inf)
    keep = []
    for i in range(size(30, 2)):
        keep.append(np.empty(1000 + 37 * i))
        again = fcm_rows.fcm_statistics_serial(X.copy(), a, NONE, U, 1.0, np.inf)
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one, other)
