"""What a method says about a set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Answer:
    """Labels (-1: noise), the number of clusters, and whether it warned of no structure.

    ``seconds`` is given where work was shared with another method: what it takes alone.
    """

    labels: np.ndarray
    n_clusters: int
    warned: bool = False
    note: str = ""
    seconds: float | None = None


def nothing() -> None:
    """The check of methods that can always run."""


@dataclass(frozen=True)
class Method:
    """A name and what it does with rows and a seed.

    ``structureless_seeds``: on how many draws of structureless data it is tried; 0 for sweeps
    from k = 2, which cannot say 1, few where it is slow.  ``structureless_rows``: the largest
    of these sets that it is tried on.
    ``told``: a yardstick, which is given the true number as well; only its ARI counts.
    ``package``: whose version the results name.
    ``check`` raises ImportError, TypeError or ValueError where the method cannot run here.
    """

    name: str
    run: Callable[..., Answer]
    is_ours: bool = False
    structureless_seeds: int = 20
    structureless_rows: int = 30_000
    told: bool = False
    package: str = "scikit-learn"
    check: Callable[[], object] = nothing

    def answer(self, X: np.ndarray, seed: int, n_clusters: int) -> Answer:
        """Its answer; the true number goes to yardsticks only."""
        return self.run(X, seed, n_clusters) if self.told else self.run(X, seed)


def counted(labels: np.ndarray) -> int:
    """Number of clusters of labels, noise aside."""
    return len(set(np.unique(labels)) - {-1})
