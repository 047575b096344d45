"""Models in files: what was saved is what is loaded, bit for bit."""

import os
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from same import assert_same
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import fastcaf
from fastcaf import (
    CAFHFCM,
    RLFCM,
    ConvexClustering,
    FuzzyCMeans,
    ModelFileError,
    UnstoredParameterWarning,
)
from fastcaf.estimators import caf_hfcm
from fastcaf.fusion.distinct_clusters import level_with_clusters
from fastcaf.fusion.path import _Walk

X = make_blobs(200, 3, centers=4, cluster_std=0.7, random_state=3)[0]
NEW = np.random.default_rng(5).normal(scale=6.0, size=(40, 3))
TABLE = pd.DataFrame(X, columns=["length", "width", "höhe"])
WEIGHTS = np.arange(200) % 4 / 2.0


def interrupted(monkeypatch):
    """A fit that Ctrl-C ends at its fifth level."""
    settle = _Walk._solve

    def solve(walk, gamma):
        if len(walk.levels) == 5:
            raise KeyboardInterrupt
        return settle(walk, gamma)

    monkeypatch.setattr(_Walk, "_solve", solve)
    return CAFHFCM(random_state=0, selection="persistence").fit(X)


MAKERS = {
    "default": lambda: CAFHFCM(random_state=0).fit(X),
    "fcm": lambda: CAFHFCM(membership="fcm", fuzzifier=1.7, random_state=0).fit(X),
    "kernel": lambda: CAFHFCM(membership="kernel", bandwidth=3.0, random_state=0).fit(X),
    "entropy": lambda: CAFHFCM(membership="entropy", random_state=0).fit(X),
    "mass": lambda: CAFHFCM(fusion_weights="mass", membership="fcm", random_state=0).fit(X),
    "neighbours": lambda: CAFHFCM(fusion_weights="neighbours", random_state=0).fit(X),
    "float32": lambda: CAFHFCM(random_state=0).fit(X.astype(np.float32)),
    "weights": lambda: CAFHFCM(random_state=0).fit(X, sample_weight=WEIGHTS),
    "representatives": lambda: CAFHFCM(random_state=0, representatives=60).fit(X),
    "one cluster": lambda: CAFHFCM(1, random_state=0).fit(X),
    "number": lambda: CAFHFCM(n_clusters=np.int64(7), random_state=0).fit(X),
    "gamma": lambda: CAFHFCM(gamma=2.5, random_state=0).fit(X),
    "gammas": lambda: CAFHFCM(gamma=np.geomspace(0.01, 1.0, 12), random_state=0).fit(X),
    "listed gammas": lambda: CAFHFCM(gamma=[0.1, 1.0, 10.0], random_state=0).fit(X),
    "given start": lambda: CAFHFCM(init=X[:20], prune=False).fit(X),
    "no rows kept": lambda: CAFHFCM(store_memberships=False, random_state=0).fit(X),
    "names": lambda: CAFHFCM(random_state=0).set_output(transform="pandas").fit(TABLE),
    "one row": lambda: CAFHFCM(random_state=0).fit(X[:1]),
    "equal rows": lambda: CAFHFCM(random_state=0).fit(np.ones((9, 3))),
    "large": lambda: CAFHFCM(random_state=0).fit(X * 1e150),
    "FuzzyCMeans": lambda: FuzzyCMeans(6, random_state=0).fit(TABLE),
    "FuzzyCMeans float32": lambda: FuzzyCMeans(6).fit(X.astype("f4")).set_params(tol=1e300),
    "FuzzyCMeans auto": lambda: FuzzyCMeans(6, membership="kernel", fuzzifier="auto").fit(X),
    "RLFCM": lambda: RLFCM(r1_time=100, r2_time=10).fit(X),
    "RLFCM unsettled": lambda: RLFCM(max_iter=3).fit(TABLE),
    "ConvexClustering": lambda: ConvexClustering().fit(TABLE, sample_weight=WEIGHTS),
    "ConvexClustering uniform": lambda: ConvexClustering(2.0, weights="uniform").fit(X[:50]),
    "ConvexClustering large": lambda: ConvexClustering().fit(X * 1e150),
}


@pytest.fixture(scope="module")
def models():
    """Fitted when first asked for."""
    made = {}

    def get(name):
        if name not in made:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made[name] = MAKERS[name]()
        return made[name]

    return get


@pytest.fixture
def there_and_back(tmp_path):
    def pass_through(model, **options):
        model.save(tmp_path / "model.fcaf", **options)
        return fastcaf.load(tmp_path / "model.fcaf")

    return pass_through


