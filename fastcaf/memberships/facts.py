"""What a membership model may learn of the rows before a path begins."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowFacts", "count_varying"]


class RowFacts(Protocol):
    """Facts about the rows that count; ``data/training_data.py`` has them."""

    @property
    def n_copies(self) -> float:
        """How many rows there are, where one of weight 2 is the row twice."""

    @property
    def n_varying(self) -> int:
        """Features that tell rows apart."""

    @property
    def total_variance(self) -> float:
        """Mean squared distance of the rows to their mean, in internal coordinates."""

    @property
    def scale(self) -> float:
        """A length in the user's units is so many times the internal one."""


def count_varying(extent: NDArray) -> int:
    """Features that vary, given the extent of every column; 1 at least.

    What is constant, or varies less than the rounding of the largest, does not count.
    """
    least = 64 * np.finfo(extent.dtype).eps * extent.max()
    return max(1, int((extent > least).sum()))
