"""Starting centroids: distinct, weighted, and blind to order, shift, scale and rotation."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.start import draw_rows, kmeans_plusplus_rows, starting_number

NONE = np.empty(0)
DRAWS = [draw_rows, kmeans_plusplus_rows]


def drawn(draw, rows, weights=NONE, n=6):
    distinct = DistinctRows.of(
        rows - np.average(rows, axis=0, weights=_or_ones(rows, weights)), weights
    )
    return draw(distinct, n, np.random.RandomState(3))


def _or_ones(rows, weights):
    return weights if len(weights) else np.ones(len(rows))


def test_distinct_rows_and_their_weights():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [0.0, 0.5], [-1.0, 0.0], [1.0, 0.0]])
    distinct = DistinctRows.of(rows, np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    np.testing.assert_array_equal(distinct.rows, [[0.0, 0.5], [-1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_array_equal(distinct.weights, [4.0, 7.0, 10.0])


@pytest.mark.parametrize("draw", DRAWS)
def test_duplicate_rows_are_not_drawn_twice(draw, rng):
    rows = np.repeat(rng.normal(size=(8, 2)), 20, axis=0)
    start = draw(DistinctRows.of(rows, NONE), 8, np.random.RandomState(0))
    assert len(np.unique(start, axis=0)) == 8


@pytest.mark.parametrize("draw", DRAWS)
def test_order_of_the_rows_does_not_matter(draw, rng):
    rows = rng.normal(size=(50, 3))
    shuffled = rows[rng.permutation(50)]
    np.testing.assert_allclose(drawn(draw, rows), drawn(draw, shuffled), atol=1e-12)


@pytest.mark.parametrize("draw", DRAWS)
def test_scale_shift_and_rotation_do_not_matter(draw, rng):
    rows = rng.normal(size=(50, 3))
    turn = ortho_group.rvs(3, random_state=0)
    plain, moved = drawn(draw, rows), drawn(draw, 7.0 * rows @ turn + 100.0)
    np.testing.assert_allclose(moved, 7.0 * plain @ turn, atol=1e-9)


@pytest.mark.parametrize("draw", DRAWS)
def test_weights_are_copies(draw, rng):
    rows = rng.normal(size=(40, 2))
    counts = rng.integers(1, 5, 40)
    weighted = drawn(draw, rows, counts.astype(float))
    np.testing.assert_allclose(
        weighted, drawn(draw, np.repeat(rows, counts, axis=0)), atol=1e-12
    )


def test_heavy_rows_are_drawn_more_often():
    rows = np.arange(10.0)[:, None]
    weights = np.where(np.arange(10) == 7, 50.0, 1.0)
    distinct = DistinctRows.of(rows, weights)
    hits = [7.0 in draw_rows(distinct, 1, np.random.RandomState(i)) for i in range(200)]
    assert 0.75 < np.mean(hits) < 0.95  # expected: 50 / 59


@pytest.mark.parametrize(
    ("n_start", "n", "expected"),
    [(2.0, 150, 24), (1.0, 150, 12), (7, 150, 7), (9, 4, 4), (2.0, 1, 1), (3.0, 2, 2)],
)
def test_starting_number(n_start, n, expected):
    training = TrainingData(np.zeros((1, 1)), np.empty(0))
    assert starting_number(n_start, training, n) == expected
