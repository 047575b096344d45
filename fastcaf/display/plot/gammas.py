"""The axis of gamma, or of losses: logarithmic, with a place for 0, where paths begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.display.words import by_loss

if TYPE_CHECKING:
    from matplotlib.axis import Axis

__all__ = ["gamma_axis", "reported_interval"]

# Decades of the axis that the stretch from 0 to the first power of ten takes.
FIRST_STRETCH = 0.45
WIDEST = 1e9  # largest over smallest with a logarithm: losses may be rounding alone


def gamma_axis(
    axis: Axis, gammas: FloatArray, room: float = 0.05, *, before: bool = False
) -> float:
    """Make an axis one of gamma: logarithmic, but linear next to 0.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        ``ax.xaxis`` or ``ax.yaxis``.
    gammas : ndarray
        Those that the axis has to show.
    room : float
        Share of the axis that stays free beyond them.
    before : bool
        Leave some room before 0 too: for steps there, which the frame would hide.

    Returns
    -------
    float
        The largest gamma of the axis.
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter, SymmetricalLogLocator

    positive = gammas[(gammas > 0.0) & np.isfinite(gammas)]
    along_x = axis.axis_name == "x"  # type: ignore[attr-defined]
    limit = axis.axes.set_xlim if along_x else axis.axes.set_ylim
    if not len(positive):
        limit(-0.03 * before, 1.0)
        return 1.0
    # A power of ten, so that no tick falls between 0 and where the logarithm begins.
    least = max(positive.min(), positive.max() / WIDEST)
    first = float(10.0 ** np.floor(np.log10(least)))
    shown = FIRST_STRETCH + float(np.log10(positive.max() / first))
    last = float(positive.max() * 10.0 ** (shown * room / (1.0 - room)))
    set_scale = axis.axes.set_xscale if along_x else axis.axes.set_yscale
    set_scale("symlog", linthresh=first, linscale=FIRST_STRETCH)
    near = last < 100.0 * first  # few powers of ten: name 2 and 5 as well
    subs = [1.0, 2.0, 5.0] if near else [1.0]
    axis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=first, subs=subs))
    axis.set_minor_locator(
        SymmetricalLogLocator(base=10, linthresh=first, subs=np.arange(2.0, 10.0).tolist())
    )
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
    limit(-0.1 * first * before, last)
    return last


def reported_interval(model: Any) -> tuple[float, float]:
    """The gammas between which the path has the reported number of clusters.

    Infinite at the end for one cluster; two equal numbers where the path skips the reported
    number, because several merges happened at one gamma.
    """
    path, n = model.path_, model.n_clusters_
    for one in model.selection_ if not by_loss(path) else ():
        if (one.n_clusters, one.membership) == (n, model.membership_):
            return one.gamma_start, one.gamma_end
    levels = np.flatnonzero(path.n_clusters == n)
    if not len(levels):
        return model.gamma_, model.gamma_
    ends = np.append(path.gammas, np.inf if n == 1 else path.gammas[-1])
    return float(path.gammas[levels[0]]), float(ends[levels[-1] + 1])
