"""scikit-learn's GaussianMixture, spherical: the soft rival of fuzzy c-means."""

from collections.abc import Callable

import numpy as np
from sklearn.mixture import GaussianMixture

from bench.peers import Fit


def started(rows: np.ndarray, start: np.ndarray, n_iter: int) -> GaussianMixture:
    """With weights, means and precisions given it draws nothing; ``tol=0`` never stops it."""
    K = len(start)
    return GaussianMixture(
        K,
        covariance_type="spherical",
        tol=0.0,
        max_iter=n_iter,
        weights_init=np.full(K, 1.0 / K),
        means_init=start,
        precisions_init=np.full(K, 1.0 / rows.var(axis=0).mean()),
    )


def fit(rows: np.ndarray, start: np.ndarray) -> Callable[[int], Fit]:
    def run(n_iter: int) -> Fit:
        model = started(rows, start, n_iter).fit(rows)
        return Fit(model.means_, model.n_iter_)

    return run


def predict(rows: np.ndarray, centers: np.ndarray) -> Callable[[], np.ndarray]:
    model = started(rows, centers, 1).fit(rows)
    return lambda: model.predict_proba(rows)


def choose(rows: np.ndarray, most: int = 12) -> Callable[[], np.ndarray]:
    """The number of full components up to ``most`` with the smallest BIC."""

    def run() -> np.ndarray:
        fits = [GaussianMixture(k, random_state=0).fit(rows) for k in range(1, most + 1)]
        return min(fits, key=lambda model: model.bic(rows)).predict(rows)

    return run
