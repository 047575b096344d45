"""Plots: what is drawn is what the model holds, on the given axes, and nothing is left open."""

import subprocess
import sys
import warnings
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle
from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

import fastcaf
from fastcaf import CAFHFCM, FuzzyCMeans, RowBlocks, plot
from fastcaf.display.plot.branches import clusters_of_nodes
from fastcaf.display.plot.ellipses import draw_ellipses
from fastcaf.display.plot.gammas import gamma_axis
from fastcaf.display.plot.rows import shown_rows
from fastcaf.display.projection import Projection, project_on
from fastcaf.estimators import caf_hfcm
from fastcaf.fusion.hierarchy import Merge, Tree, linkage_matrix
from fastcaf.fusion.level import Path

mpl.use("Agg")

OF_THE_PATH = ["staircase", "dendrogram", "convergence", "centroid_path"]
OF_ROWS = ["centroid_path", "membership_map", "scatter"]
ON_AXES = [name for name in plot.__all__ if name != "overview"]


def fitted(X, level=None, **options):
    """A fit without its warnings, interrupted when it reaches ``level``."""

    def report(_):
        seen.append(1)
        if len(seen) == level:
            raise KeyboardInterrupt

    seen = []
    weights = options.pop("sample_weight", None)
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        if level:
            patch.setattr(caf_hfcm, "reporting", lambda verbose, units: nullcontext(report))
        return CAFHFCM(random_state=0, **options).fit(X, sample_weight=weights)


@pytest.fixture(scope="module")
def model(blobs):
    """Two paths of gamma, and a level of one of them as the answer."""
    return fitted(blobs[0], selection="persistence")


