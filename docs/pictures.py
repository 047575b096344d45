"""The pictures of the documentation, each from a fit: ``python docs/pictures.py``.

They are committed, so that building the pages needs no fit.  Run it again after a change that
shows in them.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from fastcaf import CAFHFCM
from fastcaf.data.representatives import Cells, CellTree
from fastcaf.data.sources import ArrayRows
from fastcaf.display.colours import cluster_colours

FOLDER = Path(__file__).parent / "pictures"
GREY, BLUE, ORANGE = "#9a9a9a", "#0072B2", "#D55E00"


def example_rows() -> np.ndarray:
    """Five clusters in the plane, of 60 to 240 rows."""
    places = [[0, 0], [5, 0.5], [2.2, 4.2], [8.5, 4.5], [6.5, 8.5]]
    rows, _ = make_blobs(
        [240, 140, 100, 80, 60], centers=np.array(places), cluster_std=0.8, random_state=2
    )
    return rows


def long_rows() -> np.ndarray:
    """Four long clusters in the plane, in different directions."""
    rng = np.random.default_rng(4)
    # place, length, direction in degrees, rows
    clusters = [
        ((0, 0), 3.0, 20, 220),
        ((2.5, 4.5), 2.6, -15, 180),
        ((10.5, 1.5), 2.2, 80, 150),
        ((9, 9.5), 2.4, 35, 150),
    ]
    parts = []
    for place, length, degrees, n in clusters:
        angle = np.deg2rad(degrees)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        parts.append(rng.normal(0, [length, 0.45], (n, 2)) @ turn + place)
    return np.concatenate(parts)


def plain(ax: Axes, title: str = "") -> None:
    """No ticks: the axes of an example mean nothing."""
    ax.set(xticks=[], yticks=[], title=title)
    ax.set_aspect("equal")
    ax.set_frame_on(False)


def row_of_axes(n: int, width: float = 9.0, height: float = 3.0) -> tuple[Figure, list[Axes]]:
    """Some axes side by side."""
    figure, axes = plt.subplots(1, n, figsize=(width, height), layout="constrained")
    return figure, list(np.atleast_1d(axes))


def coloured(ax: Axes, rows: np.ndarray, labels: np.ndarray, size: float = 6.0) -> None:
    """Rows in the colours of their clusters."""
    colours = np.array(cluster_colours(labels.max() + 1))[labels]
    ax.scatter(*rows.T, s=size, c=colours, linewidths=0)


def fusing() -> Figure:
    """Centroids at four gammas of one path."""
    rows = example_rows()
    path = CAFHFCM(membership="fcm", random_state=0).fit(rows).path_
    numbers = path.n_clusters
    chosen = [0]
    chosen += [int(np.flatnonzero(numbers <= at)[0]) for at in (15, 5, 2)]
    figure, axes = row_of_axes(4, 10.0, 2.9)
    for ax, which in zip(axes, chosen, strict=True):
        level = path.levels[which]
        ax.scatter(*rows.T, s=3, c=GREY, linewidths=0)
        ax.scatter(*level.centroids.T, s=26, c=ORANGE, edgecolors="white", linewidths=0.6)
        plain(ax, f"gamma = {level.gamma:.3g}\n{level.n_clusters} centroids")
    return figure


def staircase() -> Figure:
    """Number of clusters against gamma, and the run that was chosen."""
    model = CAFHFCM(membership="fcm", random_state=0).fit(example_rows())
    best = model.selection_[0]
    gammas, numbers = model.path_.gammas[1:], model.path_.n_clusters[1:]
    figure, (ax,) = row_of_axes(1, 7.0, 3.2)
    ax.axvspan(best.gamma_start, best.gamma_end, color=BLUE, alpha=0.12, linewidth=0)
    ax.step(gammas, numbers, where="post", color=BLUE)
    for one in model.selection_[:3]:
        if one.gamma_end < 3.0 * one.gamma_start:
            continue  # no room for the words
        middle = np.sqrt(one.gamma_start * one.gamma_end)
        text = f"{one.n_clusters}: score {one.score:.1f}"
        ax.annotate(text, (middle, one.n_clusters * 1.12), ha="center", fontsize=9)
    ax.set(xscale="log", yscale="log", xlabel="gamma", ylabel="clusters")
    ax.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    ax.minorticks_off()
    return figure


def shapes() -> Figure:
    """Gaussian components at four gammas of one path."""
    rows = long_rows()
    model = CAFHFCM(membership="gaussian", random_state=2).fit(rows)
    path, scale = model.path_, model._coordinates.scale
    numbers, low, high = path.n_clusters, rows.min(axis=0) - 1, rows.max(axis=0) + 1
    chosen = [0]
    chosen += [int(np.flatnonzero(numbers <= at)[0]) for at in (17, model.n_clusters_, 2)]
    figure, axes = row_of_axes(4, 10.0, 2.6)
    for ax, which in zip(axes, chosen, strict=True):
        level = path.levels[which]
        ax.scatter(*rows.T, s=3, c=GREY, linewidths=0)
        for place, matrix in zip(level.centroids, level.model.matrices, strict=True):
            values, axes_of = np.linalg.eigh(matrix * scale**2)
            width, height = 4.0 * np.sqrt(values[::-1])  # two deviations to each side
            angle = np.rad2deg(np.arctan2(*axes_of[::-1, 1]))
            ellipse = Ellipse(place, width, height, angle=angle, fill=False, edgecolor=ORANGE)
            ax.add_patch(ellipse)
        plain(ax, f"gamma = {level.gamma:.3g}\n{level.n_clusters} clusters")
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return figure


def memberships() -> Figure:
    """Where the memberships of one cluster are high, for both kinds."""
    rows = example_rows()
    low, high = rows.min(axis=0) - 1, rows.max(axis=0) + 1
    x, y = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
    places = np.column_stack([x.ravel(), y.ravel()])
    figure, axes = row_of_axes(2, 8.0, 3.6)
    for ax, name in zip(axes, ("fcm", "entropy"), strict=True):
        model = CAFHFCM(5, membership=name, random_state=0).fit(rows)
        largest = model.predict_proba(places).max(axis=1).reshape(x.shape)
        shown = ax.contourf(x, y, largest, levels=np.linspace(0.2, 1, 9), cmap="Blues")
        ax.scatter(*rows.T, s=2, c="black", alpha=0.5, linewidths=0)
        ax.scatter(*model.cluster_centers_.T, s=40, c=ORANGE, edgecolors="white")
        plain(ax, f'membership="{name}"')
    figure.colorbar(shown, ax=axes, label="largest membership", shrink=0.8)
    return figure


def failures() -> Figure:
    """Shapes for which the answer should not be trusted."""
    rings, _ = make_circles(500, noise=0.05, factor=0.5, random_state=30)
    moons, _ = make_moons(500, noise=0.07, random_state=0)
    skewed = np.random.default_rng(0).exponential(size=(600, 2))
    figure, axes = row_of_axes(3, 10.0, 3.3)
    sets = {"two rings": rings, "two moons": moons, "one skewed cloud": skewed}
    for ax, (name, rows) in zip(axes, sets.items(), strict=True):
        model = CAFHFCM(random_state=0).fit(rows)
        coloured(ax, rows, model.labels_)
        second = model.selection_[1].n_clusters
        warned = ", warned" if model.doubts_ else ""
        plain(ax, f"{name}: {model.n_clusters_} found{warned}\n(second choice: {second})")
        ax.set_aspect("equal", adjustable="datalim")
    return figure


def toy_sets() -> dict[str, np.ndarray]:
    """Those of scikit-learn's comparison of clustering methods, with its seeds."""
    n, seed = 500, 30
    aniso, _ = make_blobs(n, random_state=170)
    sets = {
        "noisy circles": make_circles(n, factor=0.5, noise=0.05, random_state=seed)[0],
        "noisy moons": make_moons(n, noise=0.05, random_state=seed)[0],
        "varied": make_blobs(n, cluster_std=[1.0, 2.5, 0.5], random_state=170)[0],
        "aniso": aniso @ [[0.6, -0.6], [-0.4, 0.8]],
        "blobs": make_blobs(n, random_state=seed)[0],
        "no structure": np.random.RandomState(seed).rand(n, 2),
    }
    return {name: StandardScaler().fit_transform(rows) for name, rows in sets.items()}


