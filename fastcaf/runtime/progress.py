"""Progress of long work: a bar on a terminal, or lines of the standard library's logging."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

__all__ = ["LevelBar", "report_start", "reporting"]

logger = logging.getLogger("fastcaf")

Report = Callable[[Any], None]  # takes a ``Level``


@contextmanager
def reporting(verbose: int, in_user_units: Callable[[Any], Any]) -> Iterator[Report]:
    """A function that shows each level, in the user's units, if ``verbose`` is positive.

    With 1 it is a bar where somebody watches and tqdm is installed: on a terminal, and in a
    notebook.  Otherwise, and with 2, lines go to the logger "fastcaf"; if nobody has set one
    up, to the standard error.
    """
    if verbose <= 0:
        yield lambda level: None
    elif verbose == 1 and _is_watched() and find_spec("tqdm") is not None:
        bar = LevelBar()
        try:
            yield lambda level: bar(in_user_units(level))
        finally:
            bar.close()
    else:
        with _heard():
            yield lambda level: _log(in_user_units(level))


class LevelBar:
    """A bar for each path.

    How many levels there will be is not known, but that clusters fall from K to one: the bar
    is at log(K / clusters) of log(K).
    """

    def __init__(self) -> None:
        from tqdm import tqdm

        self.levels = 0
        # The first level is the longest: many centroids settle from their start.
        waiting = "fuzzy c-means of the first level ..."
        self._bar: Any = tqdm(desc=waiting, file=sys.stderr, bar_format="{desc}", leave=False)

    def __call__(self, level: Any) -> None:
        """Show a level; gamma = 0 begins a path."""
        from tqdm import tqdm

        if self._bar is None or self.levels == 0 or level.gamma == 0.0:
            self.close()
            self.levels = 0
            self._bar = tqdm(
                desc=level.model.name,
                total=math.log(max(level.n_clusters, 2)),
                file=sys.stderr,
                bar_format="{desc} |{bar}| {elapsed}",
                miniters=0,  # levels without a fusion count, too
            )
        self.levels += 1
        bar = self._bar
        left = f"{level.n_clusters} cluster{'s' if level.n_clusters > 1 else ''} left"
        bar.set_description_str(
            f"{level.model.name}: level {self.levels}, gamma {level.gamma:.4g}, {left}",
            refresh=False,
        )
        bar.update(bar.total - math.log(level.n_clusters) - bar.n)
        if level.n_clusters == 1:
            self.close()

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self._bar is not None:
            self._bar.refresh()
            self._bar.close()
            self._bar = None


def _is_watched() -> bool:
    """Whether the standard error is a terminal, or the cell of a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _log(level: Any) -> None:
    logger.info(
        "%s: gamma %-11.5g %4d clusters, objective %.6g, %d passes over the rows%s",
        level.model.name,
        level.gamma,
        level.n_clusters,
        level.objective,
        level.n_iter,
        "" if level.converged else " (not settled)",
    )


def report_start(verbose: int, objective: float, n_iter: int, converged: bool) -> None:
    """Log how one start of fuzzy c-means ended, if ``verbose`` is positive."""
    if verbose <= 0:
        return
    with _heard():
        logger.info(
            "objective %.6g after %d passes over the rows%s",
            objective,
            n_iter,
            "" if converged else " (not settled)",
        )


@contextmanager
def _heard() -> Iterator[None]:
    """Make sure that what is logged is seen, and leave logging as it was."""
    handler, level = logging.StreamHandler(), logger.level
    alone = not logger.hasHandlers()
    if alone:
        logger.addHandler(handler)
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        if alone:
            logger.removeHandler(handler)
