"""What must hold for every fit, whatever the data and the parameters."""

import re
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.exceptions import ConvergenceWarning

import fastcaf
from fastcaf import CAFHFCM, EmptyClustersWarning, FastcafWarning, solve_gamma

__all__ = ["REFUSALS", "check", "refusal"]

# What a fit may refuse, and the message that says so: any other error is a failure.
REFUSALS = {
    "X too large": r"^The values of X are too large to be squared",
    "X too small": r"^The values of X are too near each other for their squares",
    "X not finite": r"^Input X contains infinity|^Input X contains NaN",
    "weights times X": r"^sample_weight \(up to .* times the squared extent of X",
    "weights too heavy": r"^sample_weight adds up to",
    "too far for RLFCM": r"^Rows and centres are too far apart",
    "fuzzifier": r"^fuzzifier=.* is too large for",
    "n_clusters above the start": r"^n_clusters=\d+ is above the \d+ starting centroids",
    "n_clusters above the components": r"^n_clusters=\d+ is above the \d+ components",
    "n_clusters and gamma": r"^n_clusters=\d+ and gamma=.* both name a level",
    "init of other length": r"^init holds \d+ centroids, but n_clusters is",
    "equal centroids": r"holds \d+ centroids, but only \d+ different ones",
    "far centroids": r"holds a centroid .* times as far from the mean",
    "one sample": r"^Found array with 0 sample",
}
OURS = (FastcafWarning, ConvergenceWarning)


def refusal(error):
    """The name of what was refused; None where the error is none of ours."""
    if not isinstance(error, ValueError):
        return None
    return next((name for name, said in REFUSALS.items() if re.search(said, str(error))), None)


