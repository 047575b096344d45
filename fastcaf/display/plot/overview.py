"""The most useful plots of a fit on one page."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from fastcaf.display.plot.canvas import followed, new_figure
from fastcaf.display.plot.centroid_path import centroid_path
from fastcaf.display.plot.cluster_sizes import cluster_sizes
from fastcaf.display.plot.convergence import convergence
from fastcaf.display.plot.dendrogram import dendrogram
from fastcaf.display.plot.membership_map import membership_map
from fastcaf.display.plot.scatter import scatter
from fastcaf.display.plot.staircase import staircase
from fastcaf.display.report import Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

__all__ = ["overview"]

PAGE = (15.0, 8.6)  # inches
HALF_PAGE = (11.0, 8.0)
TITLE_WIDTH = 130  # characters


def overview(
    model: Any, X: Any = None, *, figure: Figure | SubFigure | None = None
) -> Figure | SubFigure:
    """Rows, staircase, sizes, centroids, tree and memberships of a fit on one page.

    Where the model did not keep its rows and none are given, the plots that need them make
    room for ``convergence``.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), optional
        Rows to draw; by default those of the fit.
    figure : matplotlib Figure or SubFigure, optional
        An empty one to draw on; by default a new one, which pyplot does not know of.

    Returns
    -------
    matplotlib Figure or SubFigure
    """
    followed(model)
    with_rows = X is not None or model._training_rows is not None
    if figure is None:
        figure = new_figure(PAGE if with_rows else HALF_PAGE)
    found = Findings.of(model)
    lines = [found.headline, *([found.shape] if found.shape else [])]
    for doubt in found.doubts:
        lines += wrap(doubt, TITLE_WIDTH)
    figure.suptitle("\n".join(lines), fontsize=11)
    if with_rows:
        grid = figure.subplots(2, 3).ravel()
        scatter(model, X, ax=grid[0])
        centroid_path(model, X, ax=grid[3])
        membership_map(model, X, ax=grid[5])
        rest = [grid[1], grid[4], grid[2]]
    else:
        grid = figure.subplots(2, 2).ravel()
        convergence(model, ax=grid[3])
        rest = [grid[0], grid[1], grid[2]]
    staircase(model, ax=rest[0])
    dendrogram(model, ax=rest[1])
    cluster_sizes(model, ax=rest[2])
    return figure
