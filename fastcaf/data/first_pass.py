"""What a first pass over many rows finds: their number, their coordinates, and a sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.data.coordinates import Coordinates, power_of_two

__all__ = ["FirstPass"]


@dataclass(frozen=True)
class FirstPass:
    """The first look at rows that come in blocks.

    Attributes
    ----------
    n_rows : int
        All of them, those of weight 0 too.
    total_weight : float
    coordinates : Coordinates
    sample : ndarray of shape (m, d)
        Rows drawn without replacement, in proportion to their weights, in random order and
        in internal coordinates.
    extremes : ndarray of shape (2, d)
        Least and largest value of every column, in internal coordinates.
    """

    n_rows: int
    total_weight: float
    coordinates: Coordinates
    sample: NDArray
    extremes: NDArray

    @classmethod
    def of(
        cls, blocks: Iterable[NDArray], weights: FloatArray, m: int, random_state: RandomState
    ) -> FirstPass:
        """Look at all rows once; an empty ``weights`` means 1 each."""
        unit = power_of_two(float(weights.max())) if len(weights) else 1.0
        look: _Look | None = None
        n = 0
        for block in blocks:
            shares = weights[n : n + len(block)] / unit if len(weights) else np.ones(len(block))
            if len(shares) < len(block):
                raise ValueError(f"X has more rows than the {len(weights)} weights.")
            n += len(block)
            # The m smallest of exponential variables with rates w are a weighted draw
            # without replacement (Efraimidis and Spirakis).
            with np.errstate(divide="ignore"):
                keys = random_state.exponential(size=len(block)) / shares
            look = look or _Look(block, m)
            counted = shares > 0.0
            if counted.all():
                look.add(block, shares, keys)
            elif counted.any():
                look.add(block[counted], shares[counted], keys[counted])
        assert look is not None
        coordinates = Coordinates.around(look.centre, look.lowest, look.highest, unit)
        sample = look.sample[np.argsort(look.keys, kind="stable")]
        extremes = coordinates.to_internal(np.stack([look.lowest, look.highest]))
        return cls(n, look.total * unit, coordinates, coordinates.to_internal(sample), extremes)


class _Look:
    """Running mean, extremes and sample."""

    def __init__(self, block: NDArray, m: int) -> None:
        d = block.shape[1]
        self.m = m
        self.total = 0.0
        self.centre = np.zeros(d)
        self.lowest = np.full(d, np.inf, block.dtype)
        self.highest = np.full(d, -np.inf, block.dtype)
        self.sample = np.empty((0, d), block.dtype)
        self.keys = np.empty(0)

    def add(self, rows: NDArray, shares: FloatArray, keys: FloatArray) -> None:
        self.lowest = np.minimum(self.lowest, rows.min(axis=0))
        self.highest = np.maximum(self.highest, rows.max(axis=0))
        weight = float(shares.sum())
        self.total += weight
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.einsum("i,ij->j", shares / weight, rows, dtype=np.float64)
            # A running mean, not a sum: that of very large numbers would overflow.
            self.centre += (mean - self.centre) * (weight / self.total)
        if len(self.keys) == self.m:
            early = keys < self.keys.max()
            rows, keys = rows[early], keys[early]
        self.sample = np.concatenate([self.sample, rows])
        self.keys = np.concatenate([self.keys, keys])
        if len(self.keys) > self.m:
            first = np.sort(np.argpartition(self.keys, self.m - 1)[: self.m])
            self.sample, self.keys = self.sample[first], self.keys[first]
