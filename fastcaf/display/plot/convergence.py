"""Did it converge?  How many passes over the rows every level took, and which ran out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastcaf.display.colours import ACCENT, GREY
from fastcaf.display.plot.canvas import BLUE, FAINT, SMALL, axes_on, followed, whole_numbers
from fastcaf.display.plot.gammas import gamma_axis, reported_interval
from fastcaf.display.words import axis_words, by_loss
from fastcaf.fusion.level import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["convergence"]


def convergence(model: Any, *, ax: Axes | None = None) -> Axes:
    """Passes over the rows at every level of the reported path.

    A level is settled when the objective changes by less than ``tol``; crosses are levels
    that were not within ``max_iter`` passes.  Many passes are no fault: they lie where
    centroids fuse.  A level that drops centroids settles once more, with ``max_iter`` anew.
    Between merges of components there are a few steps only: none of those levels is marked.

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
    followed(model)
    ax = axes_on(ax)
    path, limit = model.path_, model.max_iter
    gammas, settled = path.gammas, _settled(path)
    passes = np.array([level.n_iter for level in path.levels])
    last = gamma_axis(ax.xaxis, gammas, before=by_loss(path))
    start, end = reported_interval(model)
    if end > start:
        ax.axvspan(start, min(end, last), color=ACCENT, alpha=0.12, lw=0, label="reported")
    ax.plot(gammas, passes, "-", color=FAINT, lw=0.8, zorder=1)
    ax.plot(
        gammas[settled], passes[settled], "o", color=BLUE, ms=4, label=_counted(path, "settled")
    )
    if not settled.all():
        ax.plot(
            gammas[~settled],
            passes[~settled],
            "X",
            color=ACCENT,
            mec="black",
            ms=8,
            label=f"not settled: {np.count_nonzero(~settled)}",
        )
    ax.axhline(limit, color=GREY, lw=1.0, ls="--", label=f"max_iter = {limit}")
    for name, other in model.paths_.items():
        if name != model.membership_:
            ax.plot(
                [], [], " ", label=_counted(other, f"settled on the {name} path, not shown")
            )
    whole_numbers(ax, 0.8, 12.0 * max(limit, int(passes.max())))  # the legend is on top
    ax.set_xlabel(axis_words(path))
    ax.set_ylabel("passes over the rows")
    ax.legend(loc="upper right", fontsize=SMALL, frameon=False)
    return ax


def _settled(path: Path) -> Any:
    """Which levels settled; between two merges none is meant to, and none counts as failed."""
    if by_loss(path):
        return np.ones(len(path.levels), dtype=bool)
    return np.array([level.converged for level in path.levels])


def _counted(path: Path, ending: str) -> str:
    """As in "48 of 50 levels settled"."""
    if by_loss(path):
        return f"{len(path.levels)} levels, {ending.replace('settled', 'a few steps each')}"
    return f"{np.count_nonzero(_settled(path))} of {len(path.levels)} levels {ending}"
