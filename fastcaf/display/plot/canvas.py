"""Where plots are drawn: Matplotlib, which is an extra, without pyplot's global state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["BLUE", "FAINT", "SMALL", "axes_on", "followed", "new_figure", "whole_numbers"]

BLUE = "#0072B2"  # the lines that a plot is about
FAINT = "#B8B8B8"  # lines and rows in the background
SMALL = 8.0  # points, of legends and of numbers within a plot
ONE_PLOT = (6.4, 4.4)  # inches


def new_figure(size: tuple[float, float] = ONE_PLOT) -> Figure:
    """A figure that pyplot does not know of: nothing has to be closed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'Plots need Matplotlib, which is not installed: pip install "fastcaf[plot]"'
        ) from error
    return Figure(figsize=size, layout="constrained")


def axes_on(ax: Axes | None) -> Axes:
    """The given axes, or those of a new figure."""
    return new_figure().subplots() if ax is None else ax


def followed(model: Any) -> None:
    """Check that a model is fitted and left a path."""
    if not hasattr(model, "cut"):
        raise TypeError(
            f"This plot shows the path of a CAFHFCM, and {type(model).__name__} follows none."
        )
    check_is_fitted(model, "path_")


def whole_numbers(ax: Axes, lowest: float, highest: float) -> None:
    """A logarithmic upright axis of counts, named 1, 2, 5, 10 and so on."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax.set_yscale("log")
    ax.set_ylim(lowest, highest)
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
