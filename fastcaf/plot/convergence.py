"""Did it converge?  How many passes over the rows every level took, and which ran out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastcaf.colours import ACCENT, GREY
from fastcaf.path import Path
from fastcaf.plot.canvas import FAINT, SMALL, axes_on, followed
from fastcaf.plot.gammas import gamma_axis, reported_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["convergence"]

SETTLED = "#0072B2"


def convergence(model: Any, *, ax: Axes | None = None) -> Axes:
    """Passes over the rows at every level of the reported path.

    A level is settled when the objective changes by less than ``tol``; crosses are levels
    that were not within ``max_iter`` passes.  Many passes are no fault: they lie where
    centroids fuse.  A level that drops centroids settles once more, with ``max_iter`` anew.

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
    last = gamma_axis(ax.xaxis, gammas)
    start, end = reported_interval(model)
    if end > start:
        ax.axvspan(start, min(end, last), color=ACCENT, alpha=0.12, lw=0, label="reported")
    ax.plot(gammas, passes, "-", color=FAINT, lw=0.8, zorder=1)
    ax.plot(
        gammas[settled], passes[settled], "o", color=SETTLED, ms=4, label=_told(path, "settled")
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
            ax.plot([], [], " ", label=_told(other, f"settled on the {name} path, not shown"))
    _passes_axis(ax, max(limit, int(passes.max())))
    ax.set_xlabel("gamma")
    ax.set_ylabel("passes over the rows")
    ax.legend(loc="best", fontsize=SMALL, framealpha=0.8)
    return ax


def _settled(path: Path) -> Any:
    return np.array([level.converged for level in path.levels])


def _told(path: Path, ending: str) -> str:
    return f"{np.count_nonzero(_settled(path))} of {len(path.levels)} levels {ending}"


def _passes_axis(ax: Axes, most: int) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax.set_yscale("log")
    ax.set_ylim(0.8, most * 1.6)
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