@pytest.fixture(scope="module")
def merged():
    """Two long thin clusters, found by merging components: a path of losses."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2)) * [6.0, 0.5]
    X[200:, 1] += 5.0
    found = fitted(X @ np.array([[0.8, 0.6], [-0.6, 0.8]]))
    assert found.path_.levels[0].by_loss
    return found


@pytest.fixture(scope="module")
def models(blobs):
    """The edges of what there is to draw, by name."""
    X, rng = blobs[0], np.random.default_rng(0)
    grid = np.stack(np.meshgrid(np.arange(10.0), np.arange(10.0)), -1).reshape(-1, 2)
    many = np.repeat(grid, 5, axis=0) + 0.05 * rng.standard_normal((500, 2))
    frame = pd.DataFrame(rng.standard_normal((120, 4)), columns=list("abcd"))
    return {
        "one feature": fitted(np.concatenate([X[:, :1], X[:, :1] + 40.0])),
        "ten features": fitted(np.hstack([X, rng.standard_normal((300, 8))])),
        "one cluster": fitted(rng.standard_normal((200, 3)), n_clusters=1),
        "100 clusters": fitted(many, n_clusters=100, n_start=130, membership="fcm"),
        "first level": fitted(X, level=2, membership="fcm"),
        "a few levels": fitted(X, level=10),
        "weights": fitted(X, sample_weight=rng.integers(0, 4, 300)),
        "mass": fitted(X, fusion_weights="mass"),
        "a number": fitted(X, n_clusters=7, membership="fcm"),
        "a gamma": fitted(X, gamma=0.5),
        "gammas": fitted(X, gamma=np.arange(0.1, 3.0, 0.1), selection="plateau"),
        "one row": fitted(X[:1]),
        "equal rows": fitted(np.ones((20, 2))),
        "two rows": fitted(X[:2]),
        "representatives": fitted(X, representatives=100),
        "unsettled": fitted(X, max_iter=3),
        "small numbers": fitted(1e-20 * X),
        "large numbers": fitted(1e20 * X),
        "names": fitted(frame),
        "fcm": fitted(X, membership="fcm"),
        "gaussian": fitted(X, membership="gaussian"),
        "spherical": fitted(X, membership="gaussian", covariance_type="spherical"),
        "merged": fitted(X * [1.0, 0.02] + X[:, ::-1] * [0.0, 0.5]),
    }


EDGES = [
    *("one feature", "ten features", "one cluster", "100 clusters", "first level"),
    *("a few levels", "weights", "mass", "a number", "a gamma", "gammas", "one row"),
    *("equal rows", "two rows", "representatives", "unsettled", "small numbers"),
    *("large numbers", "names", "fcm", "gaussian", "spherical", "merged"),
]


@pytest.fixture
def ax():
    return Figure(figsize=(4, 3), layout="constrained").subplots()


def drawn(figure):
    """Draw for real: layout, ticks and texts are made only then."""
    figure.canvas.draw()
    return figure


# On every axes


@pytest.mark.parametrize("name", ON_AXES)
def test_axes_are_the_given_ones_or_new(name, model, ax):
    function = getattr(plot, name)
    assert function(model, ax=ax) is ax
    alone = function(model)
    assert alone is not ax
    for one in (ax, alone):
        assert one.get_xlabel()
        assert one.get_ylabel()
        drawn(one.figure)


@pytest.mark.parametrize("edge", EDGES)
def test_edges_are_drawn_without_a_word(edge, models, caplog):
    for name in ON_AXES:
        drawn(getattr(plot, name)(models[edge]).figure)
    drawn(plot.overview(models[edge]))
    assert not caplog.records, [record.getMessage() for record in caplog.records]


def test_nothing_global_changes(tmp_path):
    """In a process of its own, where nothing else has called for pyplot or a backend."""
    script = (
        "import sys, numpy as np, matplotlib as mpl\n"
        "def settings():\n"  # to look at the backend is to choose one
        "    return {key: mpl.rcParams[key] for key in mpl.rcParams if key != 'backend'}\n"
        "before = settings()\n"
        "import fastcaf\n"
        "X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * (np.arange(60) % 2)[:, None]\n"
        "model = fastcaf.CAFHFCM(random_state=0).fit(X)\n"
        "fastcaf.plot.overview(model).savefig(sys.argv[1])\n"
        "fastcaf.plot.convergence(model)\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert settings() == before\n"
        "import matplotlib.pyplot as plt\n"
        "assert not plt.get_fignums()\n"
    )
    picture = tmp_path / "overview.png"
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(picture)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", plot.__all__)
def test_without_matplotlib_the_extra_is_named(name, model, monkeypatch):
    for module in [one for one in sys.modules if one.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "fastcaf\[plot\]"'):
        getattr(plot, name)(model)


def test_the_package_reaches_its_plots():
    assert fastcaf.plot is plot
    with pytest.raises(AttributeError, match="no attribute 'plots'"):
        _ = fastcaf.plots


@pytest.mark.parametrize("name", plot.__all__)
def test_models_without_a_fit_are_refused(name):
    with pytest.raises(NotFittedError):
        getattr(plot, name)(CAFHFCM())


def test_models_without_a_path_have_the_other_plots(blobs):
    flat = FuzzyCMeans(3, random_state=0).fit(blobs[0])
    for name in ("membership_map", "scatter", "cluster_sizes"):
        drawn(getattr(plot, name)(flat).figure)
    for name in [*OF_THE_PATH, "overview"]:
        with pytest.raises(TypeError, match="FuzzyCMeans follows none"):
            getattr(plot, name)(flat)


# Rows


@pytest.mark.parametrize("name", [*OF_ROWS])
def test_rows_that_were_not_kept_have_to_be_given(name, blobs):
    X = blobs[0]
    forgetful = fitted(X, store_memberships=False)
    with pytest.raises(ValueError, match=r"saved without them.*pass the rows to show as X"):
        getattr(plot, name)(forgetful)
    drawn(getattr(plot, name)(forgetful, RowBlocks([X[:40], X[40:]])).figure)
    drawn(getattr(plot, name)(forgetful, X.tolist()).figure)
    assert len(plot.overview(forgetful).axes) == 4


def test_kept_and_given_rows_are_the_same(model, blobs):
    kept, given = shown_rows(model, None, 1000), shown_rows(model, blobs[0], 1000)
    np.testing.assert_allclose(kept.places, blobs[0], atol=1e-12)
    np.testing.assert_allclose(given.places, blobs[0], atol=1e-12)
    np.testing.assert_array_equal(kept.memberships, model.memberships_)
    np.testing.assert_array_equal(given.memberships, model.memberships_)
    np.testing.assert_array_equal(kept.labels, model.labels_)
    assert kept.description == "300 rows"


@pytest.mark.parametrize("given", [True, False])
def test_many_rows_are_sampled_and_it_is_said(model, blobs, given, monkeypatch):
    X = blobs[0] if given else None
    some = shown_rows(model, X, 50)
    assert some.description == "50 of 300 rows"
    assert len({tuple(row) for row in some.places.round(9)}) == 50
    assert {tuple(r) for r in some.places.round(9)} <= {tuple(r) for r in blobs[0].round(9)}
    monkeypatch.setattr(sys.modules["fastcaf.display.plot.scatter"], "MOST_ROWS", 50)
    ax = plot.scatter(model, X)
    assert "50 of 300 rows" in ax.get_xlabel()
    assert len(ax.collections[0].get_offsets()) == 50


def test_arrays_frames_and_blocks_are_sampled_alike(model, blobs):
    X = blobs[0]
    wanted = shown_rows(model, X, 50).places
    blocks, frame = RowBlocks([X[:70], X[70:71], X[71:]]), pd.DataFrame(X, columns=["a", "b"])
    for given in (blocks, frame, X.tolist(), None):
        some = shown_rows(model, given, 50)
        assert some.description == "50 of 300 rows"
        np.testing.assert_allclose(some.places, wanted, atol=1e-12)
    for wrong in (X[0], X[:, :1], X[:, :1].tolist()):
        with pytest.raises(ValueError, match=r"2D array|2 features"):
            shown_rows(model, wrong, 50)


def test_frames_name_the_axes():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.standard_normal((80, 2)), columns=["width", "height"])
    named, nameless = fitted(frame), fitted(frame.to_numpy())
    for ax in (
        plot.scatter(named),
        plot.scatter(named, frame),
        plot.scatter(nameless, frame),
        plot.centroid_path(named),
    ):
        assert ax.get_xlabel().startswith("width")
        assert ax.get_ylabel() == "height"


# What is drawn


def span(ax):
    """Ends of the shaded stretch."""
    (patch,) = [one for one in ax.patches if isinstance(one, Rectangle)]
    return patch.get_x(), patch.get_x() + patch.get_width()


def test_the_staircase_is_the_path(model):
    ax = plot.staircase(model)
    (line,) = [one for one in ax.lines if "memberships" in one.get_label()]
    np.testing.assert_array_equal(line.get_xdata(), model.path_.gammas)
    np.testing.assert_array_equal(line.get_ydata(), model.path_.n_clusters)
    assert line.get_drawstyle() == "steps-post"
    best = model.selection_[0]
    np.testing.assert_allclose(span(ax), (best.gamma_start, best.gamma_end))
    low, high = ax.get_xlim()
    assert low <= 0.0
    assert high > model.path_.gammas[-1]
    written = {text.get_text() for text in ax.texts}
    shown = [one for one in model.selection_[:5] if one.membership == model.membership_]
    assert written == {str(one.n_clusters) for one in shown}


def test_the_staircase_shows_the_other_path_when_asked(model):
    ax = plot.staircase(model, both=True, candidates=3)
    assert len(model.paths_) == 2
    for path in model.paths_.values():
        assert any(np.array_equal(one.get_xdata(), path.gammas) for one in ax.lines)
    assert [text.get_text() for text in ax.texts] == [
        str(one.n_clusters) for one in model.selection_[:3]
    ]


def test_the_staircase_shades_the_number_asked_for(models):
    asked = models["a number"]
    path = asked.path_
    alive = np.flatnonzero(path.n_clusters == 7)
    ax = plot.staircase(asked)
    if len(alive):
        np.testing.assert_allclose(
            span(ax), (path.gammas[alive[0]], path.gammas[alive[-1] + 1])
        )
    one = models["one cluster"]
    start, end = span(plot.staircase(one))
    assert start == one.path_.gammas[-1]
    assert np.isfinite(end)


def test_a_number_between_two_levels_has_a_line(blobs, model):
    visited = {n for path in model.paths_.values() for n in path.n_clusters}
    skipped = max(set(range(2, 34)) - visited)
    between = fitted(blobs[0], n_clusters=skipped, selection="persistence")
    ax = plot.staircase(between)
    assert not ax.patches
    assert any(list(one.get_xdata()) == [between.gamma_] * 2 for one in ax.lines)
    check_tree(between)


def test_an_interrupted_path_says_so(models, model):
    def told(which):
        return [text.get_text() for text in plot.staircase(which).get_legend().get_texts()]

    assert any("interrupted" in one for one in told(models["a few levels"]))
    assert not any("interrupted" in one for one in told(model))


def check_tree(model):
    """Nodes of one cluster are those below one center, by the centroids' own merges."""
    clusters, n = clusters_of_nodes(model), len(model.path_.start)
    above = clusters[n:][n - model.n_clusters_ :]
    assert (above == -1).all()
    assert (clusters[: len(clusters) - len(above)] >= 0).all()
    assert set(clusters[:n]) == set(range(model.n_clusters_))
    for i, merge in enumerate(model.path_.merges[: n - model.n_clusters_]):
        assert clusters[merge.first] == clusters[merge.second] == clusters[n + i]
    for level in model.path_.levels:
        if level.gamma == model.gamma_ and level.n_clusters == model.n_clusters_:
            here = clusters[level.nodes]
            # The means of a mixture were released: for long clusters, the nearest mean is not
            # always that of the level's own cluster.
            if not np.isnan(model.selection_[0].likelihood):
                continue
            apart = cdist(level.centroids, model.cluster_centers_)
            np.testing.assert_array_equal(apart.argmin(axis=1), here)
            if model.representatives_ is None:  # else the centers settled on all rows
                np.testing.assert_allclose(model.cluster_centers_[here], level.centroids)


