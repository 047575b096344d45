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
from sklearn.datasets import make_blobs, make_moons

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
    """Three shapes for which the answer should not be trusted."""
    rng = np.random.default_rng(1)
    stripes = np.concatenate(
        [rng.normal([0, 3.0 * k], [3.2, 0.35], (250, 2)) for k in range(3)]
    )
    moons, _ = make_moons(500, noise=0.07, random_state=0)
    pairs = np.array([[0, 0], [2.6, 0], [14, 2], [16.6, 2], [7, 11], [9.6, 11]])
    nested, _ = make_blobs(600, centers=pairs, cluster_std=0.5, random_state=0)
    figure, axes = row_of_axes(3, 10.0, 3.0)
    sets = {"three stripes": stripes, "two moons": moons, "pairs of clusters": nested}
    for ax, (name, rows) in zip(axes, sets.items(), strict=True):
        model = CAFHFCM(random_state=0).fit(rows)
        coloured(ax, rows, model.labels_)
        second = model.selection_[1].n_clusters
        warned = ", warned" if model.doubts_ else ""
        plain(ax, f"{name}: {model.n_clusters_} found{warned}\n(second choice: {second})")
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


PICTURES = [fusing, staircase, memberships, failures, representatives]


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
