"""How large the clusters are, and how much of each is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fastcaf.display.colours import cluster_colours
from fastcaf.display.plot.canvas import SMALL, axes_on
from fastcaf.display.plot.marks import in_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cluster_sizes"]

MOST_BARS = 40
FEW = 16  # bars that have room for their confidence in figures


def cluster_sizes(model: Any, *, ax: Axes | None = None) -> Axes:
    """Rows of every cluster, the largest first.

    The dark part of a bar is the cluster's confidence, the mean membership of its own mass:
    dark to the top where it shares with no other.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model, "cluster_centers_")
    ax = axes_on(ax)
    n = model.n_clusters_
    sizes = np.bincount(model.labels_[model.labels_ >= 0], minlength=n)
    order = np.argsort(-sizes, kind="stable")[:MOST_BARS]
    heights, sure = sizes[order], model.cluster_confidences_[order]
    colours = [cluster_colours(n)[label] for label in order]
    places = np.arange(len(order))
    ax.bar(places, heights, color=colours, alpha=0.35, edgecolor="black", linewidth=0.5)
    ax.bar(places, heights * sure, color=colours)
    if len(order) <= FEW:
        for x, height, share in zip(places, heights, sure, strict=True):
            ax.annotate(
                f"{height:,}\n{share:.2f}",
                (x, height),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=SMALL,
            )
        ax.margins(y=0.15)
    spare = max(3 - len(order), 0) / 2.0  # one bar need not fill the plot
    ax.set_xlim(-0.6 - spare, len(order) - 0.4 + spare)
    in_rows(ax, places.astype(float).tolist(), [str(label) for label in order])
    rest = n - len(order)
    more = f"; {rest} more, of {sizes.sum() - heights.sum():,} rows in all" if rest else ""
    ax.set_xlabel(f"cluster, largest first{more}")
    figure = ", lower figure" if len(order) <= FEW else ""
    ax.set_ylabel(f"rows (dark part{figure}: confidence)")
    return ax
