"""The start without chance: means of parts that are halved again and again."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from fastcaf import CAFHFCM, FuzzyCMeans
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.fusion.bisection import means_of_parts

NONE = np.empty(0)


def means(rows, n, weights=NONE):
    distinct = DistinctRows.of(rows, weights)
    return means_of_parts(distinct.rows, distinct.weights, n)


def in_order(places):
    return places[np.lexsort(places.T)]


pytestmark = pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")


@pytest.fixture
def rows(rng):
    whole = rng.normal(size=(120, 3)) * [3.0, 1.0, 0.4]
    return whole - whole.mean(axis=0)


def twin(rows, n):
    """Slow and obvious: the part with the most scatter is cut at its mean."""
    parts = [rows]
    while len(parts) < n:
        part = parts.pop(int(np.argmax([((p - p.mean(0)) ** 2).sum() for p in parts])))
        centred = part - part.mean(axis=0)
        axis = np.linalg.svd(centred)[2][0]
        left = centred @ axis < 0.0
        parts += [part[left], part[~left]]
    return np.array([part.mean(axis=0) for part in parts])


def test_it_is_the_twin(rng):
    """Parts much longer than wide: there power iteration has found the axis."""
    centers = np.array([[-20.0, 0.0], [0.0, 0.0], [40.0, 0.0]])
    rows = np.concatenate([rng.normal(c, [3.0, 0.3], (40, 2)) for c in centers])
    for n in (2, 3, 5):
        np.testing.assert_allclose(in_order(means(rows, n)), in_order(twin(rows, n)))


def test_one_part_and_as_many_as_rows(rows):
    np.testing.assert_allclose(means(rows, 1), rows.mean(axis=0)[None], atol=1e-12)
    np.testing.assert_array_equal(in_order(means(rows, 120)), in_order(rows))


@pytest.mark.parametrize("n", [2, 22, 60, 119])
def test_means_are_different(rows, n):
    found = means(rows, n)
    assert len(np.unique(found, axis=0)) == len(found) == n


def test_neighbouring_floats_stay_different(rng):
    for _ in range(50):
        value = rng.normal()
        rows = np.array([[value], [np.nextafter(value, 9.0)], [5.0]])
        weights = rng.uniform(0.1, 3.0, 3)
        assert len(np.unique(means_of_parts(rows, weights, 3), axis=0)) == 3


def test_order_shift_scale_and_turn(rows, rng):
    expected = in_order(means(rows, 20))
    np.testing.assert_array_equal(in_order(means(rows[rng.permutation(120)], 20)), expected)
    np.testing.assert_array_equal(in_order(means(4.0 * rows, 20)), 4.0 * expected)
    turn = ortho_group.rvs(3, random_state=0)
    turned = means(rows @ turn, 20) @ turn.T
    np.testing.assert_allclose(in_order(turned), expected, atol=1e-9)


def test_weight_two_is_the_row_twice(rows):
    counts = np.arange(120) % 3 + 1
    np.testing.assert_allclose(
        means(rows, 20, counts.astype(float)),
        means(np.repeat(rows, counts, axis=0), 20),
        atol=1e-12,
    )


def test_weights_that_single_precision_takes_for_zero(rows):
    weights = np.where(np.arange(120) < 20, 1e-50, 1.0)
    model = CAFHFCM(membership="fcm", n_start=60, random_state=0)
    model.fit(rows.astype(np.float32), sample_weight=weights)
    assert np.isfinite(model.cluster_centers_).all()


def test_a_constant_column_and_equal_projections(rows):
    rows = np.column_stack([rows, np.zeros(120)])
    assert np.isfinite(means(rows, 40)).all()
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    np.testing.assert_array_equal(in_order(means(square, 4)), in_order(square))


def test_seeds_change_nothing(rows):
    first, second = (CAFHFCM(random_state=seed, n_restarts=0).fit(rows) for seed in (0, 1))
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_fuzzy_c_means_takes_it_once(rows):
    model = FuzzyCMeans(4, init="bisection", n_init=5).fit(rows)
    again = FuzzyCMeans(4, init="bisection", random_state=3).fit(rows)
    np.testing.assert_array_equal(model.cluster_centers_, again.cluster_centers_)
