"""Rows that stand for cells: their scatter is a part of all their squared distances."""

import numpy as np
import pytest

import reference
from fastcaf.kernels.rows import entropy as entropy_rows
from fastcaf.kernels.rows import fcm as fcm_rows
from fastcaf.memberships import EntropyMemberships, FuzzyMemberships, KernelMemberships

NONE = np.empty(0)
MODELS = [FuzzyMemberships(), FuzzyMemberships(1.5), FuzzyMemberships(1.7)]
MODELS += [EntropyMemberships(0.4), EntropyMemberships(0.0)]
MODELS += [KernelMemberships(2.0, bandwidth=1.5), KernelMemberships(1.7, bandwidth=0.6)]
FIELDS = ["weight", "sums", "mass", "squares", "data_term", "nearest"]


def cells(rng, n=300, d=3, K=19):
    X, U = rng.normal(size=(n, d)), rng.normal(size=(K, d))
    return X, rng.uniform(0.2, 3.0, n), U, rng.uniform(0.0, 2.0, n)


def assert_alike(one, other, rtol=1e-11):
    for name in FIELDS:
        a, b = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max(), err_msg=name)


@pytest.mark.parametrize(
    "driver", [fcm_rows.fcm_statistics_serial, fcm_rows.fcm_statistics_parallel]
)
@pytest.mark.parametrize("power", [1.0, 2.0, 1 / 0.7])
def test_fuzzy_statistics_equal_the_twin(rng, driver, power):
    X, a, U, s = cells(rng)
    expected = reference.statistics(X, a, U, 1.0 + 1.0 / power, s)
    for one, other in zip(driver(X, a, s, U, power, np.inf), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11 * np.abs(other).max())


@pytest.mark.parametrize(
    "driver",
    [entropy_rows.entropy_statistics_serial, entropy_rows.entropy_statistics_parallel],
)
def test_entropy_statistics_equal_the_twin(rng, driver):
    X, a, U, s = cells(rng)
    found = driver(X, a, s, U, 0.7, np.inf)
    expected = reference.entropy_statistics(X, a, U, 0.7, s)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_no_scatter_and_scatter_zero_are_the_same_bits(rng, model):
    X, a, U, _ = cells(rng)
    plain = model.statistics(X, a, U)
    for scatter in (NONE, np.zeros(len(X))):
        found = model.statistics(X, a, U, scatter)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(plain, name), getattr(found, name))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_cells_of_equal_rows_give_the_sums_of_the_rows(rng, model):
    Z, _, U, _ = cells(rng, n=60)
    counts = rng.integers(1, 6, size=60)
    X = np.repeat(Z, counts, axis=0)
    by_cell = model.statistics(Z, counts.astype(float), U, np.zeros(60))
    assert_alike(by_cell, model.statistics(X, NONE, U))


@pytest.mark.parametrize("model", MODELS[:3], ids=str)
def test_the_scatter_makes_up_for_the_distances_within_a_cell(rng, model):
    """Mean squared distance of a cell's rows to any point: to their mean, plus scatter."""
    rows, u = rng.normal(size=(50, 4)), rng.normal(size=(1, 4))
    mean = rows.mean(axis=0, keepdims=True)
    scatter = np.array([((rows - mean) ** 2).sum(axis=1).mean()])
    cell = model.statistics(mean, np.array([50.0]), u, scatter)
    assert_alike(cell, model.statistics(rows, NONE, u))


def test_a_cell_on_a_centroid_is_not_held_by_it_alone(rng):
    U = np.array([[0.0, 0.0], [1.0, 0.0]])
    found = FuzzyMemberships().statistics(U[:1], NONE, U, np.array([1.0]))
    np.testing.assert_allclose(found.mass, [2 / 3, 1 / 3])
