"""Random fits, and what must hold for each; thousands of them: ``python -m tests.fuzz``."""

import faulthandler
import warnings

import numpy as np
import pytest
from conftest import size
from hypothesis import HealthCheck, Phase, given, settings

from fastcaf import CAFHFCM
from tests.fuzz import invariants
from tests.fuzz.cases import Case, Grid, Own, RowsOf, cases
from tests.fuzz.invariants import check, hearing, refusal
from tests.fuzz.tables import Table, Weights

HANGS = 600.0  # seconds after which the process ends with a traceback of where it hangs


@pytest.fixture(scope="module", autouse=True)
def watchdog():
    faulthandler.dump_traceback_later(HANGS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@given(cases)
@settings(
    max_examples=size(150, 5),
    phases=[Phase.generate],  # smaller cases would take minutes to find
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_any_fit_is_sound_or_refused(case):
    check(case)


NONE = Weights("none", 0)
DECADES = Weights("decades and zeros", 44)

# Cases that failed once, by what was wrong.
FOUND = {
    "a cut counted the masses of components": Case(
        Table("coin flips", 100, 3, 1, -4.163, dtype="float32"),
        NONE,
        "CAFHFCM",
        {"random_state": 3},
        seed=1,
    ),
    "a cut counted representatives": Case(
        Table("constant columns", 256, 1, 338437963),
        NONE,
        "CAFHFCM",
        {
            "fusion_weights": "mass",
            "representatives": 5,
            "gamma_ratio": 1.5,
            "tol": 0.0,
            "prune": False,
            "n_start": 6,
            "membership": "gaussian",
            "random_state": 2,
            "selection": "calinski-harabasz",
            "init": "bisection",
        },
        seed=6893296,
    ),
    "a row between two centroids counted half for each": Case(
        Table("coin flips", 12, 3, 12, 2.6070970218943863, dtype="float32"),
        DECADES,
        "CAFHFCM",
        {
            "random_state": 3,
            "representatives": None,
            "gamma_ratio": 1.05,
            "n_restarts": 2,
            "init": RowsOf(18, 16924),
            "n_start": 2,
            "max_iter": 30,
        },
        seed=44,
    ),
    "another order of the clusters left one without labels": Case(
        Table("nearly equal", 127, 15, 6, 12.333402384422953, dtype="float32"),
        NONE,
        "CAFHFCM",
        {"random_state": 3, "gamma": 0.0},
        seed=3,
    ),
    "heavy weights overflowed in the score": Case(
        Table("copies", 42, 3, 19800, dtype="float32"),
        Weights("decades and zeros", 0),
        "FuzzyCMeans",
        {"fuzzifier": 4.0, "random_state": 0, "n_clusters": 7},
    ),
    "the level asked for was a copy, and none of the path": Case(
        Table("few values", 49, 1, 236420),
        NONE,
        "CAFHFCM",
        {"gamma": Grid(10.15, 79.4, 10), "random_state": 0, "max_iter": 1, "n_clusters": 1},
    ),
    "variances of narrow columns had no inverse in float32": Case(
        Table("unequal columns", 60, 30, 30, dtype="float32"),
        Weights("decades", 991),
        "CAFHFCM",
        {"random_state": 0, "init": "random", "representatives": None, "n_start": 1},
    ),
    "means that nearly coincide had an infinite depth of a valley": Case(
        Table("skewed", 28, 1, 685, 4.176634490435159),
        Weights("decades and zeros", 77996),
        "CAFHFCM",
        {"random_state": 3, "tol": 0.01, "fusion_weights": "mass", "gamma_ratio": 10.0},
    ),
    "rows a few roundings apart were not scaled": Case(
        Table("copies", 10, 3, 2423968, 27.429879220861864, 1e6, "float32"),
        NONE,
        "CAFHFCM",
        {"random_state": 0, "n_start": 3, "init": "random", "max_iter": 2, "selection": Own()},
        seed=1,
    ),
    "the last cluster of all vanished": Case(
        Table("blobs", 201, 4, 299),
        Weights("a number", 1718631),
        "RLFCM",
        {"r1_time": 0.1, "r2_time": 100.0},
    ),
    "weights of sampled rows overflowed": Case(
        Table("coin flips", 107, 4, 280, dtype="float32"),
        Weights("decades", 864),
        "CAFHFCM",
        {"gamma": 0.0, "n_start": 6, "representatives": 40, "membership": "gaussian"},
    ),
    "a plateau without an end could not be stored": Case(
        Table("outliers", 297, 2, 2),
        NONE,
        "CAFHFCM",
        {"fuzzifier": 30.0, "selection": "plateau", "init": RowsOf(11, 640640)},
        seed=5,
    ),
    "rows of weight 0 lost columns that are constant for the others": Case(
        Table("few values", 4, 10, 60352, dtype="float32"),
        Weights("counts", 132),
        "FuzzyCMeans",
        {"n_clusters": 6, "random_state": 3},
        seed=1,
    ),
    "weights over 150 decades in single precision": Case(
        Table("constant columns", 11, 1, 3298626013, -159.22032962748648, dtype="float32"),
        Weights("decades", 2),
        "CAFHFCM",
        {"random_state": 2, "fuzzifier": 1.1},
        seed=558,
    ),
    "one row alone has weight": Case(
        Table("blobs", 5, 4, 12588119, -3.2446823074771185),
        Weights("one alone", 100000),
        "FuzzyCMeans",
        {"random_state": 2, "fuzzifier": 4.0, "n_clusters": 5, "init": RowsOf(5, 1430209)},
        seed=2130,
    ),
}
REFUSED = {
    "n_clusters above the components": Case(
        Table("few values", 6, 4, 14191558),
        NONE,
        "CAFHFCM",
        {"membership": "gaussian", "n_clusters": 2, "max_iter": 2, "random_state": 2},
    ),
    "X too small": Case(Table("blobs", 50, 2, 0, -300), NONE, "CAFHFCM"),
    "X too large": Case(Table("blobs", 50, 2, 0, 300), NONE, "FuzzyCMeans", {"n_clusters": 3}),
    "too far for RLFCM": Case(Table("blobs", 50, 2, 0, 300), NONE, "RLFCM"),
    "weights times X": Case(
        Table("blobs", 50, 2, 0, -100), Weights("tiny", 0), "FuzzyCMeans", {"n_clusters": 3}
    ),
    "weights too heavy": Case(Table("blobs", 50, 2, 0), Weights("huge", 0), "CAFHFCM"),
    "fuzzifier": Case(
        Table("blobs", 50, 2, 0, dtype="float32"),
        NONE,
        "CAFHFCM",
        {"membership": "fcm", "fuzzifier": 100.0},
    ),
}


@pytest.mark.parametrize("case", FOUND.values(), ids=FOUND)
def test_what_failed_once(case):
    assert check(case) == ""


@pytest.mark.parametrize(("name", "case"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused_says_so(name, case):
    assert check(case) == name


def test_a_case_is_made_again_from_its_words():
    case = Case(
        Table("blobs", 30, 2, 5),
        NONE,
        "CAFHFCM",
        {"gamma": Grid(0.1, 1.0, 3), "selection": Own()},
    )
    again = eval(repr(case))
    assert again == case
    np.testing.assert_array_equal(again.table.rows(), case.table.rows())


def test_other_errors_and_warnings_are_failures(monkeypatch):
    assert refusal(ValueError("negative dimensions are not allowed")) is None
    assert refusal(ZeroDivisionError("division by zero")) is None
    with pytest.raises(AssertionError, match="RuntimeWarning: divide"), hearing():
        warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)
    case = Case(Table("blobs", 60, 2, 0), NONE, "CAFHFCM", {"random_state": 0})
    monkeypatch.setattr(CAFHFCM, "predict", lambda self, X: np.zeros(len(X), np.int32))
    with pytest.raises(AssertionError, match="predict differs"):
        check(case)
    monkeypatch.undo()
    monkeypatch.setattr(invariants, "is_valid_linkage", lambda *_, **__: False)
    with pytest.raises(AssertionError, match="no valid linkage"):
        check(case)
