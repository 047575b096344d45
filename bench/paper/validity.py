"""Classic validity indices of fuzzy partitions, in plain NumPy."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)


def partition_coefficient(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    return float((mu**2).sum() / len(mu))


def modified_partition_coefficient(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    c = len(U)
    return 1.0 - c / (c - 1) * (1.0 - partition_coefficient(X, U, mu))


def partition_entropy(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    return float(-(mu * np.log(np.maximum(mu, 1e-300))).sum() / len(mu))


def xie_beni(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    compactness = (mu**2 * cdist(X, U, "sqeuclidean")).sum()
    return float(compactness / (len(X) * pdist(U, "sqeuclidean").min()))


def fukuyama_sugeno(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    apart = ((U - X.mean(axis=0)) ** 2).sum(axis=1)
    return float((mu**2 * (cdist(X, U, "sqeuclidean") - apart)).sum())


def silhouette(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    return float(silhouette_score(X, mu.argmax(axis=1)))


def calinski_harabasz(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    return float(calinski_harabasz_score(X, mu.argmax(axis=1)))


def davies_bouldin(X: np.ndarray, U: np.ndarray, mu: np.ndarray) -> float:
    return float(davies_bouldin_score(X, mu.argmax(axis=1)))


# Index and whether its largest value is the best.
INDICES = {
    "partition coefficient": (partition_coefficient, True),
    "modified partition coefficient": (modified_partition_coefficient, True),
    "partition entropy": (partition_entropy, False),
    "Xie-Beni": (xie_beni, False),
    "Fukuyama-Sugeno": (fukuyama_sugeno, False),
    "silhouette": (silhouette, True),
    "Calinski-Harabasz": (calinski_harabasz, True),
    "Davies-Bouldin": (davies_bouldin, False),
}
