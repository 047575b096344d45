"""Density: HDBSCAN, and PLSCAN, which chooses the smallest cluster itself.  Noise is -1."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np
from sklearn.cluster import HDBSCAN

from bench.selection.answer import Answer, Method, counted


def hdbscan(X: np.ndarray, seed: int) -> Answer:
    """As it comes."""
    labels = HDBSCAN(copy=True).fit_predict(X)
    return Answer(labels, counted(labels))


def hdbscan_share(X: np.ndarray, seed: int) -> Answer:
    """Smallest cluster n / 50 rows."""
    labels = HDBSCAN(min_cluster_size=max(5, len(X) // 50), copy=True).fit_predict(X)
    return Answer(labels, counted(labels))


def plscan(X: np.ndarray, seed: int) -> Answer:
    """As it comes: the leaves of the smallest cluster size that persist most."""
    model = import_module("fast_plscan").PLSCAN(num_threads=1).fit(X)
    return Answer(model.labels_, counted(model.labels_))


DENSITY = (
    Method("hdbscan", hdbscan, structureless_rows=3000),
    Method("hdbscan n/50", hdbscan_share, structureless_rows=3000),
    Method(
        "plscan", plscan, package="fast-plscan", check=partial(import_module, "fast_plscan")
    ),
)
