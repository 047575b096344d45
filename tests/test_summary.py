"""How few representatives, and of which kind."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fastcaf import CAFHFCM
from fastcaf.data.copies import weight_of_one_row
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.resolution import variance_of_rounding
from fastcaf.data.summary import Summary


@pytest.mark.parametrize(
    ("n_rows", "number"), [(2001, 2000), (2100, 2002), (12_000, 2200), (10**6, 4000)]
)
def test_the_number_grows_slowly_with_the_rows(n_rows, number):
    summary = Summary.of("auto", by_likelihood=True)
    assert summary.most_rows == 2000
    assert summary.number_for(n_rows) == number <= summary.most


def test_other_rules_and_given_numbers():
    assert Summary.of(None, by_likelihood=True) is None
    by_plateaus, asked = Summary.of("auto", by_likelihood=False), Summary.of(300, True)
    assert (by_plateaus.most_rows, by_plateaus.number_for(10**6)) == (20_000, 4000)
    assert asked.most_rows == asked.number_for(10**6) == asked.most == 300
    assert not by_plateaus.draws_rows(50)
    assert [asked.draws_rows(d) for d in (10, 11)] == [False, True]


@pytest.mark.parametrize(
    "weights",
    [None, 0.3, np.where(np.arange(2500) < 5, 1e20, 1.0), np.arange(2500) % 5.0],
    ids=["none", "equal", "wide", "some zero"],
)
def test_rows_drawn_in_many_features(weights):
    X, truth = make_blobs(2500, 12, centers=4, cluster_std=1.0, random_state=0)
    given = np.full(2500, weights) if np.ndim(weights) == 0 and weights else weights
    model = CAFHFCM(random_state=0, n_restarts=0).fit(X, sample_weight=given)
    assert model.n_clusters_ >= 4
    if given is None or given.max() < 10.0:
        assert model.n_clusters_ == 4
        assert len({(a, b) for a, b in zip(truth, model.labels_, strict=True)}) == 4


def test_copies_in_large_tables_are_copies():
    X = np.random.default_rng(0).normal(size=(60_000, 2))
    distinct = DistinctRows.of(X, np.full(len(X), 5.0))
    assert weight_of_one_row(distinct, variance_of_rounding(X), 1.0) == pytest.approx(5.0)


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_single_precision_has_the_same_resolution(decimals):
    X = np.round(np.random.default_rng(0).normal(0.0, 100.0, (1000, 2)), decimals)
    expected = variance_of_rounding(X)
    np.testing.assert_allclose(expected, 10.0 ** (-2 * decimals) / 12.0, rtol=1e-5)
    np.testing.assert_allclose(variance_of_rounding(X.astype(np.float32)), expected, rtol=0.05)
