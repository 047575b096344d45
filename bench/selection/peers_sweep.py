"""Sweeps: fit every k, take the best by an index."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.mixture import GaussianMixture

from bench.selection.answer import Answer, Method, counted
from fastcaf import FuzzyCMeans

SILHOUETTE_ROWS = 2000
MOST_CLUSTERS = 60
MOST_COMPONENTS = 40


def sweep(n: int) -> range:
    """k = 2..min(60, 1.4 sqrt(n))."""
    return range(2, int(min(MOST_CLUSTERS, 1.4 * np.sqrt(n))) + 1)


def kmeans_silhouette(X: np.ndarray, seed: int) -> Answer:
    """The k whose k-means (10 starts) has the largest silhouette."""
    best = (-np.inf, np.zeros(len(X), dtype=int))
    sample = min(SILHOUETTE_ROWS, len(X))
    for k in sweep(len(X)):
        labels = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
        if len(np.unique(labels)) < 2:
            continue
        score = silhouette_score(X, labels, sample_size=sample, random_state=seed)
        if score > best[0]:
            best = (score, labels)
    return Answer(best[1], counted(best[1]))


def mixture_bic(X: np.ndarray, seed: int) -> Answer:
    """The k = 1..40 whose Gaussian mixture (full covariances) has the smallest BIC.

    k stops at n / (d + 1): with fewer rows than that each, a covariance is singular.
    """
    n, d = X.shape
    models = (
        GaussianMixture(k, random_state=seed).fit(X)
        for k in range(1, max(1, min(MOST_COMPONENTS, n // (d + 1))) + 1)
    )
    best = min(((model.bic(X), i, model) for i, model in enumerate(models)))[2]
    labels = best.predict(X)
    return Answer(labels, best.n_components)


def xie_beni(X: np.ndarray, model: FuzzyCMeans) -> float:
    """Compactness over the smallest squared distance of two centres; small is good."""
    apart = pdist(model.cluster_centers_, "sqeuclidean").min()
    if apart == 0.0:
        return np.inf
    distances = cdist(X, model.cluster_centers_, "sqeuclidean")
    return float((model.memberships_**2 * distances).sum() / (len(X) * apart))


def fuzzy_xie_beni(X: np.ndarray, seed: int) -> Answer:
    """The k whose fuzzy c-means (3 starts) has the smallest Xie-Beni index."""
    models = (
        FuzzyCMeans(k, n_init=3, random_state=seed, n_jobs=1).fit(X) for k in sweep(len(X))
    )
    best = min((xie_beni(X, model), i, model) for i, model in enumerate(models))[2]
    return Answer(best.labels_, best.n_clusters_)


SWEEPS = (
    Method("kmeans+silhouette", kmeans_silhouette, structureless_seeds=0),
    Method("mixture+bic", mixture_bic, structureless_seeds=4, structureless_rows=3000),
    Method("fcm+xie-beni", fuzzy_xie_beni, structureless_seeds=0),
)
