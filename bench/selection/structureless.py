"""Data without clusters: the right answer is 1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from bench.selection.sets import LabelledSet, half_of

KINDS = ("gaussian cloud", "uniform cube", "flat cloud", "exponential cloud", "ring")
FEATURES = (2, 5, 10, 50)
SEEDS = {300: range(20), 3000: range(20), 30_000: range(6)}  # by number of rows
FLATTEST = 0.1  # deviation of the last feature of a flat cloud; the first has 1
RING_NOISE = 0.05  # of the radius


def rows_of(kind: str, rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Rows of one cloud, cube or ring."""
    if kind == "gaussian cloud":
        return rng.normal(size=(n, d))
    if kind == "uniform cube":
        return rng.uniform(size=(n, d))
    if kind == "flat cloud":
        return rng.normal(size=(n, d)) * np.geomspace(1.0, FLATTEST, d)
    if kind == "exponential cloud":
        return rng.exponential(size=(n, d)) - 1.0
    angles = rng.uniform(0.0, 2 * np.pi, size=n)
    rows = RING_NOISE * rng.normal(size=(n, d))
    radii = 1.0 + rows[:, 0]
    rows[:, 0], rows[:, 1] = radii * np.cos(angles), radii * np.sin(angles)
    return rows


def make(kind: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one kind, all of one label."""
    # The first two kinds came before there were more: their streams know no kind.
    place = KINDS.index(kind)
    rng = np.random.default_rng([seed, d, n, place] if place > 1 else [seed, d, n])
    return rows_of(kind, rng, n, d), np.zeros(n, dtype=int)


def structureless_sets(quick: bool = False) -> Iterator[LabelledSet]:
    """Every kind in every size, 20 seeds (10 a half), or 6 for many rows."""
    sizes = {300: range(2)} if quick else SEEDS
    most = max(len(seeds) for seeds in sizes.values())
    for seed, kind, d, n in product(range(most), KINDS, FEATURES, sizes):
        if seed in sizes[n]:
            yield LabelledSet(
                name=f"{kind} d={d} n={n} seed={seed}",
                family=f"{kind} d={d} n={n}",
                seed=seed,
                n_clusters=1,
                make=partial(make, kind, n, d, seed),
                half=half_of(seed),
                n_rows=n,
            )
