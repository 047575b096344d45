"""The number of clusters as gamma grows: the basis of the choice."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcaf.display.colours import ACCENT, GREY
from fastcaf.display.plot.canvas import BLUE, FAINT, SMALL, axes_on, followed, whole_numbers
from fastcaf.display.plot.gammas import gamma_axis, reported_interval
from fastcaf.display.plot.marks import haloed
from fastcaf.display.words import axis_words, by_loss, path_words
from fastcaf.fusion.level import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fastcaf.selection.candidate import Candidate

__all__ = ["staircase"]


def staircase(
    model: Any, *, candidates: int = 5, both: bool = False, ax: Axes | None = None
) -> Axes:
    """Number of clusters against gamma, with the reported plateau shaded.

    Both axes are logarithmic; gamma = 0, where every path begins, has a place at the left.
    Paths of merged components have the likelihood lost by merging in the place of gamma.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    candidates : int, default=5
        How many numbers of clusters to mark, best first.
    both : bool, default=False
        Draw the other paths of the same kind too, where several were followed.  Gamma weighs
        distances against other memberships there: compare lengths, not positions.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    followed(model)
    ax = axes_on(ax)
    name, shown = model.membership_, {model.membership_: model.path_}
    kind = by_loss(model.path_)
    if both:
        shown |= {one: path for one, path in model.paths_.items() if by_loss(path) == kind}
    gammas = np.concatenate([path.gammas for path in shown.values()])
    last = gamma_axis(ax.xaxis, gammas, before=kind)
    own = "its own merges" if kind else "its own gamma"
    others = [one for one in shown if one != name]
    for other, style in zip(others, cycle(("--", ":", "-.")), strict=False):
        _steps(ax, shown[other], color=GREY, lw=1.0, ls=style, label=f"{other}, {own}")
    _steps(ax, model.path_, color=BLUE, lw=2.0, label=path_words(model, name))
    _shade(ax, model, last)
    best = model.selection_[:candidates]
    _mark(ax, [one for one in best if one.membership in shown], shown, model.n_clusters_)
    whole_numbers(ax, 0.85, 1.3 * max(len(path.start) for path in shown.values()))
    ax.grid(axis="y", color=FAINT, lw=0.4, alpha=0.6)
    elsewhere = [str(one.n_clusters) for one in best if one.membership not in shown]
    if elsewhere:
        where = "on the other path" if len(model.paths_) == 2 else "on other paths"
        ax.plot([], [], " ", label=f"{where}: {', '.join(elsewhere)}")
    if model.path_.interrupted:
        ax.plot([], [], " ", label="interrupted: the path ends early")
    ax.set_xlabel(axis_words(model.path_, "gamma, the pull between centroids"))
    ax.set_ylabel("number of clusters")
    # A path that ends early stays high, any other ends low: the opposite corner is free.
    ends_low = model.path_.n_clusters[-1] == 1
    ax.legend(loc="upper right" if ends_low else "lower left", fontsize=SMALL, frameon=False)
    return ax


def _steps(ax: Axes, path: Path, **style: Any) -> None:
    ax.step(path.gammas, path.n_clusters, where="post", **style)


def _shade(ax: Axes, model: Any, last: float) -> None:
    """The reported plateau; a line where the path skips the number."""
    start, end = reported_interval(model)
    label = f"reported: {model.n_clusters_}"
    if end > start:
        ax.axvspan(start, min(end, last), color=ACCENT, alpha=0.18, lw=0, label=label)
    else:
        ax.axvline(model.gamma_, color=ACCENT, lw=1.0, label=label)
    ax.plot(model.gamma_, model.n_clusters_, "D", color=ACCENT, ms=7, zorder=4)


def _mark(ax: Axes, candidates: list[Candidate], paths: dict[str, Path], reported: int) -> None:
    """A ring and the number at the level of each candidate."""
    places = [paths[one.membership].levels[one.level].gamma for one in candidates]
    numbers = [one.n_clusters for one in candidates]
    order = " > ".join(map(str, numbers))
    ax.plot(places, numbers, "o", mfc="white", mec="black", ms=5, label=f"best: {order}")
    for gamma, number in zip(places, numbers, strict=True):
        chosen = number == reported
        haloed(
            ax.annotate(
                str(number),
                (gamma, number),
                xytext=(5, 5),
                textcoords="offset points",
                fontsize=SMALL + 2.0 * chosen,
                fontweight="bold" if chosen else "normal",
                color="black" if chosen else GREY,
            )
        )
