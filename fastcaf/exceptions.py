"""Warnings and errors of the library, each of its own class so that it can be told apart.

Examples
--------
>>> import warnings
>>> from fastcaf import FastcafWarning
>>> with warnings.catch_warnings():
...     warnings.simplefilter("error", FastcafWarning)  # a doubtful fit shall fail
"""

from __future__ import annotations

import sys
import unicodedata
import warnings

from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "BeyondPathWarning",
    "CloseCandidatesWarning",
    "ConvergenceWarning",
    "DegenerateDataWarning",
    "DisconnectedWeightsWarning",
    "EmptyClustersWarning",
    "FastcafWarning",
    "FractionalWeightsWarning",
    "InterruptedFitWarning",
    "KernelCacheWarning",
    "ModelFileError",
    "NoClearStructureWarning",
    "UnstableNumberWarning",
    "UnstoredParameterWarning",
    "printable",
    "warn",
]

# Whose frames are not the user's: scikit-learn wraps methods, and pipelines call them; Numba
# compiles when a kernel is called first.
OURS = {"contextlib", "fastcaf", "numba", "sklearn"}

# Categories of Unicode that a terminal obeys instead of showing them: controls, formats (which
# turn the direction of writing), halves of characters, separators of lines.
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = "\u200c\u200d"  # formats, but parts of words in several scripts

# Categories of Unicode that a terminal obeys instead of showing them: controls, formats (which
# turn the direction of writing), halves of characters, separators of lines.
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = "\u200c\u200d"  # formats, but parts of words in several scripts


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and point at the line of the user's code that led here."""
    level, frame = 2, sys._getframe(1)
    while (
        frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in OURS
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def printable(text: str, keep: str = "") -> str:
    """Text from a file without what a terminal would obey, which is written as its number.

    Parameters
    ----------
    text : str
    keep : str
        Characters that stay.

    Returns
    -------
    str
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        one
        if one in keep or one in JOINERS or unicodedata.category(one) not in OBEYED
        else one.encode("unicode_escape").decode()
        for one in text
    )


class FastcafWarning(UserWarning):
    """Base of the library's own warnings."""


class DegenerateDataWarning(FastcafWarning):
    """The data leave little to cluster: one row, equal rows, or few distinct ones."""


class BeyondPathWarning(FastcafWarning):
    """A number of clusters, or a gamma, that lies beyond the end of the path."""


class DisconnectedWeightsWarning(FastcafWarning):
    """Weights of pairs leave the rows in several parts that nothing draws together."""


class EmptyClustersWarning(FastcafWarning):
    """Fewer clusters than asked for: centroids without rows, or that nearly coincide."""


class NoClearStructureWarning(FastcafWarning):
    """The best number of clusters scores no better than one of structureless data would."""


class CloseCandidatesWarning(FastcafWarning):
    """Another number of clusters scores nearly as well as the reported one."""


class UnstableNumberWarning(FastcafWarning):
    """Other starts lead to other numbers of clusters."""


class FractionalWeightsWarning(FastcafWarning):
    """Row weights add up to far less than the rows: shares, where weights are copies."""


class InterruptedFitWarning(FastcafWarning):
    """A fit was interrupted; the result rests on the levels reached."""


class KernelCacheWarning(FastcafWarning):
    """Compiled kernels cannot be read from the disk, or not be kept there; fits are right."""


class UnstoredParameterWarning(FastcafWarning):
    """A parameter cannot be stored in a model file, and is None there."""


class ModelFileError(ValueError):
    """A model file cannot be read: it is missing, damaged, or of a newer release."""
