"""Progress of long work, through the standard library's logging."""

from __future__ import annotations

import logging
from collections.abc import Callable

from fastcaf.frame import Frame
from fastcaf.level import Settled
from fastcaf.path import Level

__all__ = ["level_reporter", "report_start"]

logger = logging.getLogger("fastcaf")


def level_reporter(verbose: int, frame: Frame) -> Callable[[Level], None]:
    """A function that logs each level, in the user's units, if ``verbose`` is positive.

    The lines go to the logger "fastcaf"; if nobody has set one up, to the standard error.
    """
    if verbose <= 0:
        return lambda level: None
    _listen()

    def report(level: Level) -> None:
        level = level.in_units_of(frame)
        logger.info(
            "%s: gamma %-11.5g %4d clusters, objective %.6g, %d passes over the rows%s",
            level.model.name,
            level.gamma,
            level.n_clusters,
            level.objective,
            level.n_iter,
            "" if level.converged else " (not settled)",
        )

    return report


def report_start(verbose: int, settled: Settled, frame: Frame) -> None:
    """Log how one start of fuzzy c-means ended, if ``verbose`` is positive."""
    if verbose > 0:
        _listen()
        logger.info(
            "objective %.6g after %d passes over the rows%s",
            settled.history[-1][0] * frame.objective_unit,
            len(settled.history),
            "" if settled.converged else " (not settled)",
        )


def _listen() -> None:
    """Make sure that what is logged is seen."""
    if not logger.hasHandlers():
        logger.addHandler(logging.StreamHandler())
    if not logger.isEnabledFor(logging.INFO):
        logger.setLevel(logging.INFO)
