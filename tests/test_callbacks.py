"""scikit-learn's callbacks on a fit."""

import subprocess
import sys

import numpy as np
import pytest
from same import assert_same
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastcaf
from fastcaf import CAFHFCM, separation_score

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 has callbacks")

X, TRUTH = make_blobs(150, 2, centers=3, cluster_std=0.5, random_state=2)


class Recorder:
    """Notes what it is told, and stops where it should."""

    def __init__(self, stop_after=None, fail_at=None):
        self.stop_after, self.fail_at = stop_after, fail_at
        self.events, self.levels = [], []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        if context.task_name == "fit":
            self.events.append("begin")

    def on_fit_task_end(self, estimator, context, *, X, metadata, fitted_estimator):
        if context.task_name == "fit":
            self.events.append("end")
            return None
        self.levels.append((context.task_name, fitted_estimator, metadata))
        if len(self.levels) == self.fail_at:
            raise RuntimeError("from the callback")
        return len(self.levels) == self.stop_after


def fitted(*callbacks, **options):
    return (
        CAFHFCM(random_state=0, **options, selection="persistence")
        .set_callbacks(*callbacks)
        .fit(X)
    )


def without_callbacks(model):
    return {name: value for name, value in vars(model).items() if name != "_skl_callbacks"}


def test_callbacks_are_told_of_every_level_and_change_nothing():
    recorder = Recorder()
    assert isinstance(recorder, callback.FitCallback)
    model, plain = fitted(recorder), CAFHFCM(random_state=0, selection="persistence").fit(X)
    assert_same(without_callbacks(model), vars(plain))
    assert recorder.events == ["setup", "begin", "end", "teardown"]
    levels = [
        (f"{name} level", one) for name, path in model.paths_.items() for one in path.levels
    ]
    assert [name for name, *_ in recorder.levels] == [name for name, _ in levels]
    for (_, seen, metadata), (_, level) in zip(recorder.levels, levels, strict=True):
        # The reported level settles further when all levels have been told.
        atol = 1e-3 * np.ptp(X) if level.gamma == model.gamma_ else 0.0
        expected = level.centroids[level.by_size()]
        np.testing.assert_allclose(seen.cluster_centers_, expected, rtol=0.0, atol=atol)
        assert seen.predict_proba(X).shape == (150, level.n_clusters)
        assert seen.transform(X).shape == (150, level.n_clusters)
        assert metadata is None
        assert seen is not model


def test_a_callback_stops_a_fit_like_ctrl_c():
    with pytest.warns(fastcaf.InterruptedFitWarning, match="the 7 levels reached"):
        model = fitted(Recorder(stop_after=7))
    assert len(model.path_.levels) == 7
    assert model.path_.interrupted
    assert model.predict(X).shape == (150,)


def test_an_error_of_a_callback_comes_through_and_leaves_nothing_behind():
    recorder = Recorder(fail_at=3)
    model = CAFHFCM(random_state=0, selection="persistence").set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="from the callback"):
        model.fit(X)
    assert recorder.events == ["setup", "begin", "teardown"]
    assert "_callback_fit_ctx" not in vars(model)


def test_scores_along_the_path():
    """scikit-learn's monitor asks for some y."""

    def scores(model, X, y, sample_weight=None):
        return {"apart": separation_score(model, X, sample_weight=sample_weight)}

    monitor = callback.ScoringMonitor(scoring=scores)
    model = CAFHFCM(membership="fcm", random_state=0).set_callbacks(monitor)
    model.fit(X, TRUTH, sample_weight=np.full(150, 2.0))
    found = [row["apart"] for row in monitor.get_logs().data if "level" in row["task_name"]]
    assert len(found) == len(model.path_.levels)
    middle = next(i for i, one in enumerate(model.path_.levels) if one.n_clusters == 3)
    assert found[middle] > max(found[0], found[-1])
    assert found[-1] == 0.0


def test_inside_searches_and_pipelines():
    recorder = Recorder()
    pipeline = make_pipeline(StandardScaler(), CAFHFCM(membership="fcm", random_state=0))
    pipeline[-1].set_callbacks(recorder)
    search = GridSearchCV(pipeline, {"cafhfcm__n_start": [6, 9]}, cv=2)
    search.fit(X)
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 5


def test_saved_models_have_no_callbacks(tmp_path):
    model = fitted(Recorder(), membership="fcm")
    model.save(tmp_path / "model.fcaf")
    loaded = fastcaf.load(tmp_path / "model.fcaf")
    assert not hasattr(loaded, "_skl_callbacks")
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)


def test_releases_of_scikit_learn_without_callbacks():
    script = (
        "import sys, sklearn.cluster, sklearn.pipeline\n"
        "sys.modules['sklearn.callback'] = None\n"
        "import numpy as np, fastcaf\n"
        "model = fastcaf.CAFHFCM(init=np.eye(3), membership='fcm', gamma=0.0).fit(np.eye(3))\n"
        "assert not hasattr(model, 'set_callbacks')\n"
        "assert model.n_clusters_ == 3\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
