"""Paths on representatives: what cells add up, and what a fit makes of them."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from test_threads import assert_equal_bits

from fastcaf import CAFHFCM
from fastcaf.data.first_pass import FirstPass, look_at
from fastcaf.data.reading import read_training
from fastcaf.data.representatives import Cells, CellTree
from fastcaf.data.sources import ArrayRows
from fastcaf.data.summary import Summary
from fastcaf.data.training_data import TrainingData
from fastcaf.display.report import text_report
from fastcaf.fusion.start import starting_number
from fastcaf.memberships import EntropyMemberships, FuzzyMemberships, KernelMemberships
from fastcaf.selection.separation import measure_separation

NONE = np.empty(0)
R = 300


@pytest.fixture(scope="module")
def many():
    """3,000 rows in six clear clusters: many, when 300 are to stand for them."""
    sizes = [800, 700, 550, 450, 300, 200]  # different, so that labels have one order
    places = [[0, 0, 0], [7, 0, 0], [0, 7, 0], [0, 0, 7], [7, 7, 1], [7, 1, 7]]
    return make_blobs(sizes, centers=np.array(places, float), cluster_std=0.6, random_state=1)


@pytest.fixture(scope="module")
def model(many):
    return CAFHFCM(random_state=0, representatives=R).fit(many[0])


def tree_of(X, n_cells=40):
    return CellTree.of(X, n_cells, np.random.RandomState(0))


def summarised(X, weights=None, n_cells=R):
    cells = Summary(n_cells)
    return read_training(CAFHFCM(), X, weights, cells, np.random.RandomState(0), keep=False)


# Twins


def test_cells_equal_the_twin(many, rng):
    X, weights = many[0] - many[0].mean(axis=0), rng.uniform(0.5, 3.0, 3000)
    tree = tree_of(X)
    parts = np.split(X, [1000]), np.split(weights, [1000])
    first, second = (Cells.of(ArrayRows(*one), tree) for one in zip(*parts, strict=True))
    cells = first + second
    means, weight, scatter = cells.representatives(tree)
    np.testing.assert_allclose(cells.moments, (weights[:, None] * X).T @ X, rtol=1e-12)
    cell = tree.find(X)
    held = np.unique(cell)
    assert len(held) > 30
    for k, j in enumerate(held):
        rows, a = X[cell == j], weights[cell == j]
        mean = a @ rows / a.sum()
        np.testing.assert_allclose(weight[k], a.sum(), rtol=1e-12)
        np.testing.assert_allclose(means[k], mean, rtol=1e-10, atol=1e-12)
        expected = a @ ((rows - mean) ** 2).sum(axis=1) / a.sum()
        np.testing.assert_allclose(scatter[k], expected, rtol=1e-9, atol=1e-12)


def test_a_row_goes_to_the_nearest_cell_of_the_nearest_group(many):
    X = many[0]
    tree = tree_of(X)
    group = cdist(X, tree.groups).argmin(axis=1)
    first = np.cumsum([0, *map(len, tree.cells)])
    expected = [
        first[g] + cdist([x], tree.cells[g]).argmin() for x, g in zip(X, group, strict=True)
    ]
    np.testing.assert_array_equal(tree.find(X), expected)


def test_cells_are_nearly_as_good_as_the_nearest_of_all(many):
    X = many[0]
    tree = tree_of(X, R)
    centres = np.concatenate(tree.cells)
    mine = ((X - centres[tree.find(X)]) ** 2).sum()
    assert mine < 1.1 * (cdist(X, centres).min(axis=1) ** 2).sum()


# Laws


def test_weights_and_sums_are_those_of_the_rows(many, rng):
    X, weights = many[0], rng.uniform(0.1, 4.0, 3000)
    training, whole = summarised(X, weights), TrainingData(X, weights)
    rows = training.rows
    assert R / 2 < len(rows.rows) <= R
    np.testing.assert_allclose(rows.total_weight, whole.rows.total_weight, rtol=1e-6)
    squares = (rows.rows.astype(float) ** 2).sum(axis=1) + rows.scatter
    expected = np.trace(whole.rows.second_moments())
    np.testing.assert_allclose(rows.row_weights @ squares, expected, rtol=1e-5)
    np.testing.assert_allclose(
        training.effective_dimension, whole.effective_dimension, rtol=1e-9
    )


@pytest.mark.parametrize(
    "model",
    [FuzzyMemberships(), EntropyMemberships(0.01), KernelMemberships(2.0, bandwidth=0.3)],
    ids=str,
)
def test_sums_over_blocks_are_those_over_the_rows(many, model):
    training, whole = summarised(many[0]), TrainingData(many[0], NONE)
    U = whole.rows.rows[:9].astype(float)
    found, expected = (t.every_row.statistics(model, U) for t in (training, whole))
    np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.data_term, expected.data_term, rtol=1e-9)
    np.testing.assert_array_equal(training.labels(model, U), whole.labels(model, U))


def test_representatives_of_duplicates_give_the_fit_of_the_rows(rng):
    Z, _ = make_blobs(250, centers=5, cluster_std=0.7, random_state=4)
    X = np.repeat(Z, rng.integers(1, 9, size=250), axis=0)
    X = X[rng.permutation(len(X))]
    whole = CAFHFCM(random_state=0, representatives=None, selection="persistence").fit(X)
    # From the same start: with representatives, the seed draws another one.
    exact = CAFHFCM(
        random_state=0, representatives=R, init=whole.path_.start, selection="persistence"
    ).fit(X)
    assert exact.representatives_.n_representatives == 250
    assert exact.representatives_.within_share == 0.0
    np.testing.assert_allclose(exact.path_.gammas, whole.path_.gammas, rtol=1e-6)
    np.testing.assert_array_equal(exact.path_.n_clusters, whole.path_.n_clusters)
    np.testing.assert_array_equal(exact.labels_, whole.labels_)
    np.testing.assert_allclose(exact.objective_, whole.objective_, rtol=1e-4)


def test_weight_two_is_nearly_the_row_twice(many):
    X = many[0]
    twice = CAFHFCM(random_state=0, representatives=R).fit(np.repeat(X, 2, axis=0))
    heavy = CAFHFCM(random_state=0, representatives=R).fit(X, sample_weight=np.full(3000, 2.0))
    assert twice.n_clusters_ == heavy.n_clusters_ == 6
    np.testing.assert_array_equal(twice.labels_[::2], heavy.labels_)
    np.testing.assert_allclose(heavy.cluster_masses_.sum(), 6000.0)


def test_rows_of_weight_zero_count_nothing_and_get_labels(many):
    X = np.vstack([many[0], many[0][:500] + 100.0])
    weights = np.repeat([1.0, 0.0], [3000, 500])
    model = CAFHFCM(random_state=0, representatives=R).fit(X, sample_weight=weights)
    assert model.n_clusters_ == 6
    assert len(model.labels_) == 3500
    np.testing.assert_allclose(model.cluster_masses_.sum(), 3000.0)
    assert np.abs(model.cluster_centers_).max() < 50.0


@pytest.mark.parametrize("scale", [1e-150, 2.0**40, 1e150])
def test_scale_and_offset_change_nothing(many, model, scale):
    scaled = CAFHFCM(random_state=0, representatives=R).fit(many[0] * scale)
    np.testing.assert_array_equal(scaled.labels_, model.labels_)
    shifted = CAFHFCM(random_state=0, representatives=R).fit(many[0] + 1e8)
    assert adjusted_rand_score(shifted.labels_, model.labels_) == 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_give_the_same_bits(many, dtype):
    models = [
        CAFHFCM(random_state=0, representatives=R, n_jobs=n).fit(many[0].astype(dtype))
        for n in (1, 2)
    ]
    assert_equal_bits(*models)


# The sample


def test_a_sample_is_drawn_by_weight(rng):
    X, weights = rng.normal(size=(4000, 1)), np.ones(4000)
    X[:400], weights[:400] = 50.0, 9.0
    weights[400:500], X[400:500] = 0.0, 1e6
    found = look_at([X[:700], X[700:]], weights, 500, [0])
    assert (found.n_rows, found.n_counted) == (4000, 3900)
    assert found.sample.shape == (500, 1)
    assert found.sample.max() < 51.0
    assert 0.35 < (found.sample > 40).mean() < 0.55  # half of the weight, without replacement
    np.testing.assert_allclose(found.mean, np.average(X[:, 0], weights=weights))
    np.testing.assert_allclose(found.weight, weights.sum())


def test_looks_at_blocks_are_added_in_any_order(rng):
    X, weights = rng.normal(size=(900, 2)), rng.integers(0, 3, 900).astype(float)
    weights[300:600] = 0.0  # a block without a row that counts
    one, other, third = (
        FirstPass.of(X[i : i + 300], weights[i : i + 300], 100, np.random.RandomState(i))
        for i in (0, 300, 600)
    )
    expected = (one + other) + third
    for found in (one + (other + third), other + third + one, third + one + other):
        np.testing.assert_array_equal(found.sample, expected.sample)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
        assert found.lowest.tolist() == expected.lowest.tolist()
        assert (found.n_rows, found.n_counted) == (expected.n_rows, expected.n_counted)
    np.testing.assert_allclose(expected.mean, np.average(X, axis=0, weights=weights))


def test_representatives_and_start_draw_from_different_streams(many, monkeypatch):
    """One seed used to feed both with the same numbers."""
    from fastcaf.data import first_pass, representatives
    from fastcaf.fusion import start

    seen = {}

    def watch(module, name):
        plain = getattr(module, name)

        def watched(*arguments, **options):
            found = plain(*arguments, **options)
            stream = options.get("random_state", found)
            seen.setdefault(module.__name__, stream.get_state()[1].tobytes())
            return found

        monkeypatch.setattr(module, name, watched)

    watch(first_pass, "stream")
    watch(representatives, "kmeans_plusplus")
    watch(start, "kmeans_plusplus")
    CAFHFCM(random_state=0, representatives=R).fit(many[0])
    assert len(set(seen.values())) == len(seen) == 3


@pytest.mark.filterwarnings("ignore::fastcaf.FractionalWeightsWarning")
@pytest.mark.parametrize("selection", ["calinski-harabasz", "fuzzy-silhouette"])
def test_indices_on_representatives_do_not_depend_on_the_unit_of_the_weights(many, selection):
    """What counts is how many rows there are, not how many cells."""
    X = many[0][::5]
    scores = [
        CAFHFCM(random_state=0, representatives=60, selection=selection)
        .fit(X, sample_weight=weight)
        .selection_[0]
        .score
        for weight in (1.0, 1.0 / len(X))
    ]
    np.testing.assert_allclose(*scores, rtol=1e-4)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_the_effective_dimension_keeps_its_digits_under_an_offset(many, offset):
    whole = TrainingData(many[0], NONE).effective_dimension
    found = summarised(many[0] + offset).effective_dimension
    np.testing.assert_allclose(found, whole, rtol=1e-7)


# Separation and gaps see the scatter


def test_evidence_and_gap_are_nearly_those_of_the_rows(many):
    training, whole = summarised(many[0]), TrainingData(many[0], NONE)
    U = np.stack([whole.rows.rows[many[1] == j].mean(axis=0) for j in range(6)])
    U = whole.coordinates.to_user(U)
    found, expected = (
        measure_separation(t.rows, t.coordinates.to_internal(U)) for t in (training, whole)
    )
    np.testing.assert_allclose(found.mean, expected.mean, rtol=0.02)
    np.testing.assert_allclose(found.weakest, expected.weakest, rtol=0.02)
    np.testing.assert_allclose(found.cluster_gap, expected.cluster_gap, rtol=0.05)
    blind = ArrayRows(training.rows.rows, training.rows.row_weights, training.rows.one_row)
    unseen = measure_separation(blind, training.coordinates.to_internal(U))
    assert unseen.cluster_gap > 1.05 * expected.cluster_gap
    on_blocks = measure_separation(training.every_row, training.coordinates.to_internal(U))
    np.testing.assert_allclose(on_blocks.cluster_gap, expected.cluster_gap, rtol=1e-6)
    np.testing.assert_allclose(on_blocks.mean, expected.mean, rtol=1e-6)


# Fits


def test_the_fit_finds_the_clusters_and_says_what_it_did(many, model):
    assert model.n_clusters_ == 6
    assert adjusted_rand_score(many[1], model.labels_) > 0.99
    summary = model.representatives_
    assert summary.n_rows == 3000
    assert R / 2 < summary.n_representatives <= R
    assert 0.0 < summary.within_share < 0.2
    assert summary.polished
    assert summary.n_iter >= 1
    np.testing.assert_allclose(summary.objective_on_rows, model.objective_, rtol=1e-9)
    np.testing.assert_allclose(summary.objective, model.objective_, rtol=0.2)
    assert f"representatives: {summary.n_representatives} " in text_report(model)


def test_the_reported_level_is_settled_on_all_rows(many, model):
    whole = CAFHFCM(random_state=0, representatives=None).fit(many[0])
    assert whole.representatives_ is None
    assert "representatives" not in text_report(whole)
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    path = CAFHFCM(membership="fcm", random_state=0, representatives=None).fit(many[0]).path_
    gamma = float(np.median(path.gammas[path.n_clusters == 6]))
    alike, full = (
        CAFHFCM(gamma=gamma, random_state=0, representatives=s).fit(many[0]) for s in (R, None)
    )
    assert alike.n_clusters_ == full.n_clusters_ == 6
    assert alike.representatives_.polished
    np.testing.assert_allclose(alike.objective_, full.objective_, rtol=1e-4)
    np.testing.assert_allclose(alike.cluster_centers_, full.cluster_centers_, atol=0.02)


def test_everything_else_works(many, model):
    X = many[0]
    assert model.memberships_.shape == (3000, 6)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    cut = model.cut(n_clusters=3)
    assert cut.labels.shape == (3000,)
    assert len(np.unique(cut.labels)) == 3
    assert model.linkage_.shape == (len(model.path_.start) - 1, 4)
    assert len(model.path_.start) == model.representatives_.n_representatives // 4
    three = CAFHFCM(3, random_state=0, representatives=R).fit(X)
    assert three.n_clusters_ == 3


@pytest.mark.parametrize("selection", ["xie-beni", "fuzzy-silhouette", "davies-bouldin"])
def test_indices_work_on_representatives(many, selection):
    assert (
        CAFHFCM(random_state=0, representatives=R, selection=selection).fit(many[0]).n_clusters_
        == 6
    )


def test_mass_weighted_fusions_are_polished(many):
    model = CAFHFCM(random_state=0, representatives=R, fusion_weights="mass").fit(many[0])
    assert model.n_clusters_ == 6
    assert model.representatives_.polished


def test_a_summary_is_used_where_there_are_more_rows_than_it_asks_for(many):
    X = many[0][:400]
    assert CAFHFCM(random_state=0).fit(X).representatives_ is None
    assert CAFHFCM(random_state=0, representatives=400).fit(X).representatives_ is None
    assert CAFHFCM(random_state=0, representatives=399).fit(X).representatives_ is not None


def test_starting_number_is_bounded(many):
    training = summarised(many[0])
    n = len(training.rows.rows)
    assert starting_number(2.0, training, n) == n // 4
    assert starting_number(120, training, n) == 120
    training.n_rows = 10**6
    assert starting_number(2.0, training, 4000) == 300


@pytest.mark.parametrize(
    ("representatives", "error"), [("all", ValueError), (0, ValueError), (2.5, TypeError)]
)
def test_bad_representatives(many, representatives, error):
    with pytest.raises(error, match="representatives must be"):
        CAFHFCM(representatives=representatives).fit(many[0])


def test_a_level_that_would_fuse_stays_and_the_record_says_so(many, monkeypatch):
    from fastcaf.fusion import polish

    def fuse(*arguments):
        raise polish._FusedError

    monkeypatch.setattr(polish, "_settled", fuse)
    model = CAFHFCM(random_state=0, representatives=R, selection="persistence").fit(many[0])
    assert model.n_clusters_ == 6
    assert not model.representatives_.polished
    assert "would fuse" in model.representatives_.note
    assert "would fuse" in text_report(model)


def test_polishing_at_a_larger_gamma_would_fuse(many, model):
    from dataclasses import replace

    from fastcaf.fusion.polish import polish

    level = model.path_.levels[int(np.flatnonzero(model.path_.n_clusters == 6)[0])]
    beyond = replace(level, gamma=1e3 * model.path_.gammas[-1])
    polished = polish(beyond, summarised(many[0]), 1e-5, 300)
    assert polished.level is beyond
    assert "would fuse" in polished.note


def test_ctrl_c_keeps_what_was_reached(many, monkeypatch):
    from fastcaf import InterruptedFitWarning
    from fastcaf.fusion import polish
    from fastcaf.fusion.fixed_gamma import Solver

    settle = Solver.settle

    def interrupted(self, state, gamma, on_merge, *options, **named):
        if gamma > 1.0:
            raise KeyboardInterrupt
        return settle(self, state, gamma, on_merge, *options, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Solver, "settle", interrupted)
        with pytest.warns(InterruptedFitWarning):
            model = CAFHFCM(random_state=0, representatives=R, membership="fcm").fit(many[0])
    assert len(model.labels_) == 3000
    assert model.path_.interrupted

    def stopped(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(polish, "_settled", stopped)
    with pytest.warns(InterruptedFitWarning, match="while the reported level settled"):
        model = CAFHFCM(random_state=0, representatives=R, selection="persistence").fit(many[0])
    assert model.n_clusters_ == 6
    assert model.representatives_.note == "it was interrupted"