@pytest.mark.parametrize("edge", EDGES)
def test_branches_belong_to_the_clusters(edge, models):
    check_tree(models[edge])


def test_the_dendrogram_crosses_its_cut_once_a_cluster(model):
    ax = plot.dendrogram(model, leaves=1000)
    segments = [
        segment
        for collection in ax.collections
        if isinstance(collection, LineCollection)
        for segment in collection.get_segments()
    ]
    assert len(segments) == 3 * len(model.linkage_)
    upright = np.array([sorted(s[:, 1]) for s in segments if s[0, 0] == s[1, 0]])
    crossed = (upright[:, 0] <= model.gamma_) & (model.gamma_ < upright[:, 1])
    assert crossed.sum() == model.n_clusters_
    heights = sorted(s[0, 1] for s in segments if s[0, 0] != s[1, 0])
    np.testing.assert_allclose(heights, np.sort(model.linkage_[:, 2]))
    assert any(list(one.get_ydata()) == [model.gamma_] * 2 for one in ax.lines)
    ticks = {one.get_text().strip() for one in ax.get_xticklabels()}
    assert ticks == {str(label) for label in range(model.n_clusters_)}


def test_dendrograms_of_many_centroids_are_cut_short(model, models):
    ax = plot.dendrogram(model, leaves=12)
    assert ax.get_xlim() == (0.0, 120.0)
    assert "last 11 merges of 34" in ax.get_xlabel()
    assert plot.dendrogram(models["100 clusters"], leaves=12).get_xlim() == (0.0, 1000.0)


