"""Warnings of the library, each of its own class so that it can be filtered."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "ConvergenceWarning",
    "DegenerateDataWarning",
    "FastcafWarning",
    "InterruptedFitWarning",
]


class FastcafWarning(UserWarning):
    """Base of the library's own warnings."""


class DegenerateDataWarning(FastcafWarning):
    """The data leave little to cluster: one row, equal rows, or few distinct ones."""


class InterruptedFitWarning(FastcafWarning):
    """A fit was interrupted; the result rests on the levels reached."""
