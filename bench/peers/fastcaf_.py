"""Ours, through the same door as the peers.

``n_iter`` iterations make n_iter + 1 passes over the rows: the memberships at the start are
inside our clock, while the peers are handed theirs.
"""

from collections.abc import Callable

import numpy as np

from bench.peers import Fit
from fastcaf import CAFHFCM, FuzzyCMeans
from fastcaf.fusion.centroid_problem import no_multipliers, solve_centroids
from fastcaf.memberships import FuzzyMemberships


def fit(rows: np.ndarray, start: np.ndarray) -> Callable[[int], Fit]:
    def run(n_iter: int) -> Fit:
        model = FuzzyCMeans(len(start), init=start, max_iter=n_iter, tol=0.0).fit(rows)
        return Fit(model.cluster_centers_, model.n_iter_)

    return run


def predict(rows: np.ndarray, centers: np.ndarray) -> Callable[[], np.ndarray]:
    model = FuzzyCMeans(len(centers), init=centers, max_iter=1, tol=1.0).fit(rows[:2000])
    return lambda: model.predict_proba(rows)


def choose(rows: np.ndarray) -> Callable[[], np.ndarray]:
    return lambda: CAFHFCM(random_state=0).fit(rows).labels_


def fuse(weight: np.ndarray, means: np.ndarray, gamma: float) -> Callable[[], np.ndarray]:
    """Cold start, to a relative gap of 1e-6."""
    none = no_multipliers(*means.shape)
    return lambda: solve_centroids(weight, means, gamma, means, none).centroids


def row_pass(rows: np.ndarray, centroids: np.ndarray) -> Callable[[], object]:
    """All sums over the rows at given centroids: what of an iteration grows with n."""
    model, none = FuzzyMemberships(), np.empty(0, rows.dtype)
    return lambda: model.statistics(rows, none, centroids)
