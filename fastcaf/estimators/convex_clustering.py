"""Convex clustering: every row has a centroid of its own, and neighbours pull together."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from fastcaf._typing import FloatArray
from fastcaf.data.training_data import TrainingData
from fastcaf.estimators.base import CentroidEstimator
from fastcaf.estimators.convex_doubts import warn_of_doubts
from fastcaf.estimators.fused_cut import FusedCut, one_hot
from fastcaf.exceptions import BeyondPathWarning, warn
from fastcaf.fusion.convex_graph import graph_of
from fastcaf.fusion.convex_path import (
    HARD,
    convex_path_in_user_units,
    follow_convex_path,
    leaf_labels,
)
from fastcaf.fusion.cuts import beyond_path, level_at_gamma, level_at_number
from fastcaf.fusion.hierarchy import linkage_matrix
from fastcaf.fusion.level import Level, Path
from fastcaf.parameters import (
    check_choice,
    check_gammas,
    check_integer,
    check_jobs,
    check_number,
    check_time_limit,
)
from fastcaf.runtime.deadline import deadline, time_is_up
from fastcaf.runtime.threads import thread_limit
from fastcaf.selection.candidate import Candidate
from fastcaf.selection.convex_choice import weigh_levels
from fastcaf.storage import storable
from fastcaf.storage.parts import CENTROIDS, CLUSTERPATH, ENDING, LABELS

__all__ = ["ConvexClustering"]

WEIGHTS = ("neighbours", "uniform")


@storable(LABELS, CENTROIDS, CLUSTERPATH, ENDING)
class ConvexClustering(CentroidEstimator):
    """Convex clustering, also known as sum-of-norms clustering or the clusterpath.

    Every row has a centroid of its own, and pairs of centroids pull each other together:

    1/2 sum_i ||x_i - u_i||^2 + gamma sum_{k<l} omega_kl ||u_k - u_l||

    At a given gamma this problem is convex: there is one solution, it does not depend on a
    start, and nothing is drawn at random.  As gamma grows centroids fuse, and rows whose
    centroids have fused are a cluster.  One fit follows that path from every row alone to one
    cluster; each of its levels is certified by its duality gap.

    Between neighbours in a sparse graph it takes O(E d) time for a sweep over E edges, and
    O(E d) memory; rows that have fused are one from then on, so that sweeps get shorter.  With
    ``weights="uniform"`` there are n (n - 1) / 2 edges.

    Parameters
    ----------
    gamma : float, array-like or None, default=None
        None follows an automatic geometric series to the end; a number follows it up to there
        and reports that level; an increasing array leaves it at its first gamma and is then
        visited as it is.
    n_clusters : int or None, default=None
        None finds the number; an int cuts the path there.
    weights : "neighbours", "uniform" or array-like or sparse matrix of shape (n, n), \
