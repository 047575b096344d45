"""Covariances and shares of the reported clusters, where they have some."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fastcaf._typing import FloatArray
from fastcaf.estimators.base import CentroidEstimator
from fastcaf.memberships import GaussianMemberships

__all__ = ["ShapeMixin"]


class ShapeMixin(CentroidEstimator):
    """An estimator whose clusters may have shapes."""

    @property
    def _mixture(self) -> GaussianMemberships:
        check_is_fitted(self, "cluster_centers_")
        model = self._fitted_model
        if not isinstance(model, GaussianMemberships):
            raise AttributeError(
                f"The reported clusters have {model.name} memberships, and no covariances: fit "
                'with membership="auto" or "gaussian".'
            )
        return model

    @property
    def covariance_type_(self) -> str:
        """Shape of the reported clusters."""
        model = self._mixture
        kind = "spherical" if model.is_round else "full"
        if not model.tied:
            return kind
        return "tied spherical" if model.is_round else "tied"

    @property
    def covariances_(self) -> FloatArray:
        """Covariances of the reported clusters, c x d x d, or variances, c."""
        model = self._mixture
        inside = model.covariances[:, 0] if model.is_round else model.matrices
        with np.errstate(over="ignore", under="ignore"):
            return inside * self._coordinates.scale * self._coordinates.scale

    @property
    def weights_(self) -> FloatArray:
        """Shares of the rows that the reported clusters have."""
        return self._mixture.shares
