"""A score that can be compared between fits, for searches over parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["separation_score"]


def separation_score(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """How far apart the clusters of a fitted model stand, seen by the rows of ``X``.

    The mean of 1 - d1 / d2, with d1 and d2 a row's distances to the nearest centroid and to the
    next: 0 where rows lie in the middle between two clusters, 1 where they lie on centroids.
    It has no units and knows neither fuzzifier nor gamma, so that fits with other parameters
    or other numbers of clusters can be compared, on rows that they have not seen.  The
    objective, and with it ``model.score``, falls with a larger fuzzifier and with more
    clusters whether they fit better or not.

    Parameters
    ----------
    model : estimator
        Fitted; its ``transform`` gives distances to centroids.  A pipeline that ends with one
        will do, and so does scikit-learn's ``KMeans``.
    X : array-like of shape (n, d)
    y : ignored
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float
        Between 0 and 1, larger is better; 0 for one cluster.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.model_selection import GridSearchCV
    >>> from fastcaf import FuzzyCMeans, separation_score
    >>> X, _ = make_blobs(300, centers=4, cluster_std=0.5, random_state=3)
    >>> grid = {"n_clusters": [2, 3, 4, 5], "fuzzifier": [1.5, 2.0]}
    >>> search = GridSearchCV(FuzzyCMeans(random_state=0), grid, scoring=separation_score)
    >>> search.fit(X).best_params_["n_clusters"]
    4
    """
    distances = np.asarray(model.transform(X), dtype=np.float64)
    if distances.shape[1] < 2:
        return 0.0
    nearest, second = np.partition(distances, 1, axis=1)[:, :2].T
    apart = np.zeros(len(distances))
    np.divide(second - nearest, second, out=apart, where=second > 0.0)
    return float(np.average(apart, weights=sample_weight))
