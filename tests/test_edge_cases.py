"""Little data, odd data, extreme numbers: a sensible answer, and never NaN."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from fastcaf import (
    CAFHFCM,
    DegenerateDataWarning,
    EmptyClustersWarning,
    FuzzyCMeans,
    solve_gamma,
)

# Rows without structure are all that most of these tests need; that they have none is said
# elsewhere.
pytestmark = [
    pytest.mark.filterwarnings("ignore::fastcaf.NoClearStructureWarning"),
    pytest.mark.filterwarnings("ignore::fastcaf.CloseCandidatesWarning"),
]

MAKERS = {
    "CAFHFCM": lambda **options: CAFHFCM(random_state=0, **options),
    "FuzzyCMeans": lambda **options: FuzzyCMeans(5, random_state=0, **options),
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def assert_sound(model, X):
    """What holds for every fit, whatever the data."""
    X = np.asarray(X)
    c, d = model.n_clusters_, X.shape[1]
    assert model.cluster_centers_.shape == (c, d)
    for name in ("cluster_centers_", "cluster_means_", "cluster_masses_", "memberships_"):
        assert np.isfinite(getattr(model, name)).all(), name
    assert np.isfinite(model.cluster_confidences_).all()
    assert np.isfinite(model.objective_)
    assert model.labels_.shape == (len(X),)
    assert model.labels_.min() >= 0
    assert model.labels_.max() < c
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    if isinstance(model, CAFHFCM):
        assert_sound_path(model)


def assert_sound_path(model):
    numbers, K = model.path_.n_clusters, len(model.path_.start)
    assert (np.diff(numbers) <= 0).all()
    assert numbers[-1] == 1
    assert all(np.isfinite(level.centroids).all() for level in model.path_.levels)
    assert model.linkage_.shape == (K - 1, 4)
    if K > 1:
        assert is_valid_linkage(model.linkage_)
    for c in range(1, K + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyClustersWarning)
            cut = model.cut(n_clusters=c)
        assert np.isfinite(cut.cluster_centers).all()
        assert set(cut.labels) <= set(range(cut.n_clusters))


# Little data


@pytest.mark.parametrize("rows", [[[1.5, -2.0]], [[0.1, 0.2, 0.7]] * 7, [[1e8]] * 3])
def test_one_distinct_row_is_one_cluster(make, rows):
    with pytest.warns(DegenerateDataWarning, match="only one distinct row"):
        model = make().fit(rows)
    assert_sound(model, rows)
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.cluster_centers_, rows[:1])
    np.testing.assert_array_equal(model.labels_, 0)
    np.testing.assert_array_equal(model.memberships_, 1.0)
    if not isinstance(model, CAFHFCM):  # there it is a likelihood, of a row of some width
        assert model.objective_ == 0.0


def test_one_row_of_positive_weight_is_one_cluster(make):
    rows = np.array([[0.0, 0.0], [4.0, 4.0], [8.0, 1.0]])
    with pytest.warns(DegenerateDataWarning, match="only one distinct row of positive weight"):
        model = make().fit(rows, sample_weight=[0.0, 2.0, 0.0])
    np.testing.assert_array_equal(model.cluster_centers_, rows[1:2])
    np.testing.assert_array_equal(model.labels_, [0, 0, 0])


def test_the_warning_points_at_the_users_line(make):
    with pytest.warns(DegenerateDataWarning) as caught:
        make().fit([[1.0, 2.0]])
    assert [warning.filename for warning in caught] == [__file__]


def test_two_rows_are_two_clusters():
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    model = CAFHFCM(random_state=0, selection="persistence").fit(rows)
    assert_sound(model, rows)
    assert sorted(model.labels_) == [0, 1]
    np.testing.assert_allclose(np.sort(model.cluster_centers_, axis=0), rows, atol=1e-9)
    assert len(model.linkage_) == 1


def test_three_rows_are_a_pair_and_one_alone():
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]])
    model = CAFHFCM(random_state=0, selection="persistence").fit(rows)
    assert_sound(model, rows)
    assert model.labels_.tolist() == [0, 0, 1]


@pytest.mark.parametrize("rows", [[[0.0], [7.0]], [[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]]])
@pytest.mark.parametrize("copies", [1, 5])
def test_few_distinct_rows_become_the_clusters_of_fuzzy_c_means(rows, copies):
    repeated = np.repeat(rows, copies, axis=0)
    message = f"only {len(rows)} distinct rows: {len(rows)} centroids are used instead of 5"
    with pytest.warns(DegenerateDataWarning, match=message):
        model = FuzzyCMeans(5, random_state=0).fit(repeated)
    assert_sound(model, repeated)
    assert model.n_clusters_ == len(rows)
    np.testing.assert_allclose(np.sort(model.cluster_centers_, axis=0), rows, atol=1e-9)


@pytest.mark.parametrize("copies", [1, 5])
def test_few_distinct_rows_limit_the_starting_number(copies):
    rows = np.repeat([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]], copies, axis=0)
    message = "only 3 distinct rows: 3 centroids are used instead of 20"
    with pytest.warns(DegenerateDataWarning, match=message):
        model = CAFHFCM(n_start=20, random_state=0, selection="persistence").fit(rows)
    assert_sound(model, rows)
    assert len(model.path_.start) == 3
    assert len(np.unique(model.labels_)) == model.n_clusters_ == 2


def test_a_numpy_integer_as_starting_number_warns_too():
    rows = [[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]]
    with pytest.warns(DegenerateDataWarning, match="instead of 20"):
        CAFHFCM(n_start=np.int64(20), random_state=0).fit(rows)


def test_one_starting_centroid_is_the_mean(X):
    model = CAFHFCM(n_start=1, random_state=0).fit(X)
    assert_sound(model, X)
    np.testing.assert_allclose(model.cluster_centers_, X.mean(axis=0)[None], atol=1e-9)


def test_one_cluster_of_fuzzy_c_means_is_the_mean(X):
    model = FuzzyCMeans(1, random_state=0).fit(X)
    assert_sound(model, X)
    np.testing.assert_allclose(model.cluster_centers_, X.mean(axis=0)[None], atol=1e-9)


def test_a_starting_centroid_that_no_row_holds(make):
    # Each row lies on one of the first two centroids and belongs to it alone: the third one
    # has mass 0, but places and confidences must be numbers all the same.
    rows = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = make(init=[[0.0], [1.0], [5.0]])
    if isinstance(model, CAFHFCM):
        model.set_params(selection="persistence")
    if isinstance(model, FuzzyCMeans):
        with pytest.warns(EmptyClustersWarning, match="1 of the 3 clusters"):
            model.set_params(n_clusters=3).fit(rows)
    else:
        model.fit(rows)
    assert_sound(model, rows)
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]


@pytest.mark.parametrize("gamma", [0.0, 0.1])
def test_a_centroid_that_no_row_holds_at_one_gamma(gamma):
    solution, _ = solve_gamma([[0.0], [0.0], [1.0], [1.0]], [[0.0], [1.0], [5.0]], gamma)
    assert np.isfinite(solution.centroids).all()
    assert np.isfinite(solution.weight).all()


# Odd shapes


def test_constant_columns_stay_constant_and_change_nothing(make, X):
    wide = np.column_stack([np.full(len(X), 3.7), X, np.full(len(X), -1e3)])
    plain = make().fit(X)
    with pytest.warns(DegenerateDataWarning, match="constant columns.*: 0, 3"):
        model = make().fit(wide)
    assert_sound(model, wide)
    # Clusters of one mass stand in the order of their rounding.
    assert adjusted_rand_score(model.labels_, plain.labels_) == 1.0
    np.testing.assert_allclose(model.cluster_centers_[:, 0], 3.7, rtol=1e-12)
    np.testing.assert_allclose(model.cluster_centers_[:, 3], -1e3, rtol=1e-12)
    np.testing.assert_allclose(
        model.cluster_centers_[:, 1:3], plain.cluster_centers_, atol=1e-6
    )


def test_one_feature():
    rows, _ = make_blobs(90, n_features=1, centers=[[0.0], [10.0], [30.0]], random_state=0)
    model = CAFHFCM(random_state=0).fit(rows)
    assert_sound(model, rows)
    assert model.n_clusters_ == 3
    np.testing.assert_allclose(np.sort(model.cluster_means_[:, 0]), [0, 10, 30], atol=1.0)


def test_more_features_than_rows(make):
    rows, drawn = make_blobs(20, n_features=50, centers=2, cluster_std=1.0, random_state=0)
    model = make().fit(rows)
    assert_sound(model, rows)
    if isinstance(model, CAFHFCM):
        assert model.n_clusters_ == 2
        assert len(set(zip(model.labels_.tolist(), drawn.tolist(), strict=True))) == 2


# Extreme numbers


@pytest.mark.parametrize(
    ("scale", "offset"),
    [(1e-150, 0.0), (1e150, 0.0), (1.0, 1e8), (1e-150, 1e-142), (-1e3, -5e10)],
)
def test_scale_and_offset_do_not_matter(make, X, scale, offset):
    rows = scale * X + offset
    plain, model = make().fit(X), make().fit(rows)
    assert_sound(model, rows)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    back = (model.cluster_centers_ - offset) / scale
    np.testing.assert_allclose(back, plain.cluster_centers_, atol=1e-5)
    np.testing.assert_allclose(model.memberships_, plain.memberships_, atol=1e-5)
    np.testing.assert_allclose(
        model.transform(rows) / abs(scale), plain.transform(X), atol=1e-5
    )


def test_gammas_scale_with_the_data_and_objectives_with_its_square(X):
    plain, model = (
        CAFHFCM(random_state=0, selection="persistence").fit(s * X) for s in (1.0, 1e100)
    )
    np.testing.assert_allclose(model.path_.gammas, 1e100 * plain.path_.gammas, rtol=1e-9)
    np.testing.assert_allclose(
        model.path_.objectives, 1e200 * plain.path_.objectives, rtol=1e-6
    )
    assert model.objective_ == pytest.approx(1e200 * plain.objective_, rel=1e-9)


def test_features_of_very_different_scale(make, X):
    # The second feature is below the rounding of the first: only the first one matters.
    # (Shapes, and standardised features, would see both.)
    rows = X * [1e10, 1e-10]
    plain = {"selection": "persistence"} if isinstance(make(), CAFHFCM) else {}
    model = make(**plain).fit(rows)
    assert_sound(model, rows)
    with pytest.warns(DegenerateDataWarning, match="constant columns.*: 1"):
        other = make(**plain).fit(X * [1e10, 0.0])
    np.testing.assert_array_equal(model.labels_, other.labels_)


def test_a_far_outlier(make, X):
    rows = np.vstack([X, [[1e12, 1e12]]])
    assert_sound(make().fit(rows), rows)


@pytest.mark.parametrize("gamma", [1e6, 1e12, 1e18, 1e30])
def test_a_huge_gamma_fuses_all_centroids_into_the_mean(X, gamma):
    solution, fused = solve_gamma(X, X[:20], gamma)
    assert solution.converged
    assert solution.duality_gap <= 1e-6
    np.testing.assert_array_equal(fused, 0)
    np.testing.assert_allclose(solution.centroids, X.mean(axis=0)[None], atol=1e-9)


@pytest.mark.parametrize("fuzzifier", [1.01, 1.2, 1.5, 1.7, 3.0, 10.0])
@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
def test_fuzzifiers_from_crisp_to_soft(make, X, fuzzifier):
    assert_sound(make(fuzzifier=fuzzifier).fit(X), X)


@pytest.mark.parametrize("fuzzifier", [1.001, 15.0, 20.0])
@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
def test_extreme_fuzzifiers(make, X, fuzzifier):
    # 1.001: some centroids hold no row at all; 15: mu^m of 34 equal shares is 1e-23.
    assert_sound(make(fuzzifier=fuzzifier).fit(X), X)


@pytest.mark.parametrize("fuzzifier", [1.01, 1.2, 1.5])
def test_near_crisp_fits_separate_the_blobs(blobs, fuzzifier):
    X, drawn = blobs
    model = CAFHFCM(5, fuzzifier=fuzzifier, random_state=0).fit(X)
    assert len(set(zip(model.labels_.tolist(), drawn.tolist(), strict=True))) == 5


# Forms of input


def memory_map(X, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    return np.load(tmp_path / "rows.npy", mmap_mode="r")


def read_only(X, tmp_path):
    frozen = X.copy()
    frozen.setflags(write=False)
    return frozen


FORMS = {
    "read-only": read_only,
    "memory map": memory_map,
    "Fortran order": lambda X, tmp_path: np.asfortranarray(X),
    "strided": lambda X, tmp_path: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X, tmp_path: X[::-1].copy()[::-1],
    "big-endian": lambda X, tmp_path: X.astype(">f8"),
    "list": lambda X, tmp_path: X.tolist(),
    "objects": lambda X, tmp_path: X.astype(object),
    "DataFrame": lambda X, tmp_path: pd.DataFrame(X, columns=["a", "b"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_rows_does_not_matter(make, X, tmp_path, form):
    rows = FORMS[form](X, tmp_path)
    plain, model = make().fit(X), make().fit(rows)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.predict_proba(rows), plain.predict_proba(X))
    np.testing.assert_array_equal(model.transform(rows), plain.transform(X))


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.float16])
def test_other_numbers_become_float64(make, X, dtype):
    rows = np.round(X - X.min()).astype(dtype)
    plain, model = make().fit(rows.astype(np.float64)), make().fit(rows)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)
    assert model.transform(rows).dtype == np.float64


def test_read_only_weights_are_read(make, X):
    weights = read_only(np.arange(1.0, 301.0), None)
    model = make().fit(X, sample_weight=weights)
    same = make().fit(X, sample_weight=weights.tolist())
    np.testing.assert_array_equal(model.cluster_centers_, same.cluster_centers_)


# Weights


def test_rows_of_weight_zero_get_labels_but_have_no_say(make, X):
    far = np.array([[1e6, 1e6], [-1e6, 0.0], X[0]])
    rows, weights = np.vstack([X[:150], far, X[150:]]), np.ones(303)
    weights[150:153] = 0.0
    plain, model = make().fit(X), make().fit(rows, sample_weight=weights)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)
    np.testing.assert_array_equal(model.cluster_masses_, plain.cluster_masses_)
    assert model.objective_ == plain.objective_
    np.testing.assert_array_equal(model.labels_[weights > 0], plain.labels_)
    np.testing.assert_array_equal(model.labels_[150:153], plain.predict(far))
    assert model.memberships_.shape == (303, model.n_clusters_)


def test_weights_of_one_are_no_weights(make, X):
    plain, model = make().fit(X), make().fit(X, sample_weight=np.ones(300))
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)


def test_a_row_of_weight_two_counts_twice(make, X):
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = make().fit(X, sample_weight=weights)
    repeated = make().fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-6)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), repeated.labels_)


@pytest.mark.parametrize("factor", [1e-200, 1e-6, 1e6, 1e200])
def test_a_common_factor_of_the_weights_does_not_move_the_centers(X, factor):
    plain = FuzzyCMeans(5, random_state=0).fit(X, sample_weight=np.full(300, 2.0))
    model = FuzzyCMeans(5, random_state=0).fit(X, sample_weight=np.full(300, 2.0 * factor))
    assert_sound(model, X)
    np.testing.assert_allclose(model.cluster_centers_, plain.cluster_centers_, atol=1e-6)


# Any small data


# Few different values make ties and equal rows likely.
PLAIN = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e3, 1e3, allow_nan=False),
    st.sampled_from([0.0, -0.0, 1e-300, -1e-150, 1e-16, 5e-324, 1e8, 1e8 + 1.0]),
)
# Beside a row at 1e150 rows at 1 and 2 differ, but their squared distance does not.
EXTREME = st.one_of(PLAIN, st.sampled_from([1e150, -1e150]))


@st.composite
def small_tables(draw, values=PLAIN):
    shape = (draw(st.integers(1, 12)), draw(st.integers(1, 4)))
    return draw(arrays(np.float64, shape, elements=values))


def quietly(fit, *arguments, **options):
    """Fit without the warnings that little data deserves; any other one is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        warnings.filterwarnings("ignore", "The objective had not settled")
        return fit(*arguments, **options)


