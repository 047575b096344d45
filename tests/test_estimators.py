"""What a user sees of the two estimators: attributes, predictions, interface, progress."""

import copy
import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastcaf import CAFHFCM, FuzzyCMeans, InterruptedFitWarning
from fastcaf.estimators import caf_hfcm
from fastcaf.fusion.hierarchy import Tree
from fastcaf.objective import objective

NAMES = ["length", "width"]
# Fuzzy c-means memberships: the judge of objectives and scores knows no others.
MAKERS = {
    "CAFHFCM": lambda **options: CAFHFCM(membership="fcm", random_state=0, **options),
    "FuzzyCMeans": lambda **options: FuzzyCMeans(4, random_state=0, **options),
}


@pytest.fixture(params=MAKERS)
def make(request):
    """Makes an unfitted estimator of either class."""
    return MAKERS[request.param]


@pytest.fixture
def model(make, X):
    return make().fit(X)


def new_rows(X):
    """Rows that are not in X, between its clusters and beyond them."""
    return np.random.default_rng(3).normal(scale=8.0, size=(50, X.shape[1]))


def contents(model):
    """Everything an estimator holds, as bytes."""
    return pickle.dumps(copy.deepcopy(model.__dict__))


# Attributes


def test_attributes_have_the_documented_shapes_and_types(model, X):
    c, d = model.n_clusters_, X.shape[1]
    shapes = {
        "cluster_centers_": (c, d),
        "cluster_means_": (c, d),
        "cluster_masses_": (c,),
        "cluster_confidences_": (c,),
        "memberships_": (len(X), c),
    }
    for name, shape in shapes.items():
        assert getattr(model, name).shape == shape, name
        assert getattr(model, name).dtype == np.float64, name
    assert model.labels_.shape == (len(X),)
    assert model.labels_.dtype == np.int32
    assert isinstance(model.n_clusters_, int)
    assert isinstance(model.n_iter_, int)
    assert isinstance(model.objective_, float)
    assert model.converged_ is True
    assert model.n_features_in_ == d
    assert not hasattr(model, "feature_names_in_")


def test_the_path_has_levels_candidates_and_a_linkage(path_model):
    model, K = path_model, len(path_model.path_.start)
    assert K == 34  # floor(2 sqrt(300))
    assert model.n_clusters_ == 5
    assert model.linkage_.shape == (K - 1, 4)
    assert is_valid_linkage(model.linkage_)
    assert model.path_.n_clusters[0] == K
    assert model.path_.n_clusters[-1] == 1
    assert (np.diff(model.path_.n_clusters) <= 0).all()
    assert (np.diff(model.path_.gammas) > 0).all()
    assert model.gamma_ in model.path_.gammas
    passes = [level.n_iter for path in model.paths_.values() for level in path.levels]
    assert model.n_iter_ == sum(passes)
    scores = [candidate.score for candidate in model.selection_]
    assert scores == sorted(scores, reverse=True)
    assert model.selection_[0].n_clusters == model.n_clusters_


def test_the_best_candidate_finds_the_blobs(path_model, blobs):
    # Well separated: every found cluster is one of the drawn ones.
    pairs = set(zip(path_model.labels_.tolist(), blobs[1].tolist(), strict=True))
    assert len(pairs) == 5


def test_clusters_are_ordered_by_mass(make):
    sizes = [20, 90, 50, 140]
    centers = np.array([[0, 0], [9, 0], [0, 9], [9, 9]])
    noise = np.random.default_rng(0).normal(scale=0.4, size=(300, 2))
    model = make().fit(np.repeat(centers, sizes, axis=0) + noise)
    assert (np.diff(model.cluster_masses_) <= 0).all()
    assert np.bincount(model.labels_).tolist() == [140, 90, 50, 20]


def test_masses_and_confidences_are_those_of_the_memberships(model):
    mu = model.memberships_
    np.testing.assert_allclose(model.cluster_masses_, mu.sum(axis=0), rtol=1e-9)
    confidence = (mu**2).sum(axis=0) / mu.sum(axis=0)
    np.testing.assert_allclose(model.cluster_confidences_, confidence, rtol=1e-9)


