"""fuzzy-c-means, module ``fcmeans``.

2.3.1 pins numpy < 2, but runs on newer ones:
``pip install --no-deps fuzzy-c-means && pip install pydantic tqdm tabulate typer``.

Its tolerance cannot go below 1e-9, so the iterations are counted.
"""

from collections.abc import Callable

import numpy as np
from fcmeans import FCM

from bench.data import memberships
from bench.peers import Fit


class Started(FCM):
    """Starts from given memberships; counts iterations."""

    def _init_u(self, X: np.ndarray) -> None:
        self.u, self.n_iter = self.u0, 0

    def _update_u(self, X: np.ndarray) -> None:
        super()._update_u(X)
        self.n_iter += 1


def fit(rows: np.ndarray, start: np.ndarray) -> Callable[[int], Fit]:
    u0 = memberships(rows, start)

    def run(n_iter: int) -> Fit:
        model = Started(n_clusters=len(start), m=2.0, max_iter=n_iter, error=1e-9, u0=u0)
        model.fit(rows)
        return Fit(model.centers, model.n_iter)

    return run


def predict(rows: np.ndarray, centers: np.ndarray) -> Callable[[], np.ndarray]:
    model = Started(n_clusters=len(centers), m=2.0)
    model._centers, model.trained = centers, True
    return lambda: model.soft_predict(rows)


def fit_kernel(rows: np.ndarray, start: np.ndarray, bandwidth: float, n_iter: int) -> Fit:
    """Kernel fuzzy c-means from given centroids; its gamma is 1 / (2 h^2)."""
    from fcmeans import KFCM  # 2.3 and newer

    class StartedKernel(KFCM):
        def _init_u(self, X: np.ndarray) -> None:
            self._centers, self.gamma_, self.n_iter = start, 0.5 / bandwidth**2, 0
            self._update_u(X)

        def _update_u(self, X: np.ndarray) -> None:
            super()._update_u(X)
            self.n_iter += 1

    model = StartedKernel(n_clusters=len(start), m=2.0, max_iter=n_iter, error=1e-9)
    model.fit(rows)
    return Fit(model.centers, model.n_iter)