any_data = settings(max_examples=40, deadline=None, derandomize=True)


@any_data
@given(small_tables())
def test_any_small_table_gives_a_sound_path(rows):
    assert_sound(quietly(CAFHFCM(random_state=0, selection="persistence").fit, rows), rows)


@any_data
@given(small_tables(), st.integers(1, 6), st.sampled_from([1.1, 2.0, 4.0]))
def test_any_small_table_gives_sound_fuzzy_c_means(rows, n_clusters, fuzzifier):
    model = FuzzyCMeans(n_clusters, fuzzifier=fuzzifier, random_state=0)
    assert_sound(quietly(model.fit, rows), rows)
    assert model.n_clusters_ <= n_clusters


@any_data
@given(small_tables(EXTREME), st.sampled_from(list(MAKERS)))
@example(np.array([[0.0], [0.0], [1.0], [-2.0], [2.0], [1e150], [-1e150]]), "CAFHFCM")
def test_rows_too_near_to_tell_apart_beside_huge_ones(rows, name):
    assert_sound(quietly(MAKERS[name]().fit, rows), rows)


@any_data
@given(small_tables(), st.data())
def test_any_weights_give_a_sound_path(rows, data):
    elements = st.sampled_from([0.0, 1e-12, 0.5, 1.0, 3.0, 1e12])
    weights = data.draw(arrays(np.float64, len(rows), elements=elements))
    weights[0] = 1.0
    model = CAFHFCM(random_state=0, selection="persistence")
    assert_sound(quietly(model.fit, rows, sample_weight=weights), rows)


@any_data
@given(small_tables(), st.sampled_from([0.0, 1e-9, 0.3, 1e3]))
def test_any_small_table_has_a_solution_at_any_gamma(rows, gamma):
    start = np.unique(rows, axis=0)[:5]
    # what differs by less than the rounding of the mean is equal to the method
    assume(len(np.unique(start - rows.mean(axis=0), axis=0)) == len(start))
    solution, fused = quietly(solve_gamma, rows, start, gamma)
    assert np.isfinite(solution.centroids).all()
    assert 1 <= len(solution.centroids) <= len(start)
    assert fused.shape == (len(start),)
    assert set(fused) == set(range(len(solution.centroids)))
    low, high = rows.min(axis=0), rows.max(axis=0)
    slack = 1e-6 * np.abs(rows).max() + 1e-300
    assert (solution.centroids >= low - slack).all()  # means of rows stay between them
    assert (solution.centroids <= high + slack).all()