def test_means_are_the_rows_weighted_by_memberships(model, X):
    weights = model.memberships_**2
    means = weights.T @ X / weights.sum(axis=0)[:, None]
    np.testing.assert_allclose(model.cluster_means_, means, rtol=1e-9, atol=1e-12)


def test_fuzzy_c_means_centers_are_its_means(X):
    model = FuzzyCMeans(5, random_state=0, tol=1e-12).fit(X)
    np.testing.assert_allclose(model.cluster_means_, model.cluster_centers_, atol=1e-4)


def test_fit_returns_the_estimator_and_leaves_the_data_alone(make, X):
    before, estimator = X.copy(), make()
    assert estimator.fit(X) is estimator
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "transform", "score"])
def test_unfitted_estimators_say_so(make, X, method):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(make(), method)(X)


def test_unfitted_paths_have_no_cuts_and_no_memberships():
    with pytest.raises(NotFittedError, match="not fitted"):
        CAFHFCM().cut(n_clusters=2)
    with pytest.raises(NotFittedError, match="not fitted"):
        _ = CAFHFCM().memberships_


# Predictions


def test_predict_on_training_rows_equals_labels(model, X):
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict(X).dtype == model.labels_.dtype


def test_fit_predict_equals_labels(make, X, model):
    np.testing.assert_array_equal(make().fit_predict(X), model.labels_)


def test_fit_predict_passes_weights_on(make, X):
    weights = np.random.default_rng(0).integers(1, 5, len(X))
    np.testing.assert_array_equal(
        make().fit_predict(X, sample_weight=weights),
        make().fit(X, sample_weight=weights).labels_,
    )


def test_largest_membership_is_the_prediction(model, X):
    rows = new_rows(X)
    np.testing.assert_array_equal(model.predict_proba(rows).argmax(axis=1), model.predict(rows))


def test_nearest_center_is_the_prediction(model, X):
    rows = new_rows(X)
    np.testing.assert_array_equal(model.transform(rows).argmin(axis=1), model.predict(rows))


def test_transform_gives_euclidean_distances(model, X):
    rows = new_rows(X)
    expected = np.linalg.norm(rows[:, None] - model.cluster_centers_, axis=2)
    np.testing.assert_allclose(model.transform(rows), expected, rtol=1e-9)


def test_memberships_sum_to_one(model, X):
    for mu in (model.memberships_, model.predict_proba(new_rows(X))):
        assert (mu >= 0).all()
        np.testing.assert_allclose(mu.sum(axis=1), 1.0, rtol=1e-12)


def test_memberships_of_the_training_rows_are_those_predicted(model, X):
    np.testing.assert_array_equal(model.memberships_, model.predict_proba(X))


def test_memberships_are_computed_once_when_asked_for(model):
    assert model._memberships is None
    assert model.memberships_ is model.memberships_


def test_without_stored_rows_memberships_say_what_to_do(make, X, model):
    lean = make(store_memberships=False).fit(X)
    with pytest.raises(AttributeError, match=r"store_memberships=False.*predict_proba"):
        _ = lean.memberships_
    np.testing.assert_array_equal(lean.predict_proba(X), model.memberships_)
    np.testing.assert_array_equal(lean.labels_, model.labels_)


def test_without_stored_rows_cuts_still_predict(X):
    cut = CAFHFCM(random_state=0, store_memberships=False).fit(X).cut(n_clusters=3)
    with pytest.raises(AttributeError, match="store_memberships=False"):
        _ = cut.labels
    assert set(cut.predict(X)) == {0, 1, 2}


def test_asking_does_not_change_the_model(model, X):
    rows, before = new_rows(X), contents(model)
    model.predict(rows)
    model.predict_proba(rows)
    model.transform(rows)
    model.score(rows)
    assert contents(model) == before


def test_refitting_forgets_the_first_data(make, X):
    model = make().fit(X)
    assert model.memberships_.shape[0] == len(X)
    model.fit(X[:100])
    assert model.memberships_.shape[0] == model.labels_.shape[0] == 100
    np.testing.assert_array_equal(model.cluster_centers_, make().fit(X[:100]).cluster_centers_)


