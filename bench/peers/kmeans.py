"""scikit-learn's KMeans (Lloyd): the speed limit worth quoting."""

from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans
from sklearn.cluster._k_means_lloyd import lloyd_iter_chunked_dense
from sklearn.metrics import silhouette_score
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from threadpoolctl import ThreadpoolController

from bench.peers import Fit


def fit(rows: np.ndarray, start: np.ndarray) -> Callable[[int], Fit]:
    """It stops before n_iter where no label changes; one more pass for the labels follows."""

    def run(n_iter: int) -> Fit:
        model = KMeans(len(start), init=start, n_init=1, max_iter=n_iter, tol=0.0).fit(rows)
        return Fit(model.cluster_centers_, model.n_iter_)

    return run


def predict(rows: np.ndarray, centers: np.ndarray) -> Callable[[], np.ndarray]:
    model = KMeans(len(centers), init=centers, n_init=1, max_iter=1).fit(rows)
    return lambda: model.predict(rows)


def choose(rows: np.ndarray, most: int = 12) -> Callable[[], np.ndarray]:
    """The k up to ``most`` whose best of ten runs has the largest silhouette."""

    def run() -> np.ndarray:
        fits = [
            KMeans(k, n_init=10, random_state=0).fit_predict(rows) for k in range(2, most + 1)
        ]
        return max(fits, key=lambda labels: silhouette_score(rows, labels))

    return run


def row_pass(rows: np.ndarray, centroids: np.ndarray) -> Callable[[], object]:
    """One Lloyd iteration: the private function that ``KMeans.fit`` calls, called as it does.

    Assignment and new means, without its test for equal labels, the final labels pass and the
    inertia.  From the same centroids each time, so it cannot converge.
    """
    n, K = len(rows), len(centroids)
    centers = np.ascontiguousarray(centroids, rows.dtype)
    new, weight, shift = (
        np.zeros_like(centers),
        np.zeros(K, rows.dtype),
        np.zeros(K, rows.dtype),
    )
    labels, ones = np.full(n, -1, np.int32), np.ones(n, rows.dtype)

    blas = ThreadpoolController().select(user_api="blas")  # looking for it takes milliseconds

    def run() -> None:
        n_threads = _openmp_effective_n_threads()
        with blas.limit(limits=1):
            lloyd_iter_chunked_dense(rows, ones, centers, new, weight, labels, shift, n_threads)

    return run