def by_silhouette(rows: np.ndarray) -> np.ndarray:
    """Labels of k-means with the best silhouette."""
    found = [KMeans(k, n_init=10, random_state=0).fit_predict(rows) for k in range(2, 11)]
    return max(found, key=lambda labels: silhouette_score(rows, labels))


def by_bic(rows: np.ndarray) -> np.ndarray:
    """Labels of the Gaussian mixture with the best BIC."""
    fits = [GaussianMixture(k, n_init=3, random_state=0).fit(rows) for k in range(1, 11)]
    return min(fits, key=lambda fit: fit.bic(rows)).predict(rows)


def gallery() -> Figure:
    """Toy sets, and what four methods make of them without being told a number."""
    methods = {
        "fastcaf": lambda rows: CAFHFCM(random_state=0).fit_predict(rows),
        "KMeans + silhouette": by_silhouette,
        "GaussianMixture + BIC": by_bic,
        "HDBSCAN": lambda rows: HDBSCAN(copy=True).fit_predict(rows),
    }
    sets = toy_sets()
    figure, axes = plt.subplots(
        len(sets), len(methods), figsize=(8.4, 11.4), layout="constrained"
    )
    for row_axes, (name, rows) in zip(axes, sets.items(), strict=True):
        for ax, (method, labels_of) in zip(row_axes, methods.items(), strict=True):
            labels = labels_of(rows)
            noise = labels < 0
            ax.scatter(*rows[noise].T, s=5, c="#c8c8c8", linewidths=0)
            coloured(ax, rows[~noise], labels[~noise], 5.0)
            plain(ax, method if ax in axes[0] else "")
            if ax in axes[:, 0]:
                ax.set_ylabel(name)
            ax.set_xlabel(str(labels.max() + 1), fontsize=11)
    return figure


def representatives() -> Figure:
    """30,000 rows, and what stands for them."""
    rows, _ = make_blobs(30_000, centers=6, cluster_std=1.0, random_state=5)
    tree = CellTree.of(rows[::4], 400, np.random.RandomState(0))
    means, weight, _ = Cells.of(ArrayRows(rows, np.empty(0)), tree).representatives(tree)
    figure, axes = row_of_axes(2, 8.0, 3.4)
    axes[0].scatter(*rows[::3].T, s=1, c=GREY, linewidths=0, alpha=0.4)
    plain(axes[0], f"{len(rows):,} rows")
    axes[1].scatter(*means.T, s=weight / 6, c=BLUE, alpha=0.55, linewidths=0)
    plain(axes[1], f"{len(means)} representatives, by weight")
    return figure


PICTURES = [fusing, shapes, staircase, memberships, failures, gallery, representatives]


def main() -> None:
    """Draw them all."""
    FOLDER.mkdir(exist_ok=True)
    plt.rcParams.update({"font.size": 9, "axes.titlesize": 9, "axes.spines.top": False})
    plt.rcParams["axes.spines.right"] = False
    for draw in PICTURES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some of the examples are doubtful on purpose
            figure = draw()
        figure.savefig(FOLDER / f"{draw.__name__}.png", dpi=110)
        plt.close(figure)


if __name__ == "__main__":
    main()