def test_2000_leaves_in_a_chain_are_drawn(models):
    """scipy's layout calls itself once a merge: 2,000 of them are deeper than Python goes."""
    n, deep = 2000, copy(models["one cluster"])
    pairs = [(0, 1), *((i, n + i - 2) for i in range(2, n))]
    merges = [Merge(1.0 + i, *pair, 1.0, (1, i + 1)) for i, pair in enumerate(pairs)]
    last = replace(deep.path_.levels[-1], nodes=np.array([2 * n - 2]))
    deep.path_ = Path(np.zeros((n, 3)), [last], Tree(n, merges))
    deep.linkage_ = linkage_matrix(merges)
    with pytest.raises(RecursionError):
        scipy_dendrogram(deep.linkage_, no_plot=True)
    ax = plot.dendrogram(deep, leaves=n)
    assert ax.get_xlim() == (0.0, 3000.0)
    assert "last 299 merges of 2,000" in ax.get_xlabel()


def test_centroids_end_in_their_centers(model):
    ax = plot.centroid_path(model)
    (coloured,) = [
        one
        for one in ax.collections
        if isinstance(one, LineCollection) and one.get_label() != "beyond the cut"
    ]
    ends = {tuple(segment[1].round(9)) for segment in coloured.get_segments()}
    assert {tuple(center.round(9)) for center in model.cluster_centers_} <= ends
    (discs,) = [one for one in ax.collections if one.get_label() == "center"]
    np.testing.assert_allclose(discs.get_offsets(), model.cluster_centers_)
    first = model.path_.levels[0].centroids
    (circles,) = [one for one in ax.lines if one.get_label() == "gamma = 0"]
    np.testing.assert_allclose(np.column_stack(circles.get_data()), first)


def is_dropped(path, node, following):
    """Whether a centroid, or what it fused into on the way, is dropped before a level."""
    n, gone = len(path.start), {one.node for one in path.dropped}
    while node not in following.nodes:
        if node in gone:
            return True
        node = next(n + i for i, m in enumerate(path.merges) if node in (m.first, m.second))
    return False


