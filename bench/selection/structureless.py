"""Data without clusters: the right answer is 1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from bench.selection.sets import LabelledSet, half_of

KINDS = ("gaussian cloud", "uniform cube")
FEATURES = (2, 5, 10)
NUMBERS = (300, 3000)
SEEDS = range(20)


def make(kind: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one cloud or one cube, all of one label."""
    rng = np.random.default_rng([seed, d, n])
    rows = rng.normal(size=(n, d)) if kind == KINDS[0] else rng.uniform(size=(n, d))
    return rows, np.zeros(n, dtype=int)


def structureless_sets(quick: bool = False) -> Iterator[LabelledSet]:
    """Both kinds in every size, 20 seeds (10 a half)."""
    numbers, seeds = (NUMBERS[:1], range(2)) if quick else (NUMBERS, SEEDS)
    for seed, kind, d, n in product(seeds, KINDS, FEATURES, numbers):
        yield LabelledSet(
            name=f"{kind} d={d} n={n} seed={seed}",
            family=f"{kind} d={d} n={n}",
            seed=seed,
            n_clusters=1,
            make=partial(make, kind, n, d, seed),
            half=half_of(seed),
        )
