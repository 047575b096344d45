"""The tree of merges, cut at the reported level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster import hierarchy

from fastcaf.display.colours import ACCENT, GREY, cluster_colours
from fastcaf.display.plot.branches import ABOVE, clusters_of_nodes
from fastcaf.display.plot.canvas import SMALL, axes_on, followed
from fastcaf.display.plot.gammas import gamma_axis
from fastcaf.display.plot.marks import in_rows
from fastcaf.display.report.findings import count
from fastcaf.display.words import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["dendrogram"]

# Leaves, at the most: scipy's layout calls itself once a level of the tree, and a tree may be
# as deep as it has leaves.
MOST_LEAVES = 300
STYLES = {"fused": "-", "dropped": ":", "beyond": "--"}
MEANINGS = {
    "dropped": "dropped",
    "beyond": "beyond the path",
}
LEGEND_ROOM = 0.12  # of the axis


def dendrogram(model: Any, *, leaves: int = 50, ax: Axes | None = None) -> Axes:
    """The hierarchy of the starting centroids, heights in gamma or in nats lost by merging.

    Branches below the cut have the colours of their clusters and the axis their numbers.
    Dotted legs are centroids that were dropped, not fused; dashed merges lie beyond the end
    of the path and their heights are estimates.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    leaves : int, default=50
        Show the last merges only, with about so many leaves; as many as there are clusters at
        the least, and 300 at the most.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    followed(model)
    ax = axes_on(ax)
    n_leaves = len(model.path_.start)
    shown = min(max(leaves, model.n_clusters_, 2), MOST_LEAVES, n_leaves)
    if n_leaves == 1:
        gamma_axis(ax.yaxis, np.zeros(1))
        ax.set_xlabel("one starting centroid: nothing to merge")
    else:
        _draw(ax, model, shown)
        what = f"last {shown - 1} merges of {n_leaves:,} centroids"
        if shown == n_leaves:
            what = f"{n_leaves:,} starting centroids"
        ax.set_xlabel(f"cluster ({what})")
    reported = count(model.n_clusters_, "cluster")
    ax.axhline(model.gamma_, color=ACCENT, lw=1.2, label=f"cut: {reported}")
    ax.set_ylabel(axis_words(model.path_, "gamma at which centroids merge"))
    ax.legend(loc="upper center", ncols=3, fontsize=SMALL, frameon=False)
    return ax


def _draw(ax: Axes, model: Any, shown: int) -> None:
    from matplotlib.collections import LineCollection

    clusters, n_leaves = clusters_of_nodes(model), len(model.path_.start)
    colours = dict(enumerate(cluster_colours(model.n_clusters_))) | {ABOVE: GREY}
    tree = hierarchy.dendrogram(
        model.linkage_,
        truncate_mode="lastp",
        p=shown,
        no_plot=True,
        link_color_func=str,  # what comes back as a link's colour is the number of its node
    )
    lines: dict[str, list[tuple[Any, str]]] = {kind: [] for kind in STYLES}
    for x, y, name in zip(tree["icoord"], tree["dcoord"], tree["color_list"], strict=True):
        node = int(name)
        merge = model.path_.merges[node - n_leaves]
        points = np.column_stack([x, y])
        kinds = [merge.kind] * 2
        if merge.kind == "dropped":  # the leg of the survivor goes on as it was
            kinds[merge.survivor == merge.second] = "fused"
        for leg, child, kind in zip(
            (points[:2], points[2:]), (merge.first, merge.second), kinds, strict=True
        ):
            lines[kind].append((leg, colours[clusters[child]]))
        lines[merge.kind].append((points[1:3], colours[clusters[node]]))
    for kind, drawn in lines.items():
        if drawn:
            places, paints = zip(*drawn, strict=True)
            ax.add_collection(
                LineCollection(
                    list(places),
                    colors=list(paints),
                    linestyles=STYLES[kind],
                    linewidths=1.2,
                )
            )
            if kind != "fused":
                ax.plot([], [], color=GREY, ls=STYLES[kind], label=MEANINGS[kind])
    heights = np.array(tree["dcoord"])
    gamma_axis(ax.yaxis, np.append(heights.ravel(), model.gamma_), LEGEND_ROOM)
    ax.set_xlim(0.0, 10.0 * len(tree["leaves"]))
    _number(ax, clusters[tree["leaves"]])


def _number(ax: Axes, clusters: Any) -> None:
    """Numbers of the clusters below the middle of their leaves."""
    places = 10.0 * np.arange(len(clusters)) + 5.0
    labels = np.unique(clusters[clusters != ABOVE])
    middles = [float(places[clusters == label].mean()) for label in labels]
    order = np.argsort(middles)
    in_rows(ax, [middles[i] for i in order], [str(labels[i]) for i in order])
