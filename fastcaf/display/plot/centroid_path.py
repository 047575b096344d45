"""The way of the centroids over the data as gamma grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.display.colours import GREY, cluster_colours
from fastcaf.display.plot.branches import ABOVE, clusters_of_nodes
from fastcaf.display.plot.canvas import FAINT, SMALL, axes_on, followed
from fastcaf.display.plot.gammas import gamma_axis
from fastcaf.display.plot.marks import equal_scales, number_clusters
from fastcaf.display.plot.rows import shown_rows
from fastcaf.display.projection import Projection, project_on
from fastcaf.display.reported import reported_cut
from fastcaf.display.words import axis_words, by_loss
from fastcaf.fusion.level import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["centroid_path"]

MOST_ROWS = 5_000
LEGEND_ROOM = 0.17  # of the upright axis
MANY = 60  # centroids, above which lines are thin


def centroid_path(model: Any, X: Any = None, *, ax: Axes | None = None) -> Axes:
    """The centroids from gamma = 0 to where they fuse, over the rows.

    Lines have the colour of the cluster that a centroid ends in; grey ones lie beyond the
    reported level.  More than two features are shown on their principal axes, and a single
    one against gamma.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), optional
        Rows to draw; by default those of the fit.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    followed(model)
    ax = axes_on(ax)
    rows = shown_rows(model, X, MOST_ROWS)
    project = project_on(rows.places, rows.names)
    one_feature = rows.places.shape[1] == 1
    background = project(rows.places)
    ax.plot(
        *background.T,
        "|" if one_feature else ".",
        color=FAINT,
        ms=8 if one_feature else 3,
        alpha=0.6,
        zorder=1,
        rasterized=len(background) > 1000,
        label=rows.description,
    )
    _lines(ax, model, project, one_feature)
    centers = project(model.cluster_centers_)
    if one_feature:
        centers[:, 1] = model.gamma_
        lost = by_loss(model.path_)
        gamma_axis(ax.yaxis, model.path_.gammas, LEGEND_ROOM, before=lost)
        ax.set_ylabel(axis_words(model.path_))
    else:
        equal_scales(ax, background)
        ax.set_ylabel(project.names[1])
    number_clusters(ax, centers, cluster_colours(model.n_clusters_))
    ax.set_xlabel(project.names[0])
    _legend(ax, one_feature)
    return ax


def _legend(ax: Axes, one_feature: bool) -> None:
    """In a strip above what is drawn."""
    if not one_feature:
        lowest, highest = ax.get_ylim()
        above = lowest + (highest - lowest) / (1.0 - LEGEND_ROOM)
        # Limits would be fixed then, and equal scales leave none of them as they are.
        ax.update_datalim([(float(np.mean(ax.get_xlim())), above)])
        ax.autoscale_view()
    ax.legend(loc="upper center", ncols=3, fontsize=SMALL, frameon=False)


def _lines(ax: Axes, model: Any, project: Projection, one_feature: bool) -> None:
    from matplotlib.collections import LineCollection

    path, clusters = model.path_, clusters_of_nodes(model)
    cut = reported_cut(model).n_clusters
    colours = np.array([*cluster_colours(model.n_clusters_), GREY])
    thin = 0.6 if len(path.start) > MANY else 1.0
    places = [project(level.centroids) for level in path.levels]
    if one_feature:
        for level, there in zip(path.levels, places, strict=True):
            there[:, 1] = level.gamma
    first = "before merging" if by_loss(path) else "gamma = 0"
    ax.plot(*places[0].T, "o", mfc="none", mec=GREY, ms=3, label=first)
    for beyond in (True, False):
        segments: list[FloatArray] = []
        paints: list[NDArray[np.intp]] = []
        for i, (before, after) in enumerate(_steps(path)):
            level = path.levels[i + 1]
            reached = clusters[level.nodes[after]]
            # Several merges may cost nothing: their levels have one loss, and other numbers.
            later = (level.gamma, -level.n_clusters) > (model.gamma_, -cut)
            if later == beyond:
                segments.append(np.stack([places[i][before], places[i + 1][after]], axis=1))
                paints.append(np.full(len(after), ABOVE) if beyond else reached)
        if not segments:
            continue
        ax.add_collection(
            LineCollection(
                list(np.concatenate(segments)),
                colors=colours[np.concatenate(paints)].tolist(),
                linewidths=(0.7 if beyond else 1.4) * thin,
                linestyles=":" if beyond else "-",
                zorder=2 if beyond else 3,
                label="beyond the cut" if beyond else None,
            )
        )
    if path.dropped:
        dropped = project(np.array([one.centroid for one in path.dropped]))
        if one_feature:
            dropped[:, 1] = [one.gamma for one in path.dropped]
        ax.plot(*dropped.T, "x", color="black", ms=4, mew=0.8, zorder=4, label="dropped")


def _steps(path: Path) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """For every two neighbouring levels, which centroid of the first becomes which.

    Centroids that are dropped go nowhere: their neighbours do not move.
    """
    steps = []
    for level, following in zip(path.levels, path.levels[1:], strict=False):
        ancestors = path.tree.ancestor_at(following.n_clusters, dropped=False)
        index = np.empty(len(ancestors), dtype=np.intp)
        index[following.nodes] = np.arange(following.n_clusters)
        kept = np.flatnonzero(ancestors[level.nodes] >= 0)
        steps.append((kept, index[ancestors[level.nodes[kept]]]))
    return steps
