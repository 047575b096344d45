"""What a first pass over many rows finds: their number, mean, extremes, and a sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.random import MT19937, RandomState, SeedSequence
from numpy.typing import NDArray

from fastcaf._typing import FloatArray

__all__ = ["FirstPass", "look_at", "stream"]


def stream(seed: list[int], *key: int) -> RandomState:
    """One of many independent streams of random numbers from one seed."""
    return RandomState(MT19937(SeedSequence(seed, spawn_key=key)))


@dataclass(frozen=True)
class FirstPass:
    """A first look at one block of rows, or at several: looks can be added.

    Attributes
    ----------
    n_rows : int
        All of them, those of weight 0 too; the others are about the rest.
    n_counted : int
        Rows of positive weight.
    weight : float
        Their sum.
    mean, lowest, highest : ndarrays of shape (d,)
        Of every column.
    sample : ndarray of shape (m, d)
        Rows drawn without replacement, in proportion to their weights; all where there are
        fewer than were wanted.
    sample_weights : ndarray of shape (m,)
        Of these rows.
    keys : ndarray of shape (m,)
        By which they were drawn: the smallest of all.
    wanted : int
        The most rows that the sample may have.
    """

    n_rows: int
    n_counted: int
    weight: float
    mean: FloatArray
    lowest: NDArray
    highest: NDArray
    sample: NDArray
    sample_weights: FloatArray
    keys: FloatArray
    wanted: int

    @classmethod
    def of(
        cls, block: NDArray, weights: FloatArray, wanted: int, random_state: RandomState
    ) -> FirstPass:
        """Look at one block.

        Each has its own ``random_state``, so that the sample does not depend on the order in
        which blocks are read.
        """
        # The smallest of exponential variables with rates w are a weighted draw without
        # replacement (Efraimidis and Spirakis).
        keys = random_state.exponential(size=len(block))
        counted = weights > 0.0
        rows, weights, keys = block[counted], weights[counted], keys[counted]
        total = float(weights.sum())
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.einsum("i,ij->j", weights / (total or 1.0), rows, dtype=np.float64)
        keys = keys / weights
        chosen = _smallest(keys, wanted)
        return cls(
            len(block),
            len(rows),
            total,
            mean,
            rows.min(axis=0, initial=np.inf),
            rows.max(axis=0, initial=-np.inf),
            rows[chosen],
            weights[chosen],
            keys[chosen],
            wanted,
        )

    def drawn(self, n: int) -> tuple[NDArray, FloatArray]:
        """The first ``n`` rows of the sample, with weights that stand for all rows.

        Drawn in proportion to their weights they all stand for the same weight; a row that
        weighs more than that is drawn for certain and stands for itself.
        """
        rows, own = self.sample[:n], self.sample_weights[:n]
        if len(rows) == self.n_counted:
            return rows, own
        heavy = np.zeros(len(own), dtype=bool)
        while True:
            each = max(self.weight - float(own[heavy].sum()), 0.0) / (~heavy).sum()
            above = own > each * (1.0 + 1e-9)
            if above.all() or (above == heavy).all():
                return rows, np.where(heavy, own, np.maximum(each, own.min()))
            heavy |= above

    def __add__(self, other: FirstPass) -> FirstPass:
        weight = self.weight + other.weight
        with np.errstate(over="ignore", invalid="ignore"):
            # A running mean, not a sum: that of very large numbers would overflow.
            mean = self.mean + (other.mean - self.mean) * (other.weight / (weight or 1.0))
        keys = np.concatenate([self.keys, other.keys])
        chosen = _smallest(keys, self.wanted)
        return FirstPass(
            self.n_rows + other.n_rows,
            self.n_counted + other.n_counted,
            weight,
            mean,
            np.minimum(self.lowest, other.lowest),
            np.maximum(self.highest, other.highest),
            np.concatenate([self.sample, other.sample])[chosen],
            np.concatenate([self.sample_weights, other.sample_weights])[chosen],
            keys[chosen],
            self.wanted,
        )


def _smallest(keys: FloatArray, n: int) -> NDArray[np.intp]:
    """Where the n smallest are."""
    return np.argpartition(keys, n - 1)[:n] if len(keys) > n else np.arange(len(keys))


def look_at(
    blocks: Iterable[NDArray], weights: FloatArray, wanted: int, seed: list[int]
) -> FirstPass:
    """Look at all blocks; the sample comes in the order of its keys, which is random.

    Parameters
    ----------
    blocks : iterable of ndarrays
    weights : ndarray of shape (n,), (1,) or (0,)
        Of the rows, or one for all of them; empty: 1 each.
    wanted : int
        The most rows that the sample may have.
    seed : list of int
        Of the streams, one for every block, that draw the sample.
    """
    every = float(weights[0]) if len(weights) == 1 else 1.0

    def parts() -> Iterable[FirstPass]:
        n = 0
        for number, block in enumerate(blocks):
            some = (
                weights[n : n + len(block)] if len(weights) > 1 else np.full(len(block), every)
            )
            n += len(block)
            if len(some) < len(block):
                raise ValueError(f"X has more rows than the {len(weights)} weights.")
            yield FirstPass.of(block, some, wanted, stream(seed, number))

    seen = reduce(add, parts())
    order = np.argsort(seen.keys, kind="stable")
    return replace(
        seen,
        sample=seen.sample[order],
        sample_weights=seen.sample_weights[order],
        keys=seen.keys[order],
    )
