"""Methods that split clusters as long as it pays: X-means, G-means, k*-means."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np

from bench.selection.answer import Answer, Method
from bench.selection.kstar import kstar_means

# X-means and G-means can go on to 1000 clusters; no set here has more than 50.
MOST_CLUSTERS = 200


def clustpy() -> None:
    """ClustPy asks for torch, but these two methods do not need it."""
    try:
        import_module("clustpy.centroid")
    except ImportError as error:
        raise ImportError(f"{error}; try: pip install --no-deps clustpy") from error


def clustpy_means(name: str, X: np.ndarray, seed: int) -> Answer:
    """A class of ClustPy as it comes: G-means starts from 1 cluster, X-means from 2.

    From 1, X-means often stays there: 65 instead of 77 of 112 small sets of seed 0 are right.
    """
    made = getattr(import_module("clustpy.centroid"), name)
    model = made(max_n_clusters=MOST_CLUSTERS, random_state=seed).fit(X)
    return Answer(model.labels_, int(model.n_clusters_))


def kstar(X: np.ndarray, seed: int) -> Answer:
    """k*-means on the rows as they are: it takes one unit for a cluster's deviation.

    Generated families, whose smallest deviation is 1, suit it; other units need not.
    """
    labels, reached_limit = kstar_means(X, np.random.default_rng(seed))
    return Answer(labels, int(labels.max()) + 1, note="limit" if reached_limit else "")


SPLITTING = (
    Method(
        "x-means",
        partial(clustpy_means, "XMeans"),
        structureless_seeds=0,
        package="clustpy",
        check=clustpy,
    ),
    Method("g-means", partial(clustpy_means, "GMeans"), package="clustpy", check=clustpy),
    Method("k*-means", kstar, package="numpy"),
)