# The objective


def test_score_is_minus_the_data_term(model, X):
    rows = new_rows(X)
    expected = -objective(rows, model.cluster_centers_, 0.0)
    assert model.score(rows) == pytest.approx(expected, rel=1e-9)


def test_score_respects_weights(model, X):
    rows = new_rows(X)
    weights = np.random.default_rng(0).uniform(0.0, 3.0, len(rows))
    expected = -objective(rows, model.cluster_centers_, 0.0, sample_weight=weights)
    assert model.score(rows, sample_weight=weights) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("fuzzifier", [1.5, 2.0, 2.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_reported_objective_is_that_of_the_centers(make, X, fuzzifier, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X)) if weighted else None
    model = make(fuzzifier=fuzzifier)
    if "membership" in model.get_params():
        model.set_params(membership="fcm")
    model.fit(X, sample_weight=weights)
    gamma = getattr(model, "gamma_", 0.0)
    expected = objective(
        X, model.cluster_centers_, gamma, fuzzifier=fuzzifier, sample_weight=weights
    )
    assert model.objective_ == pytest.approx(expected, rel=1e-9)


def test_more_starts_keep_the_best(X):
    def fitted(**options):
        return FuzzyCMeans(5, init="random", **options).fit(X)

    # One generator draws the same starts one after the other.
    generator = np.random.RandomState(0)
    alone = [fitted(random_state=generator).objective_ for _ in range(6)]
    best = fitted(random_state=np.random.RandomState(0), n_init=6)
    assert max(alone) > 2.0 * min(alone)  # a bad start is among them
    assert best.objective_ == pytest.approx(min(alone), rel=1e-12)


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
def test_a_fit_that_does_not_settle_says_so(make, iris):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 .*Raise max_iter"):
        model = make(max_iter=1, tol=0.0).fit(iris)
    assert model.converged_ is False
    assert np.isfinite(model.cluster_centers_).all()


# The scikit-learn interface


def test_a_clone_is_unfitted_and_gives_the_same(model, X):
    twin = clone(model)
    assert not hasattr(twin, "cluster_centers_")
    assert twin.get_params() == model.get_params()
    np.testing.assert_array_equal(twin.fit(X).cluster_centers_, model.cluster_centers_)


def test_pickle_keeps_every_bit(model, X):
    twin, rows = pickle.loads(pickle.dumps(model)), new_rows(X)
    for method in ("predict", "predict_proba", "transform"):
        expected = getattr(model, method)(rows)
        np.testing.assert_array_equal(getattr(twin, method)(rows), expected)
    np.testing.assert_array_equal(twin.memberships_, model.memberships_)
    assert twin.score(rows) == model.score(rows)


def test_a_pickled_path_can_be_cut(path_model):
    twin = pickle.loads(pickle.dumps(path_model))
    for c in (2, 8):
        mine, its = path_model.cut(n_clusters=c), twin.cut(n_clusters=c)
        np.testing.assert_array_equal(mine.cluster_centers, its.cluster_centers)
        np.testing.assert_array_equal(mine.labels, its.labels)


def test_names_of_the_distances(model):
    prefix = type(model).__name__.lower()
    expected = [f"{prefix}{j}" for j in range(model.n_clusters_)]
    assert model.get_feature_names_out().tolist() == expected


def test_pandas_output(make, X):
    table = pd.DataFrame(X, columns=NAMES, index=range(10, 10 + len(X)))
    model = make().set_output(transform="pandas").fit(table)
    distances = model.transform(table)
    assert isinstance(distances, pd.DataFrame)
    assert distances.columns.tolist() == model.get_feature_names_out().tolist()
    assert distances.index.equals(table.index)


def test_names_of_features_are_kept_and_checked(make, X, model):
    table = pd.DataFrame(X, columns=NAMES)
    named = make().fit(table)
    assert named.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(named.labels_, model.labels_)
    for method in ("predict", "predict_proba", "transform", "score"):
        with pytest.raises(ValueError, match=r"feature names should match[\s\S]*depth"):
            getattr(named, method)(table.rename(columns={"width": "depth"}))


def test_pipeline_with_a_scaler(make, X):
    pipeline = make_pipeline(StandardScaler(), make()).fit(X)
    scaled = StandardScaler().fit_transform(X)
    alone = make().fit(scaled)
    np.testing.assert_array_equal(pipeline.predict(X), alone.labels_)
    np.testing.assert_array_equal(pipeline.predict_proba(X), alone.memberships_)
    assert pipeline.score(X) == alone.score(scaled)


def test_float32_stays_float32_and_is_near_float64(make, X, model):
    narrow = X.astype(np.float32)
    single = make().fit(narrow)
    assert single.n_clusters_ == model.n_clusters_
    np.testing.assert_array_equal(single.labels_, model.labels_)
    np.testing.assert_allclose(single.cluster_centers_, model.cluster_centers_, atol=1e-4)
    for method in ("transform", "predict_proba"):
        result = getattr(single, method)(narrow)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, getattr(model, method)(X), atol=1e-3)
    assert single.memberships_.dtype == np.float32
    assert single.score(narrow) == pytest.approx(model.score(X), rel=1e-4)