def test_centroids_go_on_until_they_are_dropped(models):
    """To the next level, by one segment; one that is dropped there goes nowhere."""
    n_dropped = 0
    for edge in ("a number", "gammas", "100 clusters"):
        path, lines = models[edge].path_, plot.centroid_path(models[edge]).collections
        segments = [x for some in lines[:2] for x in some.get_segments()]
        starts = {tuple(one[0].round(9)) for one in segments}
        for level, following in pairwise(path.levels):
            for node, place in zip(level.nodes, level.centroids, strict=True):
                dropped = is_dropped(path, node, following)
                n_dropped += dropped
                assert (tuple(place.round(9)) in starts) != dropped
    assert n_dropped


def test_the_map_is_the_memberships_sorted(model):
    ax = plot.membership_map(model)
    (image,) = ax.images
    shown = np.asarray(image.get_array())
    labels = shown.argmax(axis=1)
    assert (np.diff(labels) >= 0).all()
    for label in range(model.n_clusters_):
        assert (np.diff(shown[labels == label, label]) <= 0).all()
    np.testing.assert_array_equal(
        np.sort(shown.max(axis=1)), np.sort(model.memberships_.max(axis=1))
    )
    assert ax.get_ylabel().startswith("300 rows")


def test_rows_wear_the_mixture_of_their_clusters(model):
    colours = fastcaf.display.colours.cluster_colours(model.n_clusters_)
    palette = [mpl.colors.to_rgb(one) for one in colours]
    points, discs = plot.scatter(model).collections
    np.testing.assert_allclose(points.get_offsets(), shown_rows(model, None, 1000).places)
    wanted = [np.average(palette, axis=0, weights=row) for row in model.memberships_]
    np.testing.assert_allclose(points.get_facecolors()[:, :3], wanted, atol=1e-6)
    np.testing.assert_allclose(discs.get_offsets(), model.cluster_means_)


def test_one_feature_is_drawn_against_membership_and_gamma(models):
    model = models["one feature"]
    points = plot.scatter(model).collections[0].get_offsets()
    np.testing.assert_allclose(points[:, 1], model.memberships_.max(axis=1))
    ax = plot.centroid_path(model)
    (discs,) = [one for one in ax.collections if one.get_label() == "center"]
    np.testing.assert_allclose(discs.get_offsets()[:, 1], model.gamma_)
    np.testing.assert_allclose(discs.get_offsets()[:, 0], model.cluster_centers_[:, 0])


@pytest.mark.parametrize("edge", ["weights", "a number", "100 clusters"])
def test_bars_are_the_sizes_largest_first(edge, models):
    model = models[edge]
    ax = plot.cluster_sizes(model)
    sizes, sure = ([bar.get_height() for bar in group] for group in ax.containers)
    counts = np.bincount(model.labels_, minlength=model.n_clusters_)
    order = np.argsort(-counts, kind="stable")[:40]
    np.testing.assert_array_equal(sizes, counts[order])
    np.testing.assert_allclose(sure, counts[order] * model.cluster_confidences_[order])
    rest = counts.sum() - np.sum(sizes)
    assert (f"{rest:,} rows in all" in ax.get_xlabel()) == (model.n_clusters_ > 40)


def test_levels_that_did_not_settle_are_marked(model, models):
    for one in (model, models["unsettled"]):
        ax = plot.convergence(one)
        gammas, levels = one.path_.gammas, one.path_.levels
        failed = np.array([not level.converged for level in levels])
        crosses = [line for line in ax.lines if line.get_marker() == "X"]
        marked = crosses[0].get_xdata() if crosses else []
        np.testing.assert_array_equal(marked, gammas[failed])
        (dots,) = [line for line in ax.lines if line.get_marker() == "o"]
        passes = np.array([level.n_iter for level in levels])
        np.testing.assert_array_equal(dots.get_ydata(), passes[~failed])
    assert failed.any()


def test_the_overview_is_drawn_on_the_given_figure(model):
    figure = Figure(layout="constrained")
    assert plot.overview(model, figure=figure) is figure
    assert figure.get_suptitle().startswith("300 rows, 2 features: 5 clusters")
    part = Figure(layout="constrained").subfigures(1, 2)[0]
    assert plot.overview(model, figure=part) is part
    drawn(part.figure)


def test_the_overview_tells_what_is_doubtful(models):
    doubtful = models["names"]
    assert doubtful.doubts_
    title = " ".join(plot.overview(doubtful).get_suptitle().split())
    for doubt in doubtful.doubts_:
        assert " ".join(doubt.split()) in title


# Clusters with covariances, and paths of merges