@contextmanager
def hearing():
    """Warnings as a list; at the end all of them must be of our classes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    for one in caught:
        where = f"{one.filename}:{one.lineno}"
        assert issubclass(one.category, OURS), (
            f"{one.category.__name__}: {one.message} ({where})"
        )


def check(case):
    """Fit, and assert all that must hold; the name of what was refused, or an empty one."""
    X = case.table.rows()
    weights = case.weights.of(len(X))
    before = X.copy(), np.copy(weights) if weights is not None else None
    try:
        with hearing() as caught:
            if case.estimator == "solve_gamma":
                options = case.options(X)
                found = solve_gamma(X, sample_weight=weights, **options)
            else:
                found = case.model(X)
                found.fit(X, sample_weight=weights)
    except ValueError as error:
        if (name := refusal(error)) is None:
            raise
        return name
    _same(X, before[0], "X was changed")
    if weights is not None:
        _same(weights, before[1], "sample_weight was changed")
    with hearing() as later:
        if case.estimator == "solve_gamma":
            _check_level(*found, X, len(options["start"]))
        else:
            _check_model(found, X, weights, [one.category for one in caught])
            _check_file(found, X)
        if isinstance(found, CAFHFCM):
            _check_path(found)
            _check_words(found)
            _check_cuts(found, X, np.random.default_rng(case.seed), later)
    return ""


def _same(one, other, what):
    assert np.array_equal(one, other, equal_nan=True), what


def _finite(values, what):
    assert np.isfinite(values).all(), f"{what} is not finite"


def _check_memberships(mu, labels, what):
    _finite(mu, what)
    assert (mu >= 0.0).all(), f"{what} below 0"
    off = np.abs(mu.sum(axis=1, dtype=np.float64) - 1.0).max()
    assert off < 1e-4, f"{what} do not sum to 1, by {off}"
    short = mu.max(axis=1) - np.take_along_axis(mu, labels[:, None].astype(int), 1)[:, 0]
    assert short.max() < 1e-3, f"{what}: a label is not the largest, by {short.max()}"


def _check_model(model, X, weights, caught):
    labels, c = model.labels_, model.n_clusters_
    assert labels.shape == (len(X),), "shape of the labels"
    assert labels.dtype == np.int32, "type of the labels"
    assert labels.min() >= 0, "a label below 0"
    assert labels.max() < c, "a label beyond the clusters"
    used = len(np.unique(labels))
    assert used == c or (EmptyClustersWarning in caught and not isinstance(model, CAFHFCM)), (
        f"{used} labels of {c} clusters"
    )
    assert model.cluster_centers_.shape == (c, X.shape[1]), "shape of the centres"
    names = "cluster_centers_ cluster_means_ cluster_masses_ cluster_confidences_ objective_"
    names += " covariances_ weights_ proportions_ gamma_"
    for name in names.split():
        if hasattr(model, name):
            _finite(getattr(model, name), name)
    _same(model.predict(X), labels, "predict differs from labels_")
    mu = model.predict_proba(X)
    _check_memberships(mu, labels, "predict_proba")
    if getattr(model, "store_memberships", False):
        # But for columns too narrow to count: new rows need not be near each other there.
        apart = np.abs(model.memberships_ - mu).max()
        assert apart < 1e-6, "predict_proba differs from memberships_"
    distances = model.transform(X)
    _finite(distances, "transform")
    assert (distances >= 0.0).all(), "a distance below 0"
    _finite(model.score(X, sample_weight=weights), "score")


def _check_file(model, X):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.fcaf"
        model.save(path)
        again = fastcaf.load(path)
    _same(again.labels_, model.labels_, "labels_ of the file")
    _same(again.predict(X), model.labels_, "predict of the file")
    _same(again.cluster_centers_, model.cluster_centers_, "centres of the file")


def _check_path(model):
    for path in model.paths_.values():
        assert (np.diff(path.gammas) > 0.0).all() or path.levels[0].by_loss, (
            "gammas do not rise"
        )
        assert (np.diff(path.gammas) >= 0.0).all(), "the axis falls"
        assert (np.diff(path.n_clusters) <= 0).all(), "numbers of clusters rise"
        for level in path.levels:
            _finite(level.centroids, "centroids of a level")
            _finite(level.objective, "the objective of a level")
    if len(model.linkage_):
        assert is_valid_linkage(model.linkage_, throw=False), "no valid linkage"
    assert model.linkage_.shape == (len(model.path_.start) - 1, 4), "shape of the linkage"


def _check_words(model):
    for text in (model.summary(), model.verdict_, model._repr_html_()):
        assert text, "no words"
    assert model.n_clusters_ >= 1
    assert model.selection_, "no candidates"
    for candidate in model.selection_:
        assert not np.isnan(candidate.score), "a score that is no number"


def _check_cuts(model, X, rng, caught):
    K, last = len(model.path_.start), model.path_.levels[-1]
    wanted = [{"n_clusters": int(c)} for c in np.unique([1, K, rng.integers(1, K + 1)])]
    top = last.gamma if np.isfinite(last.gamma) else 1.0
    wanted += [{"gamma": g} for g in (0.0, float(rng.uniform(0.0, top)), top)]
    for options in wanted:
        said = len(caught)
        cut = model.cut(**options)
        what = f"cut({options})"
        _finite(cut.cluster_centers, f"centres of {what}")
        _finite(cut.cluster_masses, f"masses of {what}")
        labels = cut.predict(X)
        assert labels.max() < cut.n_clusters, f"a label beyond {what}"
        if not model.store_memberships:
            continue
        _same(cut.labels, labels, f"labels of {what}")
        used = len(np.unique(labels))
        assert used == cut.n_clusters, f"{used} labels of {cut.n_clusters} clusters: {what}"
        if cut.n_clusters != options.get("n_clusters", cut.n_clusters):
            assert len(caught) > said, f"{cut.n_clusters} clusters, and nothing said: {what}"
        _check_memberships(cut.memberships, labels, f"memberships of {what}")


def _check_level(level, fused, X, n_start):
    _finite(level.centroids, "centroids")
    _finite(level.objective, "objective")
    _finite(level.mass, "mass")
    assert fused.shape == (n_start,)
    assert set(fused.tolist()) == set(range(level.n_clusters)), "fused names no centroid"
    # Beyond the rows only as far as the objective does not notice.
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    beyond = np.maximum(low - level.centroids, level.centroids - high)
    slack = 1e-5 * np.abs(X).max()
    cost = level.weight @ (np.maximum(beyond - slack, 0.0) ** 2).sum(axis=1)
    assert cost <= 1e-4 * level.objective, "a centroid outside of the rows"
