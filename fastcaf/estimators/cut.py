"""Another level of a fitted path."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.estimators.base import CentroidEstimator
from fastcaf.memberships.base import FloatArray, MembershipModel

__all__ = ["Cut"]


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
    labels : ndarray of shape (n,)
        Of the training rows; computed when first asked for.
    memberships : ndarray of shape (n, n_clusters)
        Of the training rows; computed when first asked for.
    """

    n_clusters: int
    gamma: float
    cluster_centers: FloatArray
    cluster_masses: FloatArray
    exact: bool
    _model: MembershipModel = field(repr=False)
    _estimator: CentroidEstimator = field(repr=False)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """Labels of the training rows."""
        return self._estimator._labels(self._estimator._kept_rows(), self.cluster_centers)

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
        return self._estimator._predicted(X, self.cluster_centers)

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
