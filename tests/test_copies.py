"""What one row weighs: equal rows and weights, as copies or as agreement."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fastcaf import CAFHFCM
from fastcaf.data.copies import FEW_POINTS, weight_of_one_row
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.resolution import variance_of_rounding

NONE = np.empty(0)


def one_row(rows, weights=NONE, least=1.0):
    centred = rows - rows.mean(axis=0)
    return weight_of_one_row(
        DistinctRows.of(centred, weights), variance_of_rounding(centred), least
    )


@pytest.fixture
def blobs():
    return make_blobs(200, 3, centers=4, cluster_std=0.6, random_state=3)[0]


def test_different_rows_count_each(blobs):
    assert one_row(blobs) == 1.0
    assert one_row(np.vstack([blobs, blobs[:3]])) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("weight", [2, 5, 100, 10**6])
def test_copies_of_all_rows_are_one_row_each(blobs, weight):
    assert one_row(blobs, np.full(200, float(weight))) == pytest.approx(weight)
    if weight <= 100:
        repeated = one_row(np.repeat(blobs, weight, axis=0))
        assert repeated == pytest.approx(weight)


def test_the_usual_weight_is_kishs_mean(blobs, rng):
    weights = rng.uniform(1.0, 4.0, 200)
    expected = (weights**2).sum() / weights.sum()
    assert one_row(blobs, weights) == pytest.approx(expected)


def test_rows_of_coarse_values_agree_by_chance(rng):
    assert one_row(rng.integers(0, 20, (1000, 2)).astype(float)) == 1.0
    assert one_row(np.round(rng.normal(size=(2000, 1)), 1)) == 1.0
    assert one_row(np.round(rng.normal(0, 3, (3000, 3)))) == 1.0


def test_a_common_value_is_not_the_usual_row(rng):
    rows = np.vstack([np.zeros((500, 2)), rng.normal(size=(500, 2))])
    assert one_row(rows) < 1.2


def test_few_points_are_no_copies(rng):
    points = rng.normal(size=(FEW_POINTS, 2))
    assert one_row(np.repeat(points, 50, axis=0)) == 1.0


@pytest.mark.parametrize("weight", [3, 50, 10_000])
def test_the_size_of_equal_weights_does_not_matter(blobs, weight):
    expected = CAFHFCM(random_state=0).fit(blobs)
    found = CAFHFCM(random_state=0).fit(blobs, sample_weight=np.full(200, float(weight)))
    assert found.n_clusters_ == 4
    np.testing.assert_array_equal(found.labels_, expected.labels_)


@pytest.mark.parametrize("copies", [2, 5, 20])
def test_a_table_written_several_times_has_the_same_clusters(blobs, copies):
    found = CAFHFCM(random_state=0).fit(np.repeat(blobs, copies, axis=0))
    assert found.n_clusters_ == 4


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@pytest.mark.parametrize("k", [2, 3, 4, 6, 8, 12, 20])
@pytest.mark.parametrize("seed", range(3))
def test_points_that_are_repeated_are_clusters(k, seed):
    points = np.random.default_rng([k, seed]).normal(size=(k, 2))
    model = CAFHFCM(random_state=seed, n_restarts=0).fit(np.repeat(points, 500, axis=0))
    assert model.n_clusters_ == k