def test_the_same_seed_gives_the_same_bits(make, X, model):
    again = make().fit(X)
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert again.objective_ == model.objective_


# Progress and interruption


def test_verbose_logs_every_level_and_prints_nothing(X, caplog, capsys):
    model = CAFHFCM(random_state=0, verbose=1, selection="persistence").fit(X)
    lines = [record.getMessage() for record in caplog.records if record.name == "fastcaf"]
    assert len(lines) == sum(len(path.levels) for path in model.paths_.values())
    assert "34 clusters" in lines[0]
    assert f"{model.paths_['fcm'].gammas[5]:.5g}" in lines[5]
    assert capsys.readouterr().out == ""


def test_quiet_fits_log_and_print_nothing(make, X, caplog, capsys):
    make().fit(X)
    assert not [record for record in caplog.records if record.name == "fastcaf"]
    assert capsys.readouterr() == ("", "")


def interrupt_at(monkeypatch, level):
    """Ctrl-C when the path reaches its ``level``-th level, counted from 1."""
    reached = []

    def report(found):
        reached.append(found)
        if len(reached) == level:
            raise KeyboardInterrupt

    monkeypatch.setattr(caf_hfcm, "reporting", lambda verbose, units: nullcontext(report))


@pytest.mark.filterwarnings("ignore::fastcaf.BeyondPathWarning")
@pytest.mark.filterwarnings("ignore::fastcaf.EmptyClustersWarning")
@pytest.mark.parametrize("level", [2, 10])
def test_an_interrupted_fit_leaves_a_usable_model(X, monkeypatch, level):
    interrupt_at(monkeypatch, level)
    with pytest.warns(InterruptedFitWarning, match=r"Interrupted at gamma = .* levels reached"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    assert model.path_.interrupted
    # The interrupted level may or may not count; no later one does.
    assert level - 1 <= len(model.path_.levels) <= level
    assert is_valid_linkage(model.linkage_)
    assert model.linkage_.shape == (33, 4)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert np.isfinite(model.memberships_).all()
    for c in range(1, 35):
        cut = model.cut(n_clusters=c)
        assert set(cut.labels) == set(range(cut.n_clusters))


def test_an_interruption_within_a_level_forgets_its_merges(X, monkeypatch):
    fuse, calls = Tree.fuse, []

    def fuse_then_interrupt(self, gamma, *arguments):
        fuse(self, gamma, *arguments)
        calls.append(gamma)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Tree, "fuse", fuse_then_interrupt)
    with pytest.warns(InterruptedFitWarning, match="Interrupted"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    reached = model.path_.levels[-1].n_clusters
    assert reached > 1
    assert sum(merge.kind != "beyond" for merge in model.path_.merges) == 34 - reached
    assert is_valid_linkage(model.linkage_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_an_interruption_before_the_first_level_is_passed_on(X, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("fastcaf.fusion.fixed_gamma.Solver.settle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        CAFHFCM(random_state=0).fit(X)


def test_complete_paths_are_not_marked_interrupted(path_model):
    assert path_model.path_.interrupted is False
