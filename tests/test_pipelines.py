"""Beside others: data frames, pipelines, searches, processes and threads."""

import copy
import io
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from same import assert_same
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import fastcaf
from fastcaf import CAFHFCM, RLFCM, FuzzyCMeans, separation_score

NAMES = ["length", "width", "höhe"]
X, TRUTH = make_blobs(180, 3, centers=4, cluster_std=0.6, random_state=3)
WEIGHTS = np.arange(180) % 5 + 0.5
FRAMES = {
    "pandas": lambda rows, names=NAMES: pd.DataFrame(rows, columns=names),
    "polars": lambda rows, names=NAMES: pl.DataFrame(rows, schema=names, orient="row"),
}
MAKERS = {
    "CAFHFCM": lambda **options: CAFHFCM(random_state=0, **options),
    "FuzzyCMeans": lambda **options: FuzzyCMeans(4, random_state=0, **options),
    "RLFCM": lambda **options: RLFCM(r1_time=100, r2_time=10, **options),
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


@pytest.fixture(params=FRAMES)
def library(request):
    return request.param


@pytest.fixture
def frame(library):
    return FRAMES[library]


# Data frames


def test_a_frame_gives_the_bits_of_its_array_and_its_names(make, frame):
    named, plain = make().fit(frame(X)), make().fit(X)
    assert named.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(named.cluster_centers_, plain.cluster_centers_)
    for method in ("predict", "predict_proba", "transform"):
        found, expected = getattr(named, method)(frame(X)), getattr(plain, method)(X)
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, expected)


def test_names_are_checked(make, frame):
    model = make().fit(frame(X))
    others = [
        frame(X, ["length", "depth", "höhe"]),
        frame(X[:, ::-1], NAMES[::-1]),
        frame(X[:, :2], NAMES[:2]),
        frame(np.c_[X, X[:, :1]], [*NAMES, "more"]),
    ]
    for method in ("predict", "predict_proba", "transform", "score"):
        for other in others:
            with pytest.raises(ValueError, match="feature names should match"):
                getattr(model, method)(other)
        with pytest.warns(UserWarning, match="valid feature names"):
            getattr(model, method)(X)


def test_fitted_on_one_library_used_with_another(make):
    model = make().fit(FRAMES["pandas"](X))
    np.testing.assert_array_equal(model.predict(FRAMES["polars"](X)), model.labels_)


@pytest.mark.parametrize("given", FRAMES)
def test_output_as_a_frame(make, library, given):
    rows = FRAMES[given](X)
    model = make().set_output(transform=library).fit(rows)
    expected = make().fit(X).transform(X)
    for found in (model.transform(rows), clone(model).fit_transform(rows)):
        assert isinstance(found, {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library])
        assert list(found.columns) == model.get_feature_names_out().tolist()
        np.testing.assert_array_equal(found.to_numpy(), expected)


def test_columns_of_other_types(make, frame):
    whole = np.round(X * 10).astype(np.int32)
    expected = make().fit(whole.astype(float)).cluster_centers_
    np.testing.assert_array_equal(make().fit(frame(whole)).cluster_centers_, expected)
    nullable = pd.DataFrame(whole, columns=NAMES).astype("Int64")
    np.testing.assert_array_equal(make().fit(nullable).cluster_centers_, expected)


def test_float32_stays_float32(make, frame):
    rows = X.astype(np.float32)
    expected = make().fit(rows).transform(rows)
    nullable = pd.DataFrame(rows, columns=NAMES).astype("Float32")
    for one in (frame(rows), nullable):
        found = make().fit(one).transform(one)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, expected)
    assert make().fit(rows).transform(pd.DataFrame(X).astype({0: np.float32})).dtype == float


def test_columns_that_are_no_numbers(make, frame):
    with pytest.raises(ValueError, match="could not convert string"):
        make().fit(frame([["a", "b", "c"], ["d", "e", "f"]]))
    with pytest.raises(ValueError, match="contains NaN"):
        make().fit(frame([[1.0, 2.0, None], [3.0, 4.0, 5.0]]))


