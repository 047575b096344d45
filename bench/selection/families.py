"""Generated families: one function of a seed each, over c = 2..40 and d = 2..64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.selection.placement import draw
from bench.selection.sets import HALVES, NOISE, LabelledSet
from bench.selection.shapes import Shape, box, skewed, student

# (clusters, features, rows)
SHAPES = (
    (2, 2, 300),
    (2, 16, 400),
    (3, 5, 600),
    (4, 64, 800),
    (5, 2, 500),
    (8, 3, 800),
    (10, 32, 700),
    (15, 2, 750),
    (16, 64, 1100),
    (25, 8, 1250),
    (40, 2, 1200),
)
# The rules were developed with the sets of seeds 0 and 1 in sight.  Seeds 2 to 6 were once
# published or looked at and have been development data since; 7 is what is published now.
SEEDS = (0, 1, 2, 3, 4, 5, 6, 7)
REPORT_SEED = 7
QUICK_SHAPES = ((2, 2, 300), (5, 2, 500))


@dataclass(frozen=True)
class Family:
    """What its clusters look like.

    ``size_ratio``: largest size over smallest, sizes in geometric steps.
    ``spread_ratio``: largest standard deviation over smallest, drawn for each cluster.
    ``elongation``: longest axis over shortest of every cluster; the others are drawn.
    ``shape``: how rows lie along the axes, None for Gaussian; the covariance is the same.
    ``is_rounded``: to whole numbers; the shortest axis of the tightest cluster is 1.
    ``noise``: share of the n rows that lies anywhere in the bounding box of the clusters.
    """

    name: str
    separation: float
    size_ratio: float = 1.0
    spread_ratio: float = 1.0
    elongation: float = 1.0
    shape: Shape | None = None
    is_rounded: bool = False
    noise: float = 0.0


# Only ever append: a family's place is part of its random stream.
FAMILIES = (
    Family("equal", 7.0),
    Family("unequal sizes", 7.0, size_ratio=10.0),
    Family("overlap 5", 5.0),
    Family("overlap 4", 4.0),
    Family("overlap 3", 3.0),
    Family("elongated", 7.0, elongation=5.0),
    Family("unequal spreads", 7.0, spread_ratio=4.0),
    Family("mixed", 6.0, size_ratio=5.0, spread_ratio=2.0, elongation=3.0),
    Family("elongation 10", 7.0, elongation=10.0),
    Family("student t", 7.0, shape=student),
    Family("uniform", 7.0, shape=box),
    Family("skewed", 7.0, shape=skewed),
    Family("integers", 7.0, is_rounded=True),
    Family("noise", 7.0, noise=0.1),
)
CLEAR_SEPARATION = 6.0  # from here on, two spherical clusters share 0.1 % of their rows


def sizes_of(rng: np.random.Generator, n: int, c: int, ratio: float) -> np.ndarray:
    """Sizes in geometric steps from 1 to the ratio, in random order, n together."""
    shares = np.geomspace(1.0, ratio, c)
    edges = np.round(np.cumsum(shares) / shares.sum() * n).astype(int)
    return rng.permutation(np.diff(edges, prepend=0))


def make(family: Family, c: int, d: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels; the same for the same arguments."""
    rng = np.random.default_rng([seed, FAMILIES.index(family), c, d, n])
    n_noise = round(family.noise * n)
    sizes = sizes_of(rng, n - n_noise, c, family.size_ratio)
    spreads = family.spread_ratio ** rng.uniform(size=c)
    lengths = rng.uniform(size=(c, d))
    lengths -= lengths.min(axis=1, keepdims=True)
    lengths /= lengths.max(axis=1, keepdims=True)  # from 0 to 1 in every cluster
    axes = spreads[:, None] * family.elongation**lengths
    rows, labels = draw(rng, sizes, axes, family.separation, family.shape)
    if family.is_rounded:
        rows = np.round(rows)
    if n_noise:
        anywhere = rng.uniform(rows.min(axis=0), rows.max(axis=0), size=(n_noise, d))
        rows, labels = np.vstack([rows, anywhere]), np.append(labels, np.full(n_noise, NOISE))
    return rows, labels


def family_sets(quick: bool = False) -> Iterator[LabelledSet]:
    """Every family in every shape, one set for each seed."""
    for family in FAMILIES:
        for c, d, n in QUICK_SHAPES if quick else SHAPES:
            for seed in SEEDS:
                yield LabelledSet(
                    name=f"{family.name} c={c} d={d} n={n} seed={seed}",
                    family=family.name,
                    seed=seed,
                    n_clusters=c,
                    make=partial(make, family, c, d, n, seed),
                    half=HALVES[seed == REPORT_SEED],
                    n_rows=n,
                    is_clear=family.separation >= CLEAR_SEPARATION,
                )
