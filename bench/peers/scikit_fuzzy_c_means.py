"""scikit-fuzzy-c-means.

Its ``fit`` draws k-means++ centres, throws them away, and starts from random memberships.
Here both draws are replaced by the given start, so that its own loop does the same work as
the others (and is not charged for the draw); ``tol`` must be positive, and 1e-300 never
stops it.
"""

from collections.abc import Callable
from unittest import mock

import numpy as np
from fuzzy_cmeans import FuzzyCMeans

from bench.data import memberships
from bench.peers import Fit


class Counted(FuzzyCMeans):
    """Counts iterations, and has nothing to draw."""

    n_iter_ = 0

    def _kmeans_plusplus_init(self, X: np.ndarray) -> None:
        return None

    def _update_memberships(self, X: np.ndarray) -> np.ndarray:
        self.n_iter_ += 1
        return super()._update_memberships(X)


def fit(rows: np.ndarray, start: np.ndarray) -> Callable[[int], Fit]:
    u0 = memberships(rows, start)

    def run(n_iter: int) -> Fit:
        model = Counted(len(start), m=2, max_iter=n_iter, tol=1e-300)
        with mock.patch("numpy.random.dirichlet", return_value=u0):
            model.fit(rows)
        return Fit(model.cluster_centers_, model.n_iter_)

    return run


def predict(rows: np.ndarray, centers: np.ndarray) -> Callable[[], np.ndarray]:
    """Hard labels: it has no public soft ones."""
    model = FuzzyCMeans(len(centers), m=2)
    model.cluster_centers_ = centers
    return lambda: model.predict(rows)