def test_weights_from_a_column(make, library):
    series = {"pandas": pd.Series, "polars": pl.Series}[library](WEIGHTS)
    found = make().fit(X, sample_weight=series).cluster_centers_
    expected = make().fit(X, sample_weight=WEIGHTS).cluster_centers_
    np.testing.assert_array_equal(found, expected)


# Pipelines and searches


def test_a_pipeline_is_its_steps(make):
    pipeline = Pipeline([("scale", StandardScaler()), ("pca", PCA(2)), ("cluster", make())])
    pipeline.fit(X)
    inside = PCA(2).fit_transform(StandardScaler().fit_transform(X))
    alone = make().fit(inside)
    np.testing.assert_array_equal(pipeline.predict(X), alone.predict(inside))
    np.testing.assert_array_equal(pipeline.transform(X), alone.transform(inside))
    np.testing.assert_array_equal(pipeline.predict_proba(X), alone.predict_proba(inside))
    assert pipeline.score(X) == alone.score(inside)
    np.testing.assert_array_equal(clone(pipeline).fit_predict(X), alone.labels_)


def test_names_through_a_pipeline(make, frame, library):
    pipeline = make_pipeline(StandardScaler(), PCA(2), make()).set_output(transform=library)
    found = pipeline.fit(frame(X)).transform(frame(X))
    assert pipeline[-1].feature_names_in_.tolist() == ["pca0", "pca1"]
    assert list(found.columns) == pipeline.get_feature_names_out().tolist()


def test_as_features_of_the_next_step(make):
    pipeline = make_pipeline(make(), KMeans(2, n_init=1, random_state=0)).fit(X)
    assert pipeline[1].cluster_centers_.shape == (2, pipeline[0].n_clusters_)


def test_weights_through_a_pipeline(make):
    pipeline = make_pipeline(StandardScaler(), make())
    step = pipeline.steps[-1][0]
    pipeline.fit(X, **{f"{step}__sample_weight": WEIGHTS})
    expected = make().fit(StandardScaler().fit_transform(X), sample_weight=WEIGHTS)
    np.testing.assert_array_equal(pipeline[-1].cluster_centers_, expected.cluster_centers_)
    labels = clone(pipeline).fit_predict(X, **{f"{step}__sample_weight": WEIGHTS})
    np.testing.assert_array_equal(labels, expected.labels_)


def test_weights_by_metadata_routing(make):
    with sklearn.config_context(enable_metadata_routing=True):
        asking = (
            make().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        )
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, asking).fit(X, sample_weight=WEIGHTS)
        score = pipeline.score(X, sample_weight=WEIGHTS)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            make_pipeline(scaler, make()).fit(X, sample_weight=WEIGHTS)
    inside = StandardScaler().fit_transform(X)
    expected = make().fit(inside, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(pipeline[-1].cluster_centers_, expected.cluster_centers_)
    assert score == expected.score(inside, sample_weight=WEIGHTS)


def test_the_default_score_prefers_any_larger_fuzzifier():
    """As its documentation says; this is why ``separation_score`` exists."""
    grid = {"fuzzifier": [1.3, 2.0, 4.0, 9.0]}
    search = GridSearchCV(FuzzyCMeans(4, random_state=0), grid, cv=3, n_jobs=2).fit(X)
    scores = search.cv_results_["mean_test_score"]
    assert (np.diff(scores) > 0).all()
    assert search.best_params_ == {"fuzzifier": 9.0}
    for method in (CAFHFCM.score, FuzzyCMeans.score):
        assert "separation_score" in method.__doc__


def test_a_search_by_separation_finds_the_clusters(make):
    inside = make_pipeline(StandardScaler(), FuzzyCMeans(random_state=0))
    grid = {"fuzzycmeans__n_clusters": [2, 3, 4, 5, 6], "fuzzycmeans__fuzzifier": [1.5, 2.0]}
    search = GridSearchCV(inside, grid, scoring=separation_score, cv=3, n_jobs=2).fit(X)
    assert search.best_params_["fuzzycmeans__n_clusters"] == 4
    serial = GridSearchCV(inside, grid, scoring=separation_score, cv=3).fit(X)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"]
    )
    assert cross_val_score(make(), X, scoring=separation_score, cv=3).min() > 0.5


