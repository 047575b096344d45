"""An exponent m from the numbers of rows and features."""

import numpy as np
import pytest

from fastcaf import CAFHFCM, FuzzyCMeans, RowBlocks
from fastcaf.memberships.fcm import suggested_fuzzifier

MAKERS = [
    lambda **options: FuzzyCMeans(3, random_state=0, fuzzifier="auto", **options),
    lambda **options: CAFHFCM(membership="fcm", random_state=0, fuzzifier="auto", **options),
]
either = pytest.mark.parametrize("make", MAKERS, ids=["FuzzyCMeans", "CAFHFCM"])


def printed(n, d):
    """The formula as it stands in the paper."""
    return (
        1
        + (1418 / n + 22.05) * d**-2
        + (12.33 / n + 0.243) * d ** (-0.0406 * np.log(n) - 0.1134)
    )


@pytest.mark.parametrize(("n", "d"), [(3000, 17), (100, 4), (10**6, 200)])
def test_it_is_the_printed_formula(n, d):
    assert suggested_fuzzifier(n, d) == pytest.approx(printed(n, d), rel=1e-14)


def test_the_example_of_the_paper_that_is_known():
    """Yeast, 3000 genes at 17 time points: 1.15 in the package Mfuzz."""
    assert round(suggested_fuzzifier(3000, 17), 2) == 1.15


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@either
def test_it_is_used_and_told(make, rng):
    X = rng.normal(size=(120, 6))
    expected = printed(120, 6)
    model = make().fit(X)
    assert model.fuzzifier_ == pytest.approx(expected, rel=1e-12)
    plain = make().set_params(fuzzifier=model.fuzzifier_).fit(X)
    np.testing.assert_array_equal(plain.cluster_centers_, model.cluster_centers_)
    assert model.get_params()["fuzzifier"] == "auto"


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@either
def test_rows_count_as_often_as_they_weigh(make, rng):
    X, copies = rng.normal(size=(120, 6)), rng.integers(0, 4, 120)
    n = copies.sum()
    assert make().fit(X, sample_weight=copies).fuzzifier_ == pytest.approx(printed(n, 6))
    assert make().fit(X, sample_weight=0.01).fuzzifier_ == pytest.approx(printed(120, 6))
    constant = np.hstack([X, np.full((120, 3), 7.0)])
    assert make().fit(constant).fuzzifier_ == pytest.approx(printed(120, 6))


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
def test_of_many_rows_all_count(rng):
    X = rng.normal(size=(3000, 6))
    model = MAKERS[1](representatives=200).fit(RowBlocks(lambda: np.split(X, 3)))
    assert model.fuzzifier_ == pytest.approx(printed(3000, 6))
    heavy = MAKERS[1](representatives=200).fit(X, sample_weight=np.full(3000, 3.0))
    assert heavy.fuzzifier_ == pytest.approx(printed(9000, 6))


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@either
def test_few_rows_of_one_feature_are_as_soft_as_can_be(make):
    assert make().fit(np.arange(9.0)[:, None]).fuzzifier_ == 100.0


def test_memberships_without_an_exponent_say_so(X):
    assert CAFHFCM(membership="entropy", random_state=0).fit(X).fuzzifier_ == 1.0
    with pytest.raises(TypeError, match="fuzzifier must be a number, got 'soft'"):
        CAFHFCM(fuzzifier="soft").fit(X)
