"""Bad input raises the right error, with a message that names what is wrong."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fastcaf import CAFHFCM, FuzzyCMeans, solve_gamma

# Rows without structure are all that most of these tests need; that they have none is said
# elsewhere.
pytestmark = [
    pytest.mark.filterwarnings("ignore::fastcaf.NoClearStructureWarning"),
    pytest.mark.filterwarnings("ignore::fastcaf.CloseCandidatesWarning"),
]

ROWS = np.random.default_rng(0).normal(size=(30, 2))
START = ROWS[:5]

ESTIMATORS = {"CAFHFCM": CAFHFCM, "FuzzyCMeans": FuzzyCMeans}


def fit(name, X=ROWS, sample_weight=None, **options):
    """Fit an estimator, or solve one gamma, with one thing wrong."""
    if name == "solve_gamma":
        start, gamma = options.pop("start", START), options.pop("gamma", 0.1)
        return solve_gamma(X, start, gamma, sample_weight=sample_weight, **options)
    model = ESTIMATORS[name](random_state=0, **options)
    return model.fit(X, sample_weight=sample_weight)


all_three = pytest.mark.parametrize("name", ["CAFHFCM", "FuzzyCMeans", "solve_gamma"])
both = pytest.mark.parametrize("name", list(ESTIMATORS))


def with_one(value):
    rows = ROWS.copy()
    rows[3, 1] = value
    return rows


# Rows


@all_three
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (with_one(np.nan), "contains NaN"),
        (with_one(np.inf), "contains infinity"),
        (with_one(-np.inf), "contains infinity"),
        ([["a", "b"], ["c", "d"]], "could not convert string to float: '?[ac]"),
        (ROWS[:, 0], "Expected 2D array, got 1D array"),
        (np.float64(3.0), "Expected 2D array, got scalar array"),
        (ROWS[None], r"dim 3|3D|\(1, 30, 2\)"),
        (np.empty((0, 2)), r"0 sample\(s\) \(shape=\(0, 2\)\)"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (ROWS + 1j, "Complex data not supported"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous"),
        ([[1.7e308], [1.6e308], [1.5e308]], r"too large.*1\.7e\+308"),
        ([[1.7e308], [-1.7e308]], r"too large.*1\.7e\+308"),
    ],
    ids=[
        "nan", "inf", "-inf", "strings", "1-d", "scalar", "3-d", "no rows", "no features",
        "complex", "ragged", "too large a sum", "too large a range",
    ],
)  # fmt: skip
def test_rows_that_cannot_be_clustered(name, X, message):
    with pytest.raises(ValueError, match=message):
        fit(name, X, **({"start": [[0.0, 0.0], [1.0, 1.0]]} if name == "solve_gamma" else {}))


@all_three
def test_sparse_rows(name):
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        fit(name, csr_array(ROWS))


@both
@pytest.mark.parametrize("method", ["predict", "predict_proba", "transform", "score"])
class TestRowsAfterTheFit:
    def test_wrong_number_of_features(self, name, method):
        message = rf"X has 3 features, but {name} is expecting 2 features"
        with pytest.raises(ValueError, match=message):
            getattr(fit(name), method)(np.ones((4, 3)))

    def test_nan(self, name, method):
        with pytest.raises(ValueError, match="contains NaN"):
            getattr(fit(name), method)(with_one(np.nan))

    def test_one_dimension(self, name, method):
        with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
            getattr(fit(name), method)(ROWS[0])

    def test_no_rows(self, name, method):
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            getattr(fit(name), method)(np.empty((0, 2)))

    def test_none(self, name, method):
        # None must not be taken for "the training rows", which it means inside the library.
        model = fit(name)
        with pytest.raises((ValueError, TypeError), match="got scalar array"):
            getattr(model, method)(None)


@both
def test_score_refuses_bad_weights(name):
    with pytest.raises(ValueError, match=r"30 rows of X, got shape \(29,\)"):
        fit(name).score(ROWS, sample_weight=np.ones(29))


def test_cuts_check_their_rows():
    cut = fit("CAFHFCM").cut(n_clusters=2)
    with pytest.raises(ValueError, match="X has 3 features, but CAFHFCM is expecting 2"):
        cut.predict(np.ones((4, 3)))
    with pytest.raises(ValueError, match="contains NaN"):
        cut.predict_proba(with_one(np.nan))


# Weights


def weights_with(value):
    weights = np.ones(len(ROWS))
    weights[7] = value
    return weights


@all_three
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (weights_with(-0.5), r"sample_weight must not be negative, got -0\.5 at row 7"),
        (np.zeros(30), "sample_weight is zero for every row"),
        (np.ones(29), r"one entry for each of the 30 rows of X, got shape \(29,\)"),
        (np.ones((30, 1)), r"got shape \(30, 1\)"),
        (weights_with(np.nan), "sample_weight contains NaN"),
        (weights_with(np.inf), "sample_weight contains infinity"),
        (-1.0, r"sample_weight must not be negative, got -1\.0"),
        (["a"] * 30, "could not convert string to float: 'a'"),
    ],
    ids=["negative", "zero", "short", "2-d", "nan", "inf", "scalar", "strings"],
)
def test_weights_that_cannot_be_used(name, weights, message):
    with pytest.raises(ValueError, match=message):
        fit(name, sample_weight=weights)


# Parameters that all share


@all_three
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"fuzzifier": 1}, ValueError, r"fuzzifier must be above 1\.0, got 1\.0"),
        ({"fuzzifier": 0.5}, ValueError, r"fuzzifier must be above 1\.0, got 0\.5"),
        ({"fuzzifier": -2.0}, ValueError, r"fuzzifier must be above 1\.0, got -2\.0"),
        ({"fuzzifier": np.nan}, ValueError, "fuzzifier must be finite, got nan"),
        ({"fuzzifier": np.inf}, ValueError, "fuzzifier must be finite, got inf"),
        ({"fuzzifier": "2"}, TypeError, "fuzzifier must be a number, got '2' of type str"),
        ({"fuzzifier": True}, TypeError, "fuzzifier must be a number, got True"),
        ({"fuzzifier": None}, TypeError, "fuzzifier must be a number, got None"),
        ({"fuzzifier": 101}, ValueError, r"fuzzifier must be at most 100\.0, got 101\.0"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1, got 0"),
        ({"max_iter": 1.5}, TypeError, r"max_iter must be a whole number, got 1\.5"),
        ({"max_iter": True}, TypeError, "max_iter must be a whole number, got True"),
        ({"tol": -1e-3}, ValueError, r"tol must be at least 0\.0, got -0\.001"),
        ({"tol": np.nan}, ValueError, "tol must be finite, got nan"),
        ({"tol": "small"}, TypeError, "tol must be a number, got 'small'"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        ({"n_jobs": 1.5}, TypeError, r"n_jobs must be a whole number, got 1\.5"),
        ({"n_jobs": "all"}, TypeError, "n_jobs must be a whole number, got 'all'"),
    ],
    ids=str,
)
def test_shared_parameters(name, options, error, message):
    with pytest.raises(error, match=message):
        fit(name, **options)


# Starting centroids


@all_three
@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.ones((2, 3)), "PARAMETER has 3 features, but X has 2 features"),
        (ROWS[[0, 1, 0]], "PARAMETER holds 3 centroids, but only 2 different ones"),
        (ROWS[0], "Expected 2D array, got 1D array"),
        (np.array([[0.0, np.nan]]), "PARAMETER contains NaN"),
        (np.empty((0, 2)), r"0 sample\(s\)"),
    ],
    ids=["features", "duplicates", "1-d", "nan", "none"],
)
def test_starting_centroids_that_cannot_be_used(name, start, message):
    parameter = "start" if name == "solve_gamma" else "init"
    with pytest.raises(ValueError, match=message.replace("PARAMETER", parameter)):
        fit(name, **{parameter: start})


@both
def test_unknown_word_for_init(name):
    message = "init must be one of 'random', 'k-means.*' or an array of centroids; got 'best'"
    with pytest.raises(ValueError, match=message):
        fit(name, init="best")


def test_fuzzy_c_means_needs_as_many_centroids_as_clusters():
    message = "init holds 5 centroids, but n_clusters is 3"
    with pytest.raises(ValueError, match=message):
        fit("FuzzyCMeans", n_clusters=3, init=START)


# Numbers of clusters


@both
@pytest.mark.parametrize(
    ("n_clusters", "error", "message"),
    [
        (0, ValueError, "n_clusters must be at least 1, got 0"),
        (-3, ValueError, "n_clusters must be at least 1, got -3"),
        (2.5, TypeError, r"n_clusters must be a whole number, got 2\.5 of type float"),
        ("two", TypeError, "n_clusters must be a whole number, got 'two'"),
        (True, TypeError, "n_clusters must be a whole number, got True"),
    ],
)
def test_number_of_clusters(name, n_clusters, error, message):
    with pytest.raises(error, match=message):
        fit(name, n_clusters=n_clusters)


def test_fuzzy_c_means_needs_a_number():
    with pytest.raises(TypeError, match="n_clusters must be a whole number, got None"):
        fit("FuzzyCMeans", n_clusters=None)


@pytest.mark.parametrize("options", [{}, {"n_start": 10}, {"init": ROWS[:10]}], ids=str)
def test_more_clusters_than_starting_centroids(options):
    # floor(2 sqrt(30)) = 10 starting centroids, in three ways.
    with pytest.raises(ValueError, match="n_clusters=11 is above the 10 starting"):
        fit("CAFHFCM", n_clusters=11, **options)


@pytest.mark.parametrize(
    ("n_init", "error", "message"),
    [
        (0, ValueError, "n_init must be at least 1, got 0"),
        ("auto", TypeError, "n_init must be a whole number, got 'auto'"),
        (2.0, TypeError, r"n_init must be a whole number, got 2\.0"),
    ],
)
def test_number_of_starts(n_init, error, message):
    with pytest.raises(error, match=message):
        fit("FuzzyCMeans", n_init=n_init)


# Parameters of the path


@pytest.mark.parametrize(
    ("gamma", "error", "message"),
    [
        (-1.0, ValueError, r"gamma must be at least 0\.0, got -1\.0"),
        (np.nan, ValueError, "gamma must be finite, got nan"),
        (np.inf, ValueError, "gamma must be finite, got inf"),
        ("large", TypeError, "gamma must be .*, got 'large'"),
        (True, (TypeError, ValueError), "gamma"),
    ],
)
@pytest.mark.parametrize("name", ["CAFHFCM", "solve_gamma"])
def test_one_gamma(name, gamma, error, message):
    with pytest.raises(error, match=message):
        fit(name, gamma=gamma)


@pytest.mark.parametrize(
    ("gamma", "error", "message"),
    [
        ([], ValueError, r"1-d and not empty, got shape \(0,\)"),
        ([[1.0, 2.0]], ValueError, r"1-d and not empty, got shape \(1, 2\)"),
        ([0.1, np.nan], ValueError, "gamma must not contain NaN or infinity"),
        ([0.1, np.inf], ValueError, "gamma must not contain NaN or infinity"),
        ([-0.5, 1.0], ValueError, r"gamma must not be negative, got -0\.5"),
        ([1.0, 3.0, 2.0], ValueError, r"must increase.*3\.0 before 2\.0 at position 1"),
        ([1.0, 1.0], ValueError, r"must increase.*1\.0 before 1\.0 at position 0"),
        (["a", "b"], TypeError, r"gamma must be .*, got \['a', 'b'\]"),
    ],
    ids=str,
)
def test_arrays_of_gammas(gamma, error, message):
    with pytest.raises(error, match=message):
        fit("CAFHFCM", gamma=gamma)


def test_an_array_of_gammas_is_too_much_for_one_level():
    with pytest.raises(TypeError, match=r"gamma must be a number, got \[1\.0, 2\.0\]"):
        fit("solve_gamma", gamma=[1.0, 2.0])


def test_a_number_of_clusters_and_a_gamma():
    with pytest.raises(ValueError, match=r"n_clusters=3 and gamma=1\.0 both name a level"):
        fit("CAFHFCM", n_clusters=3, gamma=1.0)


@pytest.mark.parametrize(
    ("n_start", "error", "message"),
    [
        (5.0, ValueError, r"factor of sqrt\(n\) in \[1, 3\], got 5\.0\. .*give an int"),
        (0.5, ValueError, r"factor of sqrt\(n\) in \[1, 3\], got 0\.5"),
        (0, ValueError, "n_start must be at least 1, got 0"),
        (-2, ValueError, "n_start must be at least 1, got -2"),
        (np.nan, ValueError, "n_start must be finite, got nan"),
        ("x", TypeError, "n_start must be a number, got 'x'"),
        (True, TypeError, "n_start must be a number, got True"),
        (None, TypeError, "n_start must be a number, got None"),
    ],
)
def test_starting_number(n_start, error, message):
    with pytest.raises(error, match=message):
        fit("CAFHFCM", n_start=n_start)


@pytest.mark.parametrize(
    ("ratio", "error", "message"),
    [
        (1.0, ValueError, r"gamma_ratio must be above 1\.0, got 1\.0"),
        (0.5, ValueError, r"gamma_ratio must be above 1\.0, got 0\.5"),
        (np.nan, ValueError, "gamma_ratio must be finite, got nan"),
        ("1.1", TypeError, r"gamma_ratio must be a number, got '1\.1'"),
    ],
)
def test_ratio_of_gammas(ratio, error, message):
    with pytest.raises(error, match=message):
        fit("CAFHFCM", gamma_ratio=ratio)


@pytest.mark.parametrize("name", ["CAFHFCM", "solve_gamma"])
@pytest.mark.parametrize("weights", ["distance", None, 1.0])
def test_unknown_fusion_weights(name, weights):
    message = f"fusion_weights must be one of 'uniform', 'mass', 'neighbours'; got {weights!r}"
    with pytest.raises(ValueError, match=message):
        fit(name, fusion_weights=weights)


@pytest.mark.parametrize("selection", ["silhouette", None, 3])
def test_unknown_selection(selection):
    message = rf"selection must be one of 'auto', .* or a callable; got {selection!r}"
    with pytest.raises(ValueError, match=message):
        fit("CAFHFCM", selection=selection)


@both
def test_bad_parameters_leave_a_fitted_model_as_it_was(name):
    model = fit(name)
    labels = model.labels_.copy()
    with pytest.raises(ValueError, match="fuzzifier"):
        model.set_params(fuzzifier=0.0).fit(ROWS)
    np.testing.assert_array_equal(model.labels_, labels)
