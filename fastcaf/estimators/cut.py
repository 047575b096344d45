"""Other levels of a fitted path."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fastcaf._typing import FloatArray
from fastcaf.data.sources import ArrayRows
from fastcaf.estimators.base import CentroidEstimator
from fastcaf.exceptions import BeyondPathWarning, warn
from fastcaf.fusion.cuts import beyond_path, level_at_gamma
from fastcaf.fusion.distinct_clusters import level_with_clusters, n_distinct
from fastcaf.fusion.level import Level, Path
from fastcaf.memberships.base import MembershipModel
from fastcaf.parameters import check_choice, check_integer, check_jobs, check_number
from fastcaf.runtime.threads import thread_limit
from fastcaf.selection.verdict import fewer_clusters

__all__ = ["Cut", "CutMixin"]


@dataclass(frozen=True)
class Cut:
    """Clusters at one level of a fit.

    Attributes
    ----------
    n_clusters : int
    gamma : float
    cluster_centers : ndarray of shape (n_clusters, d)
        Largest cluster first.
    cluster_masses : ndarray of shape (n_clusters,)
    exact : bool
        Whether it is a level of the path; otherwise it lies between two levels.
    membership : str
        The path that was cut.
    labels : ndarray of shape (n,)
        Of the training rows; computed when first asked for.
    memberships : ndarray of shape (n, n_clusters)
        Of the training rows; computed when first asked for.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import CAFHFCM
    >>> X, _ = make_blobs(600, centers=5, cluster_std=0.6, random_state=1)
    >>> model = CAFHFCM(random_state=0).fit(X)
    >>> two = model.cut(n_clusters=2)
    >>> two.n_clusters, two.exact, two.memberships.shape
    (2, True, (600, 2))
    >>> two.predict(X[:3]).shape
    (3,)
    """

    n_clusters: int
    gamma: float
    cluster_centers: FloatArray
    cluster_masses: FloatArray
    exact: bool
    _model: MembershipModel = field(repr=False)
    _estimator: CentroidEstimator = field(repr=False)

    @property
    def membership(self) -> str:
        """The path that was cut."""
        return self._model.name

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """Labels of the training rows."""
        rows = self._estimator._kept_rows()
        return self._estimator._labels(rows, self.cluster_centers, self._model)

    @cached_property
    def memberships(self) -> NDArray:
        """Memberships of the training rows."""
        rows = self._estimator._kept_rows()
        return self._estimator._row_memberships(rows, self.cluster_centers, self._model)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Labels of new rows.

        Parameters
        ----------
        X : array-like of shape (n, d), or RowBlocks

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._estimator._predicted(X, self.cluster_centers, self._model)

    def predict_proba(self, X: Any) -> NDArray:
        """Memberships of new rows.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, n_clusters)
        """
        rows = self._estimator._inside(X)
        return self._estimator._row_memberships(rows, self.cluster_centers, self._model)


class CutMixin(CentroidEstimator):
    """An estimator whose fit left paths that can be cut elsewhere."""

    path_: Path
    paths_: dict[str, Path]

    def cut(
        self,
        n_clusters: int | None = None,
        gamma: float | None = None,
        *,
        membership: str | None = None,
    ) -> Cut:
        """Another level of the same fit.

        Every number from 1 to that of the starting centroids has a cut.  Where the path
        skips a number, because several merges happened at one gamma, the first of those
        merges are carried out, nearest centroids first.  Centroids that are nearest to no
        training row, or nearly coincide with others, are no clusters: then a level with more
        centroids is looked for that has the number of clusters asked for.  Where there is
        none, an ``EmptyClustersWarning`` says how many there are.

        Parameters
        ----------
        n_clusters : int, optional
        gamma : float, optional
            Give one of the two.
        membership : {"fcm", "kernel", "entropy"}, optional
            The path to cut, by default the reported one, or another that was followed where
            that one does not have the number asked for.  A candidate in ``selection_`` names
            its own: gamma, and clusters of the same number, differ between the two.

        Returns
        -------
        Cut
            Centroids, labels and memberships of that level.  Labels and memberships take
            O(n c d) time when they are first asked for.
        """
        check_is_fitted(self, "path_")
        if (n_clusters is None) == (gamma is None):
            raise ValueError(
                f"Give either n_clusters or gamma, got n_clusters={n_clusters} and "
                f"gamma={gamma}."
            )
        path, others = self.path_, list(self.paths_.values())
        if membership is not None:
            path = self.paths_[check_choice("membership", membership, list(self.paths_))]
            others = []
        if n_clusters is not None:
            wanted = check_integer("n_clusters", n_clusters, least=1)
            if wanted > len(path.start) and others:  # paths begin with different numbers
                path = max(others, key=lambda one: len(one.start))
            level = level_with_clusters(path, wanted, self._count)
            for other in others:
                if n_distinct(level) < wanted <= len(other.start):
                    found = level_with_clusters(other, wanted, self._count)
                    if n_distinct(found) > n_distinct(level):
                        path, level = other, found
            if message := beyond_path(path, wanted):
                warn(message, BeyondPathWarning)
        else:
            level = self._count(level_at_gamma(path, check_number("gamma", gamma, least=0.0)))
            wanted = level.n_clusters
        n_used = np.count_nonzero(level.rows) if len(level.rows) else level.n_clusters
        total, is_whole = level.mass.sum(), n_used == level.n_clusters and level.exact
        level = self._with_labels(level.ordered(level.by_size()[:n_used]))
        is_whole = is_whole and level.n_clusters == n_used
        if not is_whole:  # what was left out or merged is shared anew
            level = replace(level, mass=self._masses(level, total))
        for said in fewer_clusters(wanted, level.n_clusters, n_distinct(level)):
            warn(*said)
        snapshot = copy(self)  # a later fit of this estimator must not change the cut
        return Cut(
            level.n_clusters,
            level.gamma,
            level.centroids,
            level.mass,
            level.exact,
            level.model,
            snapshot,
        )

    def _with_labels(self, level: Level) -> Level:
        """The level without clusters that have no label in this order.

        Rows between two centroids have the label of the first.
        """
        counted = self._count(level)
        while len(counted.rows) and not counted.rows.all():
            counted = self._count(counted.ordered(np.flatnonzero(counted.rows)))
        return counted

    def _count(self, level: Level) -> Level:
        """The level with its rows counted, where they were kept; else as it is."""
        source, coordinates = self._kept_source(), self._coordinates
        if source is None:
            return level
        inside = replace(level, centroids=coordinates.to_internal(level.centroids))
        with thread_limit(check_jobs(self.n_jobs)):
            counted = inside.with_rows(source)
        if level.exact and len(level.rows) and level.rows.all() and counted.rows.all():
            return level  # of representatives, too: as where no rows were kept
        return replace(
            level,
            rows=counted.rows * coordinates.unit,
            within=counted.within * coordinates.scale,
        )

    def _masses(self, level: Level, total: float) -> FloatArray:
        """Masses of the clusters of a level, which add up to ``total``."""
        source = self._kept_source()
        if source is None:
            return level.mass * (total / level.mass.sum())
        inside = self._coordinates.to_internal(level.centroids)
        with thread_limit(check_jobs(self.n_jobs)):
            return source.statistics(level.model, inside).mass * self._coordinates.unit

    def _kept_source(self) -> ArrayRows | None:
        """The training rows that count, where they were kept."""
        rows, weights = self._training_rows, self._training_weights
        if rows is None:
            return None
        if len(weights):
            rows, weights = rows[weights > 0.0], weights[weights > 0.0]
        return ArrayRows(rows, self._coordinates.weights_inside(weights, rows.dtype))