def assert_same_model(model, loaded, rows=False):
    """All of its state, except what is known not to be stored."""
    mine, its = dict(vars(model)), dict(vars(loaded))
    for state in (mine, its):
        state.pop("_memberships", None)
        if not rows:
            state.pop("_training_rows", None)
            state.pop("_training_weights", None)
        if state.get("n_clusters") is not None:
            state["n_clusters"] = int(state["n_clusters"])  # from NumPy's
    assert_same({name: mine[name] for name in sorted(mine)}, dict(sorted(its.items())))


def assert_same_answers(model, loaded):
    for rows in (NEW, NEW.astype(np.float32)):
        for method in ("predict", "predict_proba", "transform", "score"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # rows without the names of the training ones
                one, other = getattr(model, method)(rows), getattr(loaded, method)(rows)
            np.testing.assert_array_equal(one, other, err_msg=method)


@pytest.mark.parametrize("name", MAKERS)
def test_every_attribute_and_answer_comes_back(name, models, there_and_back):
    model = models(name)
    loaded = there_and_back(model)
    assert_same_model(model, loaded)
    assert_same_answers(model, loaded)
    if isinstance(model, CAFHFCM):
        assert loaded.path_ is loaded.paths_[loaded.membership_]
        assert loaded.summary() == model.summary()
        assert loaded._repr_html_().split("<div")[1] == model._repr_html_().split("<div")[1]


@pytest.mark.filterwarnings("ignore::fastcaf.BeyondPathWarning")
@pytest.mark.parametrize("name", ["default", "mass", "gammas", "representatives"])
def test_every_cut_comes_back(name, models, there_and_back):
    model = models(name)
    loaded = there_and_back(model)
    # The rows of clusters between two levels are counted where rows were kept, else estimated.
    exact = [
        c
        for c in range(1, len(model.path_.start) + 1)
        if level_with_clusters(model.path_, c).exact
    ]
    assert len(exact) >= 3
    for c in exact:
        one, other = model.cut(n_clusters=c), loaded.cut(n_clusters=c)
        for attribute in ("gamma", "cluster_centers", "cluster_masses", "exact"):
            assert_same(getattr(one, attribute), getattr(other, attribute), attribute)
        np.testing.assert_array_equal(one.predict_proba(NEW), other.predict_proba(NEW))


def test_an_interrupted_fit_comes_back(monkeypatch, there_and_back):
    with pytest.warns(fastcaf.InterruptedFitWarning):
        model = interrupted(monkeypatch)
    loaded = there_and_back(model)
    assert loaded.path_.interrupted
    assert_same_model(model, loaded)


def test_training_rows_are_stored_only_if_asked_for(models, tmp_path, there_and_back):
    model = models("default")
    without = there_and_back(model)
    small = (tmp_path / "model.fcaf").stat().st_size
    with pytest.raises(AttributeError, match="saved without them"):
        _ = without.memberships_
    with pytest.raises(AttributeError, match="predict"):
        _ = without.cut(n_clusters=2).labels
    loaded = there_and_back(model, rows=True)
    assert (tmp_path / "model.fcaf").stat().st_size >= small + X.nbytes
    assert_same_model(model, loaded, rows=True)
    np.testing.assert_array_equal(loaded.memberships_, model.memberships_)
    np.testing.assert_array_equal(
        loaded.cut(n_clusters=6).labels, model.cut(n_clusters=6).labels
    )


@pytest.mark.parametrize("name", ["no rows kept", "RLFCM"])
def test_rows_that_are_not_there_cannot_be_stored(name, models, tmp_path):
    with pytest.raises(ValueError, match="rows=False"):
        models(name).save(tmp_path / "model.fcaf", rows=True)
    assert not os.listdir(tmp_path)


def test_a_loaded_model_can_be_fitted_and_saved_again(models, tmp_path, there_and_back):
    model = models("names")
    loaded = there_and_back(model)
    first = (tmp_path / "model.fcaf").read_bytes()
    loaded.save(tmp_path / "again.fcaf")
    assert (tmp_path / "again.fcaf").read_bytes() == first
    np.testing.assert_array_equal(loaded.fit(TABLE).cluster_centers_, model.cluster_centers_)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(TABLE.rename(columns={"width": "depth"}))
    assert loaded.transform(TABLE).columns.tolist() == loaded.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"selection": lambda run: -float(run.n_clusters)}, "selection"),
        ({"random_state": np.random.RandomState(0)}, "random_state"),
        ({"tol": np.inf}, "tol"),
        ({"gamma": np.array([0.1, np.nan])}, "gamma"),
    ],
)
def test_what_cannot_be_stored_is_named(options, name, tmp_path):
    refused = name in ("tol", "gamma")  # by any fit: not finite
    model = CAFHFCM(membership="fcm", **({} if refused else options)).fit(X)
    model.set_params(**options)
    with pytest.warns(UnstoredParameterWarning, match=rf"{name}=.*set_params\({name}") as told:
        model.save(tmp_path / "model.fcaf")
    assert told[0].filename == __file__
    loaded = fastcaf.load(tmp_path / "model.fcaf")
    assert loaded.get_params()[name] is None
    np.testing.assert_array_equal(loaded.predict(NEW), model.predict(NEW))
    if name == "selection":
        with pytest.raises(ValueError, match="selection must be one of"):
            loaded.fit(X)