def test_separation_is_what_it_says():
    model = FuzzyCMeans(3, random_state=0).fit(X)
    nearest, second = np.sort(model.transform(X), axis=1)[:, :2].T
    each = 1.0 - nearest / second
    assert separation_score(model, X) == pytest.approx(each.mean(), rel=1e-12)
    weighted = separation_score(model, X, sample_weight=WEIGHTS)
    assert weighted == pytest.approx(each @ WEIGHTS / WEIGHTS.sum(), rel=1e-12)
    far = FuzzyCMeans(3, random_state=0).fit(1e6 * X)
    assert separation_score(far, 1e6 * X) == pytest.approx(each.mean(), rel=1e-6)
    for output in FRAMES:
        framed = copy.deepcopy(model).set_output(transform=output)
        assert separation_score(framed, X) == separation_score(model, X)
    assert separation_score(FuzzyCMeans(1, random_state=0).fit(X), X) == 0.0
    assert separation_score(model, model.cluster_centers_) == 1.0


def test_centroids_on_one_spot_have_no_separation():
    class OnOneSpot:
        def transform(self, X):
            return np.zeros((len(X), 2))

    assert separation_score(OnOneSpot(), X) == 0.0


# Copies, processes and threads


def test_every_kind_of_copy(make, tmp_path):
    model = make().fit(X)
    joblib.dump(model, tmp_path / "model.joblib", compress=3)
    copies = [
        copy.copy(model),
        copy.deepcopy(model),
        joblib.load(tmp_path / "model.joblib"),
        *(pickle.loads(pickle.dumps(model, protocol)) for protocol in (2, 4, 5)),
    ]
    for twin in copies:
        assert_same(vars(twin), vars(model))
        np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "cluster_centers_")
    np.testing.assert_array_equal(clone(model).fit(X).cluster_centers_, model.cluster_centers_)


def test_a_clone_keeps_arrays_and_functions():
    model = CAFHFCM(gamma=np.array([0.5, 4.0]), init=X[:9], selection=separation_score)
    twin = clone(model)
    assert twin.selection is separation_score
    np.testing.assert_array_equal(twin.gamma, model.gamma)
    assert twin.init is not model.init


def fit_and_predict(model, rows):
    model = clone(model).fit(rows)
    return model.cluster_centers_, model.predict_proba(rows)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_side_by_side_are_those_one_by_one(make, backend):
    """Large enough that kernels take threads of their own."""
    parts = [make_blobs(1500, 6, centers=5, random_state=seed)[0] for seed in range(2)]
    models = [make()] if isinstance(make(), RLFCM) else [make(), make(n_jobs=2)]
    if isinstance(make(), RLFCM):
        parts = [part[:200] for part in parts]
    tasks = [(model, part) for model in models for part in parts]
    serial = [fit_and_predict(*task) for task in tasks]
    found = joblib.Parallel(2, backend=backend)(
        joblib.delayed(fit_and_predict)(*task) for task in tasks
    )
    for one, other in zip(serial, found, strict=True):
        for mine, its in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, its)


def test_another_process_unpickles_the_same_bits(tmp_path):
    models = {name: make().fit(X) for name, make in MAKERS.items()}
    (tmp_path / "models.pickle").write_bytes(pickle.dumps((models, X)))
    script = (
        "import pickle, sys\n"
        "models, X = pickle.load(open('models.pickle', 'rb'))\n"
        "found = {name: model.predict_proba(X) for name, model in models.items()}\n"
        "pickle.dump(found, sys.stdout.buffer)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=True,
    )
    found = pickle.load(io.BytesIO(result.stdout))
    for name, model in models.items():
        np.testing.assert_array_equal(found[name], model.predict_proba(X))


def test_one_model_predicts_in_many_threads(tmp_path):
    model = CAFHFCM(membership="fcm", random_state=0).fit(X)
    model.save(tmp_path / "model.fcaf")
    rows = make_blobs(40_000, 3, centers=4, random_state=0)[0]
    expected = model.predict_proba(rows)
    found = joblib.Parallel(4, backend="threading")(
        joblib.delayed(one.predict_proba)(rows)
        for one in (model, fastcaf.load(tmp_path / "model.fcaf")) * 3
    )
    for one in found:
        np.testing.assert_array_equal(one, expected)
