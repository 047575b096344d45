"""Robust-learning fuzzy c-means: one of the methods that the paper compares with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from fastcaf._typing import FloatArray
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.reading import read_rows
from fastcaf.estimators.base import ClusterEstimator
from fastcaf.estimators.competition import Competition, logits_of, normalised
from fastcaf.exceptions import ConvergenceWarning, EmptyClustersWarning, warn
from fastcaf.fusion.start import warn_if_degenerate
from fastcaf.parameters import check_copies, check_integer, check_number, check_weights
from fastcaf.storage import storable
from fastcaf.storage.parts import COMPETITION, ENDING, LABELS

__all__ = ["RLFCM"]


@storable(LABELS, COMPETITION, ENDING)
class RLFCM(ClusterEstimator):
    """Robust-learning fuzzy c-means, which finds the number of clusters by competition.

    Every row starts as a cluster of its own, with a proportion alpha_j of 1/n.  Iteration
    t = 1, 2, ... computes, with r1 = r2 = r3 = 1 at first,

    - mu_ij proportional to exp((-||x_i - u_j||^2 + r1 ln alpha_j) / r2), summing to 1 over j;
    - alpha_j <- mean_i mu_ij + (r3 / r1) alpha_j (ln alpha_j - sum_s alpha_s ln alpha_s);
    - r1 <- exp(-t / r1_time) and r2 <- exp(-t / r2_time), for the next iteration;
    - r3 <- min((1/c) sum_j exp(-eta n |change of alpha_j|),
      (1 - max_j mean_i mu_ij) / (-max_j alpha_j sum_s alpha_s ln alpha_s)), with
      eta = min(1, 2 / d^floor(d/2 - 1)) and the alpha before the change;
    - clusters with alpha_j < 1/n are dropped, alpha and mu are normalised again;
    - u_j <- sum_i mu_ij x_i / sum_i mu_ij,

    until no cluster is dropped and no centre moves by ``tol``.  From iteration 100 on r3 is 0
    once no cluster is dropped.  Clusters that have no row then, because another lies on the
    same spot, are left out.  There is no chance in it.

    It is **not** free of scale: the rates start at 1 in the squared units of X, so that rows
    in metres and in millimetres get different answers.  X is used in the user's own units.
    It is also fragile: the number of clusters hangs on the time constants, on ``tol``, and on
    the draw of the rows (``bench/paper/results/table1.md``).  Time is O(n c d) an iteration and
    memory O(n c), with c = n at first.

    Parameters
    ----------
    r1_time : float, default=10.0
        Time constant of r1, the weight of the proportions.
    r2_time : float, default=100.0
        Time constant of r2, the softness of the memberships.  The defaults are the published
        pair; 20 for both gives the figures of the paper of CAF-HFCM on most of its sets.
    max_iter : int, default=300
        Iterations.
    tol : float, default=0.01
        Distance, in the units of X, below which the move of every centre counts as settled.
        The competition goes on while centres move, so it takes part in the choice of the
        number.

    Attributes
    ----------
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters_, d)
        Largest proportion first.
    proportions_ : ndarray of shape (n_clusters_,)
        The final alpha; they sum to 1.
    labels_ : ndarray of shape (n,)
        The cluster of the largest membership, which need not be the nearest one.
    r1_, r2_ : float
        The final rates, with which memberships of new rows are computed.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only when X has feature names that are all strings.

    See Also
    --------
    CAFHFCM : Finds the number of clusters on a path, whatever the scale.

    Notes
    -----
    The order decides: where r1 and r2 are renewed before the proportions, as in many public
    ports, most sets end as one cluster.  Equal rows start as equal clusters on one spot, which
    fare alike; they are counted as one in the answer.

    References
    ----------
    M.-S. Yang and Y. Nataliani, Robust-learning fuzzy c-means clustering algorithm with
    unknown number of clusters, Pattern Recognition 71 (2017) 45-59.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import RLFCM
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=3)
    >>> RLFCM(r1_time=100, r2_time=10).fit(X).n_clusters_
    4
    """

    def __init__(
        self,
        *,
        r1_time: float = 10.0,
        r2_time: float = 100.0,
        max_iter: int = 300,
        tol: float = 0.01,
    ) -> None:
        self.r1_time = r1_time
        self.r2_time = r2_time
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> RLFCM:
        """Cluster the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight 2 counts as the row twice, one of weight 0 not at all.

        Returns
        -------
        RLFCM
            The fitted estimator.
        """
        times = (
            check_number("r1_time", self.r1_time, above=0.0),
            check_number("r2_time", self.r2_time, above=0.0),
        )
        max_iter = check_integer("max_iter", self.max_iter, least=1)
        tol = check_number("tol", self.tol, least=0.0)
        X = read_rows(self, X)
        weights = check_weights(sample_weight, X)
        counted = weights > 0 if len(weights) else slice(None)
        rows, weights = X[counted].astype(np.float64), weights[weights > 0]
        if len(weights):
            check_copies(weights)
            # Of shares, the mean is one row.
            weights = weights / min(1.0, float(weights.mean()))
        distinct = DistinctRows.of(rows, weights)
        warn_if_degenerate(distinct)
        competition = Competition.start(distinct, times)
        self.converged_ = False
        for t in range(1, max_iter + 1):
            self.n_iter_ = t
            if competition.step(t) < tol:
                self.converged_ = True
                break
        self._keep(competition, X)
        if (left := len(competition.centers)) > self.n_clusters_:
            warn(
                f"{left - self.n_clusters_} of {left} clusters have no rows and are left out: "
                "others, with larger proportions, are on their spots. Lower tol.",
                EmptyClustersWarning,
            )
        if not self.converged_:
            warn(
                f"The centres still moved by {self.tol} or more after "
                f"max_iter={self.max_iter} iterations. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        return self

    def _keep(self, competition: Competition, X: NDArray) -> None:
        self.r1_, self.r2_ = competition.rates
        centers, proportions = competition.centers, competition.proportions
        logits = logits_of(competition.rows, centers, proportions, competition.rates)
        used = np.unique(logits.argmax(axis=1))
        order = used[np.argsort(-proportions[used], kind="stable")]
        self.cluster_centers_ = centers[order]
        self.proportions_ = proportions[order] / proportions[order].sum()
        self.n_clusters_ = self._n_features_out = len(order)
        self.labels_ = self._logits(X).argmax(axis=1).astype(np.int32)

    def _logits(self, rows: NDArray) -> FloatArray:
        return logits_of(rows, self.cluster_centers_, self.proportions_, (self.r1_, self.r2_))

    def _rows(self, X: Any) -> NDArray:
        check_is_fitted(self, "cluster_centers_")
        return read_rows(self, X, reset=False)

    def _predict(self, X: Any) -> NDArray[np.int32]:
        return self._logits(self._rows(X)).argmax(axis=1).astype(np.int32)

    def _predict_memberships(self, X: Any) -> NDArray:
        rows = self._rows(X)
        return normalised(self._logits(rows)).astype(rows.dtype, copy=False)

    def _distances(self, X: Any) -> NDArray:
        rows = self._rows(X)
        return cdist(rows, self.cluster_centers_).astype(rows.dtype, copy=False)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the rows' part of the objective on ``X``: larger is better.

        That is sum_i r2 ln sum_j exp((-||x_i - u_j||^2 + r1 ln alpha_j) / r2), and comparable
        for one fit only, because every fit ends with its own rates.  To compare fits, use
        ``fastcaf.separation_score``.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        rows = self._rows(X)
        weights = check_weights(sample_weight, rows)
        each = self.r2_ * logsumexp(self._logits(rows), axis=1)
        return float(each @ weights if len(weights) else each.sum())
