"""What a method says about a set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Answer:
    """Labels (-1: noise), the number of clusters, and whether it warned of no structure."""

    labels: np.ndarray
    n_clusters: int
    warned: bool = False
    note: str = ""


@dataclass(frozen=True)
class Method:
    """A name and what it does with rows and a seed.

    ``structureless_seeds``: on how many draws of structureless data it is tried; 0 for sweeps
    from k = 2, which cannot say 1, few where it is slow.
    """

    name: str
    run: Callable[[np.ndarray, int], Answer]
    is_ours: bool = False
    structureless_seeds: int = 20


def counted(labels: np.ndarray) -> int:
    """Number of clusters of labels, noise aside."""
    return len(set(np.unique(labels)) - {-1})
