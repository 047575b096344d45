"""scikit-fuzzy: functions, rows as columns; ``error=0`` never stops early."""

from collections.abc import Callable

import numpy as np
import skfuzzy

from bench.data import memberships
from bench.peers import Fit


def fit(rows: np.ndarray, start: np.ndarray) -> Callable[[int], Fit]:
    columns, u0 = np.ascontiguousarray(rows.T), np.ascontiguousarray(memberships(rows, start).T)

    def run(n_iter: int) -> Fit:
        centers, _, _, _, _, done, _ = skfuzzy.cmeans(
            columns, len(start), 2.0, error=0.0, maxiter=n_iter, init=u0
        )
        return Fit(centers, done)

    return run


def predict(rows: np.ndarray, centers: np.ndarray) -> Callable[[], np.ndarray]:
    """It iterates although the answer is a closed form: two rounds, as its tolerance needs."""
    columns = np.ascontiguousarray(rows.T)
    return lambda: skfuzzy.cmeans_predict(
        columns, centers, 2.0, error=1e-5, maxiter=10, seed=0
    )[0]
