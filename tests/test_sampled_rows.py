"""Rows themselves beside the cells that stand for them."""

import numpy as np
import pytest

from fastcaf import CAFHFCM
from fastcaf.data.reading import read_training
from fastcaf.data.sampled_rows import MOST, SampledRows
from fastcaf.data.summary import Summary
from fastcaf.data.training_data import MOST_SAMPLED, SummarisedTrainingData


def sampled(weights=(1.0, 1.0, 1.0, 1.0)):
    rows = np.arange(8.0).reshape(4, 2)
    return SampledRows.of(rows, np.array(weights), np.array([2, 0, 2, 1]))


def test_rows_of_some_cells_are_numbered_by_their_order():
    some = sampled().within(np.array([1, 2]), 3)
    np.testing.assert_array_equal(some.cell, [1, 1, 0])
    np.testing.assert_array_equal(some.rows, [[0.0, 1.0], [4.0, 5.0], [6.0, 7.0]])
    assert len(some.weights) == 0


def test_weights_are_in_rows_of_the_least():
    assert len(sampled((0.5, 0.5, 0.5, 0.5)).weights) == 0
    heavy = sampled((2.0, 4.0, 2.0, 1e30)).within(np.array([0, 1]), 3)
    np.testing.assert_array_equal(heavy.weights, [2.0, MOST])


def test_every_row_is_in_the_cell_that_stands_for_it(rng):
    X = rng.normal(size=(5000, 2))
    model = CAFHFCM(random_state=0)
    summary = Summary.of(100, by_likelihood=True)
    training = read_training(model, X, None, summary, np.random.RandomState(0), keep=True)
    assert isinstance(training, SummarisedTrainingData)
    seen, cells = training.sampled, training.rows.in_memory()
    assert len(seen.rows) <= MOST_SAMPLED
    # Cells are a tree: near the border of a group the nearest is not always taken.
    nearest = np.linalg.norm(seen.rows[:, None] - cells.rows, axis=2).argmin(axis=1)
    assert (nearest == seen.cell).mean() > 0.8


@pytest.mark.filterwarnings("ignore::fastcaf.NoClearStructureWarning")
def test_many_rows_of_a_cube_are_one_cluster():
    """The means of cells lie in clumps, with valleys between them."""
    cube = np.random.default_rng(5).uniform(size=(30_000, 5))
    assert CAFHFCM(random_state=0, n_restarts=0).fit(cube).n_clusters_ == 1
