"""A labelled set, and the rule that puts it into one of two halves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

NOISE = -1  # the label of rows that belong to no cluster; left out of the ARI
HALVES = ("tune", "report")

Rows = np.ndarray
Maker = Callable[[], tuple[Rows, np.ndarray]]


@dataclass(frozen=True)
class LabelledSet:
    """Rows and their true labels, made when asked for.

    ``half`` is "" for sets that are in neither half (the suite).  ``is_clear`` says that the
    clusters hardly overlap: a warning of "no structure" would be wrong.  ``n_rows`` is 0 where
    it is not known before the set is made.
    """

    name: str
    family: str
    seed: int
    n_clusters: int
    make: Maker
    half: str = ""
    is_clear: bool = False
    n_rows: int = 0


def half_of(seed: int) -> str:
    """Even seeds: constants may be chosen on them.  Odd seeds: what is published."""
    return HALVES[seed % 2]