def ellipses(ax):
    return [one for one in ax.patches if isinstance(one, Ellipse)]


def spread_of(ellipse):
    """The covariance that an ellipse of two deviations shows."""
    turn = np.radians(ellipse.angle)
    along = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return along @ np.diag([(ellipse.width / 4) ** 2, (ellipse.height / 4) ** 2]) @ along.T


class Known:
    """A model of one cluster with a known covariance."""

    cluster_centers_ = np.array([[1.0, 2.0]])
    covariances_ = np.array([[[5.0, 4.0], [4.0, 5.0]]])


def test_the_ellipse_of_a_known_covariance(ax):
    """Variances 9 along the diagonal and 1 across."""
    draw_ellipses(ax, Known(), Projection(np.zeros(2), np.eye(2), ("", "")), ["#0072B2"])
    (one,) = ellipses(ax)
    assert one.get_center() == (1.0, 2.0)
    assert (one.width, one.height) == pytest.approx((2 * 2 * 3.0, 2 * 2 * 1.0))
    assert one.angle % 180.0 == pytest.approx(45.0)


def test_ellipses_are_the_covariances_of_the_clusters(merged, models):
    drawn_ones = ellipses(plot.scatter(merged))
    assert len(drawn_ones) == merged.n_clusters_
    for one, center, covariance in zip(
        drawn_ones, merged.cluster_centers_, merged.covariances_, strict=True
    ):
        np.testing.assert_allclose(one.get_center(), center)
        np.testing.assert_allclose(spread_of(one), covariance, rtol=1e-9)
    round_ones = models["spherical"]
    for one, variance in zip(
        ellipses(plot.scatter(round_ones)), round_ones.covariances_, strict=True
    ):
        assert (one.width, one.height) == pytest.approx((4 * variance**0.5,) * 2)


def test_ellipses_are_projected_with_the_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 4)) * [4.0, 0.4, 1.0, 0.3]
    X[200:, 1:3] += [9.0, 4.0]
    found = fitted(X)
    assert found.covariances_.ndim == 3
    axes = project_on(X).axes
    drawn_ones = ellipses(plot.scatter(found))
    for one, covariance in zip(drawn_ones, found.covariances_, strict=True):
        np.testing.assert_allclose(spread_of(one), axes @ covariance @ axes.T, rtol=1e-6)


def test_there_are_no_ellipses_without_covariances_or_in_one_feature(models):
    assert not ellipses(plot.scatter(models["fcm"]))
    assert not ellipses(plot.scatter(models["one feature"]))


def test_paths_of_merges_have_an_axis_of_losses(merged, model):
    lost = "likelihood lost by merging (nats)"
    assert plot.staircase(merged).get_xlabel() == lost
    assert plot.convergence(merged).get_xlabel() == lost
    assert plot.dendrogram(merged).get_ylabel() == lost
    for ax in (plot.staircase(model), plot.convergence(model)):
        assert ax.get_xlabel().startswith("gamma")
    assert plot.dendrogram(model).get_ylabel().startswith("gamma")


def test_merges_that_cost_nothing_are_seen(merged):
    """Several levels have a loss of 0: their step is beside the frame, not in it."""
    flat = copy(merged)
    first, last = merged.path_.levels[0], merged.path_.levels[-1]
    middle = [replace(one, gamma=0.0) for one in merged.path_.levels[1:-1]]
    flat.path_ = replace(merged.path_, levels=[first, *middle, last])
    flat.paths_ = merged.paths_ | {merged.membership_: flat.path_}
    flat.gamma_ = 0.0
    ax = plot.staircase(flat)
    assert ax.get_xlim()[0] < 0.0
    np.testing.assert_allclose(span(ax), (0.0, last.gamma))
    for name in ON_AXES:
        drawn(getattr(plot, name)(flat).figure)


def test_losses_that_are_rounding_take_no_room(ax):
    gamma_axis(ax.xaxis, np.array([0.0, 1e-300, 1e-14, 3.0, 700.0]))
    drawn(ax.figure)
    places = ax.transData.transform([(0.0, 1.0), (3.0, 1.0), (700.0, 1.0)])[:, 0]
    assert places[2] - places[1] > 0.1 * (places[2] - places[0])


def test_levels_between_merges_do_not_count_as_failed(merged):
    ax = plot.convergence(merged)
    assert not [line for line in ax.lines if line.get_marker() == "X"]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"{len(merged.path_.levels)} levels, a few steps each" in texts