default="neighbours"
        Weights omega of the pairs.  "neighbours": exp(-phi ||x_k - x_l||^2 / s^2) for pairs of
        which one is among the ``n_neighbors`` nearest of the other, 0 for all others, where
        s^2 is the mean squared distance of two rows; the usual choice, and free of scale.
        "uniform": 1 for every pair.  Else a symmetric matrix with numbers from 0 on, whose
        diagonal does not count.
    n_neighbors : int, default=10
        Of "neighbours".
    phi : float, default=2.0
        Of "neighbours": how fast weights fall with the distance; 0 makes them 1.
    gamma_ratio : float, default=1.15
        Ratio of neighbouring gammas of the automatic series.
    tol : float, default=1e-6
        Relative duality gap of every level.
    max_iter : int, default=10000
        Sweeps over the edges for one gamma.
    n_jobs : int or None, default=None
        Threads of predictions: None for all that Numba may use, -1 for all, 1 for one.  A path
        is followed on one.
    time_limit : float or None, default=None
        Seconds after which no level is begun: those reached are kept, with a warning, as with
        Ctrl-C.

    Attributes
    ----------
    n_clusters_ : int
    labels_ : ndarray of shape (n,)
        Which rows are fused, largest cluster first.
    cluster_centers_ : ndarray of shape (n_clusters_, d)
        The fused centroids; the larger gamma, the nearer to each other.
    cluster_means_ : ndarray of shape (n_clusters_, d)
        Means of the rows of each cluster.
    cluster_masses_ : ndarray of shape (n_clusters_,)
        Weight of the rows of each cluster.
    cluster_confidences_ : ndarray of shape (n_clusters_,)
        1: memberships are hard.
    memberships_ : ndarray of shape (n, n_clusters_)
        0 or 1, by ``labels_``.
    gamma_ : float
        Gamma of the reported level.
    duality_gap_ : float
        Of the reported level, relative to its objective: what any other centroids, of the rows
        that fused below this gamma together, could be better by.
    objective_ : float
    path_ : Path
        Gammas, numbers of clusters, centroids and duality gaps of the levels; the merges.  Of
        levels with more than 1,000 clusters one is kept for every tenth that fuses.
    linkage_ : ndarray of shape (m - 1, 4)
        The merges of the m distinct rows as scipy's linkage matrix, heights in gamma.
    selection_ : list of Candidate
        Numbers of clusters on the path, best first, by the rule of ``CAFHFCM``: the likelihood
        of rows and labels together, and valleys between the clusters.
    n_components_ : int
        Parts of the graph of weights without an edge between them: the path ends with so many
        clusters.
    converged_ : bool
        Whether the reported level reached ``tol``.
    n_iter_ : int
        Sweeps over the edges, all levels together.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only when X has feature names that are all strings.

    See Also
    --------
    CAFHFCM : Fewer centroids and soft memberships; for more rows, and for overlapping clusters.

    Notes
    -----
    ``predict`` assigns new rows to the nearest fused centroid.  Training rows may be nearer to
    the centroid of another cluster than to their own: for them ``labels_`` counts.

    With ``gamma=None`` the number is chosen among the partitions on the path with at most
    2 sqrt(n) clusters, n the distinct rows, by the judge of
    ``CAFHFCM(selection="likelihood")``; where the path has none of these, its end is reported.
    That judge believes in clusters with a centre: for moons or rings, cut the path.

    Rows that have fused stay together.  With uniform weights that is exact; with others the
    exact solution may split a cluster again at a larger gamma, which the path does not follow.

    A row of weight 2 is the row twice: the pull of a pair is omega_kl times both weights, and
    the neighbours of a row are distinct rows.

    References
    ----------
    K. Pelckmans, J. De Brabanter, J. Suykens, B. De Moor, Convex clustering shrinkage, 2005;
    T. Hocking, A. Joulin, F. Bach, J.-P. Vert, Clusterpath, ICML 2011; E. Chi and K. Lange,
    Splitting methods for convex clustering, JCGS 24 (2015); D. Touw, P. Groenen, Y. Terada,
    Convex clustering through MM, arXiv:2211.01877.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import ConvexClustering
    >>> X, _ = make_blobs(300, n_features=5, centers=4, cluster_std=1.5, random_state=0)
    >>> model = ConvexClustering(n_neighbors=80).fit(X)
    >>> model.n_clusters_
    4
    >>> model.cut(n_clusters=2).cluster_centers.shape
    (2, 5)
    """

    def __init__(
        self,
        gamma: float | ArrayLike | None = None,
        *,
        n_clusters: int | None = None,
        weights: Any = "neighbours",
        n_neighbors: int = 10,
        phi: float = 2.0,
        gamma_ratio: float = 1.15,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        n_jobs: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_clusters = n_clusters
        self.weights = weights
        self.n_neighbors = n_neighbors
        self.phi = phi
        self.gamma_ratio = gamma_ratio
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.time_limit = time_limit

    path_: Path
    selection_: list[Candidate]
    _leaves: NDArray[np.int64]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ConvexClustering:
        """Cluster the rows of ``X``.

        Ctrl-C ends the path early: the levels reached are kept, with a warning.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight 2 counts as the row twice, one of weight 0 not at all.

        Returns
        -------
        ConvexClustering
            The fitted estimator.
        """
        gammas = check_gammas(self.gamma)
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters, least=1)
            if gammas is not None and np.ndim(gammas) == 0:
                raise ValueError(
                    f"Give either n_clusters or one gamma, got n_clusters={self.n_clusters} "
                    f"and gamma={self.gamma!r}."
                )
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, WEIGHTS, other=" or a matrix")
        n_neighbors = check_integer("n_neighbors", self.n_neighbors, least=1)
        phi = check_number("phi", self.phi, least=0.0)
        options: dict[str, Any] = {
            "ratio": check_number("gamma_ratio", self.gamma_ratio, above=1.0),
            "tolerance": check_number("tol", self.tol, above=0.0),
            "max_sweeps": check_integer("max_iter", self.max_iter, least=1),
        }
        time_limit = check_time_limit(self.time_limit)
        with thread_limit(check_jobs(self.n_jobs)), deadline(time_limit):
            training = self._read_training(X, sample_weight)
            graph, leaves = graph_of(training, self.weights, n_neighbors, phi)
            coordinates = training.coordinates
            unit = coordinates.scale / coordinates.unit
            given = np.empty(0) if gammas is None else np.atleast_1d(gammas) / unit
            path = follow_convex_path(graph, gammas=given, **options)
            ended = f"stopped by time_limit={time_limit:g}" if time_is_up() else "interrupted"
            self.n_components_ = graph.edges.components()[0]
            self.path_ = convex_path_in_user_units(path, coordinates)
            self._leaves = leaves
            self._store(training, self._chosen(training, gammas))
        warn_of_doubts(self, ended)
        return self

    def _chosen(self, training: TrainingData, gammas: Any) -> Level:
        """The level to report."""
        path, self.selection_ = self.path_, []
        if self.n_clusters is not None:
            return self._level_with(self.n_clusters)
        if gammas is not None and np.ndim(gammas) == 0:
            return path.levels[-1]
        counted = training.weights > 0.0 if len(training.weights) else slice(None)
        weighing = weigh_levels(path, self._leaves[counted], training)
        if weighing is None:
            return path.levels[-1]
        self.selection_ = weighing.candidates()
        return path.levels[weighing.chosen.grouping.level]

    def _level_with(self, n_clusters: int) -> Level:
        n_start = len(self.path_.start)
        if n_clusters > n_start:
            raise ValueError(
                f"n_clusters={n_clusters} is above the {n_start} distinct rows of X: ask for "
                "fewer clusters."
            )
        if message := beyond_path(self.path_, n_clusters):
            warn(message, BeyondPathWarning)
        return level_at_number(self.path_, n_clusters)

    def _labelled(self, level: Level) -> tuple[Level, NDArray[np.int32]]:
        """A level, largest cluster first, and the labels of the training rows."""
        level = level.ordered(level.by_size())
        labels = leaf_labels(self.path_.tree, level)[self._leaves]
        return level, labels.astype(np.int32)

    def _store(self, training: TrainingData, chosen: Level) -> None:
        """Keep the answer, in the user's units."""
        path = self.path_
        level, self.labels_ = self._labelled(chosen)
        self.n_clusters_ = self._n_features_out = level.n_clusters
        self.cluster_centers_ = level.centroids
        self.cluster_masses_ = level.mass
        self.cluster_confidences_ = np.ones(level.n_clusters)
        self.cluster_means_ = self._means(training)
        self.linkage_ = linkage_matrix(path.merges)
        self.gamma_, self.objective_ = level.gamma, level.objective
        self.duality_gap_, self.converged_ = level.duality_gap, bool(level.converged)
        self.n_iter_ = sum(one.n_sweeps for one in path.levels)
        self._coordinates, self._fitted_model = training.coordinates, HARD
        self._training_rows, self._training_weights = None, np.empty(0)

    def _means(self, training: TrainingData) -> FloatArray:
        """Means of the rows of each cluster."""
        counted = training.weights > 0.0 if len(training.weights) else slice(None)
        rows, labels = training.rows.in_memory(), self.labels_[counted]
        weights = rows.weights.astype(np.float64)
        total = np.bincount(labels, weights, self.n_clusters_)
        sums = [np.bincount(labels, weights * one, self.n_clusters_) for one in rows.rows.T]
        return training.coordinates.to_user(np.stack(sums, axis=1) / total[:, None])

    def cut(self, n_clusters: int | None = None, gamma: float | None = None) -> FusedCut:
        """Another level of the same fit.

        Every number from 1 to that of the distinct rows has a cut.  Where the path skips a
        number, because several rows fused at one gamma, the first of those merges are carried
        out, nearest first; below the end of the path its clusters are joined by average
        linkage, with a warning.

        Parameters
        ----------
        n_clusters : int, optional
        gamma : float, optional
            Give one of the two.

        Returns
        -------
        Cut
            Centroids and labels of that level.
        """
        check_is_fitted(self, "path_")
        if (n_clusters is None) == (gamma is None):
            raise ValueError(
                f"Give either n_clusters or gamma, got n_clusters={n_clusters} and "
                f"gamma={gamma}."
            )
        if n_clusters is not None:
            level = self._level_with(check_integer("n_clusters", n_clusters, least=1))
        else:
            wanted = check_number("gamma", gamma, least=0.0)
            level = level_at_gamma(self.path_, wanted)
        level, labels = self._labelled(level)
        return FusedCut(
            level.n_clusters,
            level.gamma,
            level.centroids,
            level.mass,
            level.exact,
            HARD,
            copy(self),
            labels,
        )

    @property
    def memberships_(self) -> NDArray:
        """Memberships of the training rows, n x c."""
        check_is_fitted(self, "cluster_centers_")
        return one_hot(self.labels_, self.n_clusters_)