def test_an_array_like_parameter_becomes_an_array(tmp_path, there_and_back):
    model = CAFHFCM(gamma=pd.Series([0.5, 2.0, 8.0]), random_state=0).fit(X)
    loaded = there_and_back(model)
    np.testing.assert_array_equal(loaded.gamma, model.gamma)
    np.testing.assert_array_equal(loaded.fit(X).cluster_centers_, model.cluster_centers_)


def test_only_fitted_models_of_our_own_classes_are_saved(models, tmp_path):
    class Mine(CAFHFCM):
        pass

    class CAFHFCM_(CAFHFCM):
        pass

    CAFHFCM_.__name__ = "CAFHFCM"  # a name is not enough
    with pytest.raises(NotFittedError):
        CAFHFCM().save(tmp_path / "model.fcaf")
    for cls in (Mine, CAFHFCM_):
        model = cls(membership="fcm", random_state=0).fit(X)
        with pytest.raises(TypeError, match=r"joblib\.dump"):
            model.save(tmp_path / "model.fcaf")
    with pytest.raises(IsADirectoryError, match="name of a file"):
        models("default").save(tmp_path)
    with pytest.raises(FileNotFoundError):
        models("default").save(tmp_path / "nowhere" / "model.fcaf")
    assert not os.listdir(tmp_path)


def test_a_failed_save_leaves_the_old_file(models, tmp_path, monkeypatch):
    place = tmp_path / "model.fcaf"
    models("default").save(place)
    before = place.read_bytes()
    broken = CAFHFCM(random_state=0).fit(X)
    broken.cluster_centers_[0, 0] = np.nan
    with pytest.raises(ModelFileError, match=r"was not written: centers is not finite"):
        broken.save(place)
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        models("RLFCM").save(place)
    assert place.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.fcaf"]


def test_the_file_is_what_it_is_said_to_be(models, tmp_path):
    place = tmp_path / "model.fcaf"
    models("representatives").save(str(place), rows=True)
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "model.json"
        assert all(name.endswith(".npy") for name in archive.namelist()[1:])
        for name in archive.namelist()[1:]:
            with archive.open(name) as member:
                np.lib.format.read_array(member, allow_pickle=False)
    assert place.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_another_process_loads_the_same_bits(models, tmp_path):
    model = models("default")
    model.save(tmp_path / "model.fcaf")
    np.save(tmp_path / "rows.npy", NEW)
    script = (
        "import sys, numpy as np, fastcaf\n"
        "model = fastcaf.load('model.fcaf')\n"
        "assert 'pickle' not in vars(fastcaf.storage.models)\n"
        "np.save('found.npy', model.predict_proba(np.load('rows.npy')))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), model.predict_proba(NEW))


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_any_options_come_back(data, there_and_back):
    options = {
        "membership": data.draw(st.sampled_from(["auto", "fcm", "kernel", "entropy"])),
        "fusion_weights": data.draw(st.sampled_from(["uniform", "mass", "neighbours"])),
        "fuzzifier": data.draw(st.floats(1.2, 4.0) | st.just("auto")),
        "n_start": data.draw(st.integers(2, 12)),
        "n_clusters": data.draw(st.sampled_from([None, 1, 2])),
        "prune": data.draw(st.booleans()),
        "representatives": data.draw(st.sampled_from(["auto", None, 20])),
        "max_iter": data.draw(st.sampled_from([3, 300])),
        "random_state": data.draw(st.integers(0, 2**32 - 1)),
    }
    n = data.draw(st.integers(12, 60))
    rng = np.random.default_rng(options["random_state"])
    exponent = data.draw(st.integers(-150, 150))
    rows = rng.standard_normal((n, 3)) * 10.0**exponent
    types = ["f4", "f8"] if exponent <= 36 else ["f8"]  # beyond, float32 has infinity
    weights = rng.random(n) * data.draw(st.sampled_from([1.0, 1e-30, 1e30]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CAFHFCM(**options).fit(
            rows.astype(data.draw(st.sampled_from(types))) if n % 2 else rows,
            sample_weight=data.draw(st.sampled_from([None, weights])),
        )
    assert_same_model(model, there_and_back(model, rows=True), rows=True)


def test_the_list_of_what_a_fit_holds_is_complete():
    """The class must list its parts where it is defined; see ``storable``."""
    assert caf_hfcm.CAFHFCM is CAFHFCM
    assert set(fastcaf.storage.models._STORABLE) == {
        "CAFHFCM",
        "ConvexClustering",
        "FuzzyCMeans",
        "RLFCM",
    }
