"""What the estimators share: rows in, labels, memberships and distances out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fastcaf._typing import FloatArray
from fastcaf.data.array_rows import BLOCK
from fastcaf.data.coordinates import Coordinates, power_of_two
from fastcaf.data.reading import blocks_of, comes_in_blocks, read_rows, read_whole
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Level
from fastcaf.fusion.noise_distance import noise_mass
from fastcaf.fusion.polish import Polished
from fastcaf.memberships import KernelMemberships, MembershipModel
from fastcaf.memberships.noise import OFF, rest_of
from fastcaf.parameters import check_jobs, check_weights
from fastcaf.runtime.threads import thread_limit
from fastcaf.storage import SaveMixin

__all__ = ["CentroidEstimator", "ClusterEstimator", "by_size", "fitted_attributes"]


class ClusterEstimator(
    SaveMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """The public methods of all estimators; what they compute is in the derived classes."""

    labels_: NDArray[np.int32]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ClusterEstimator:
        """Fit; see the estimators."""
        raise NotImplementedError

    def _predict(self, X: Any) -> NDArray[np.int32]:
        raise NotImplementedError

    def _predict_memberships(self, X: Any) -> NDArray:
        raise NotImplementedError

    def _distances(self, X: Any) -> NDArray:
        raise NotImplementedError

    def fit_predict(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> NDArray[np.int32]:
        """Fit, and return the label of every row.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The cluster of the largest membership.

        That is the one of the nearest centroid for the memberships of fuzzy c-means and with an
        entropy.  -1 where a noise cluster was asked for and holds more of the row.

        Parameters
        ----------
        X : array-like of shape (n, d), or RowBlocks
            Large memory maps are read a block at a time, like ``RowBlocks`` (not by RLFCM).

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self, "cluster_centers_")
        return self._predict(X)

    def predict_proba(self, X: Any) -> NDArray:
        """Memberships of rows in the clusters; each row sums to 1, or to less with ``noise``.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, c)
        """
        check_is_fitted(self, "cluster_centers_")
        return self._predict_memberships(X)

    def transform(self, X: Any) -> NDArray:
        """Distances of rows to the centroids.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, c)
        """
        check_is_fitted(self, "cluster_centers_")
        return self._distances(X)


class CentroidEstimator(ClusterEstimator):
    """Base of estimators whose answer is a set of centroids with fuzzy memberships."""

    fuzzifier: float | str
    bandwidth: float | str
    n_jobs: int | None
    store_memberships: bool
    cluster_centers_: FloatArray
    _training_rows: NDArray | None
    _training_weights: FloatArray
    _coordinates: Coordinates
    _fitted_model: MembershipModel

    def _read_training(self, X: Any, sample_weight: Any) -> TrainingData:
        return read_whole(self, X, sample_weight)

    def _keep(self, training: TrainingData, polished: Polished, *, all_of: bool) -> None:
        """Store the answer in the user's units, the cluster with the most rows first.

        Centroids that are nearest to no row are left out, unless ``all_of`` them are wanted.
        """
        level, statistics = polished.level, polished.statistics
        coordinates, n_before = training.coordinates, polished.level.n_clusters
        order, self.labels_ = self._settled_labels(training, level, all_of=all_of)
        level, statistics = level.ordered(order), statistics.ordered(order)
        if len(order) < n_before:
            statistics = training.every_row.statistics(level.model, level.centroids)
        self.n_clusters_ = self._n_features_out = len(order)
        self.cluster_centers_ = coordinates.to_user(level.centroids)
        self.cluster_means_ = coordinates.to_user(statistics.held_means(level.centroids)[1])
        self.cluster_masses_ = statistics.mass * coordinates.unit
        self.cluster_confidences_ = statistics.confidence
        objective = level.objective_with(statistics.data_term)
        rest = noise_mass(level.model, statistics, training.every_row.total_weight)
        total, numbers = float(statistics.mass.sum()), (coordinates.scale, coordinates.unit)
        self.objective_ = float(
            level.model.in_user_units(objective, len(order), total + rest, *numbers)
        )
        self._coordinates = coordinates
        self._fitted_model = level.model.as_found()
        self._memberships: NDArray | None = None
        self._training_rows = training.kept if self.store_memberships else None
        kept = self._training_rows is not None
        self._training_weights = training.weights if kept else np.empty(0)

    def _settled_labels(
        self, training: TrainingData, level: Level, *, all_of: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """The clusters to report, in their order, and the labels that predictions will have.

        A row between two centroids has the label of the first: in another order that may leave
        a cluster without rows.
        """
        coordinates = training.coordinates
        # Predictions start from the centers that are stored: so do the labels.
        inside = coordinates.to_internal(coordinates.to_user(level.centroids))
        kept, is_sorted = np.argsort(-level.mass, kind="stable"), False  # likely that of rows
        while True:
            labels = training.labels(level.model.ordered(kept), inside[kept])
            if not (labels >= 0).any():
                raise ValueError(
                    f"noise={self.get_params().get('noise')!r} leaves no row to any cluster: "
                    "all are farther than that from all centroids. Give a larger distance."
                )
            order = by_size(labels, training.weights, level.mass[kept], all_of=all_of)
            is_sorted = is_sorted or bool((order[:-1] < order[1:]).all())
            if is_sorted and len(order) == len(kept):
                return kept, labels
            kept, is_sorted = kept[np.sort(order) if is_sorted else order], True

    def _inside(self, X: Any) -> NDArray:
        """New rows in internal coordinates."""
        check_is_fitted(self, "cluster_centers_")
        return self._coordinates.to_internal(read_rows(self, X, reset=False))

    def _kept_rows(self) -> NDArray:
        """The training rows in internal coordinates."""
        check_is_fitted(self, "cluster_centers_")
        if self._training_rows is None:
            raise AttributeError(
                "The training rows were not kept (store_memberships=False, or they came in "
                "blocks or from a large memory map, or the model was saved without them): call "
                "predict or predict_proba with the rows that you want to know about."
            )
        return self._training_rows

    def _labels(
        self, rows: NDArray, centers: FloatArray, model: MembershipModel
    ) -> NDArray[np.int32]:
        with thread_limit(check_jobs(self.n_jobs)):
            return model.labels(rows, self._coordinates.to_internal(centers))

    def _predicted(
        self, X: Any, centers: FloatArray, model: MembershipModel
    ) -> NDArray[np.int32]:
        if not comes_in_blocks(X):
            return self._labels(self._inside(X), centers, model)
        blocks = (self._coordinates.to_internal(one) for one in blocks_of(self, X, reset=False))
        return np.concatenate([self._labels(one, centers, model) for one in blocks])

    def _row_memberships(
        self, rows: NDArray, centers: FloatArray, model: MembershipModel
    ) -> NDArray:
        with thread_limit(check_jobs(self.n_jobs)):
            return model.memberships(rows, self._coordinates.to_internal(centers))

    @property
    def fuzzifier_(self) -> float:
        """The exponent m of the reported memberships; 1 where they have none."""
        check_is_fitted(self, "cluster_centers_")
        return self._fitted_model.fuzzifier

    @property
    def bandwidth_(self) -> float:
        """The bandwidth h of kernel memberships."""
        check_is_fitted(self, "cluster_centers_")
        model = self._fitted_model
        if not isinstance(model, KernelMemberships):
            raise AttributeError(
                f"The reported clusters have {model.name} memberships, and no bandwidth: fit "
                'with membership="kernel".'
            )
        return model.bandwidth * self._coordinates.scale

    @property
    def memberships_(self) -> NDArray:
        """Memberships of the training rows, n x c; computed when first asked for."""
        check_is_fitted(self, "cluster_centers_")
        if self._memberships is None:
            self._memberships = self._row_memberships(
                self._kept_rows(), self.cluster_centers_, self._fitted_model
            )
        return self._memberships

    @property
    def noise_membership_(self) -> NDArray:
        """What the noise cluster holds of each training row: what the clusters leave, n."""
        if self._fitted_model.noise == OFF:
            return np.zeros_like(self.memberships_[:, 0])
        return rest_of(self.memberships_)

    @property
    def noise_distance_(self) -> float:
        """Distance of the noise cluster from all rows; infinite where there is none."""
        check_is_fitted(self, "cluster_centers_")
        if self._fitted_model.is_likelihood:
            raise AttributeError(
                "The noise of Gaussian components is a density, and at no one distance: "
                "noise_membership_ is what it holds of the rows."
            )
        return float(np.sqrt(self._fitted_model.noise)) * self._coordinates.scale

    def _predict(self, X: Any) -> NDArray[np.int32]:
        return self._predicted(X, self.cluster_centers_, self._fitted_model)

    def _predict_memberships(self, X: Any) -> NDArray:
        return self._row_memberships(self._inside(X), self.cluster_centers_, self._fitted_model)

    def _distances(self, X: Any) -> NDArray:
        rows = self._inside(X)
        centers = self._coordinates.to_internal(self.cluster_centers_)
        distances = np.empty((len(rows), len(centers)), dtype=rows.dtype)
        # Squares of rows that lie far outside the data would overflow.
        reach = power_of_two(float(np.abs(rows).max(initial=1.0)))
        unit, centers = reach * self._coordinates.scale, centers / reach
        for start in range(0, len(rows), BLOCK):
            block = slice(start, start + BLOCK)
            distances[block] = cdist(rows[block] / reach, centers) * unit
        return distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the data term of the objective on ``X``: larger is better.

        Comparable between fits with the same fuzzifier, memberships and number of clusters
        only: with a larger fuzzifier, or more clusters, the data term falls whether they fit
        better or not, and a search over them would take the largest.  Such a search needs
        ``GridSearchCV(..., scoring=fastcaf.separation_score)``.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        rows = self._inside(X)
        centers = self._coordinates.to_internal(self.cluster_centers_)
        weights, unit = check_weights(sample_weight, rows), 1.0
        if len(weights):  # in single precision heavy ones overflow
            unit = power_of_two(float(weights.max()))
            weights = (weights / unit).astype(rows.dtype)
        with thread_limit(check_jobs(self.n_jobs)):
            statistics = self._fitted_model.statistics(rows, weights, centers)
        total = float(weights.sum()) if len(weights) else float(len(rows))
        rest, scale = noise_mass(self._fitted_model, statistics, total), self._coordinates.scale
        total = float(statistics.mass.sum()) + rest
        value = self._fitted_model.in_user_units(statistics.data_term, 0, total, scale, unit)
        return -float(value)


def fitted_attributes(level: Level, coordinates: Coordinates) -> dict[str, Any]:
    """What an estimator needs to predict with a level of its path, in the user's units."""
    level = level.ordered(level.by_size())
    return {
        "cluster_centers_": level.centroids,
        "n_clusters_": level.n_clusters,
        "_n_features_out": level.n_clusters,
        "_coordinates": coordinates,
        "_fitted_model": level.model,
        "_memberships": None,
        "_training_rows": None,
        "_training_weights": np.empty(0),
    }


def by_size(
    labels: NDArray[np.int32], weights: FloatArray, mass: FloatArray, *, all_of: bool = False
) -> NDArray[np.intp]:
    """The clusters that have rows, or all; most rows (by weight) first, then by mass."""
    n, held = len(mass), labels >= 0
    rows = np.bincount(labels[held], weights[held] if len(weights) else None, n)
    order = np.lexsort((-mass, -rows))
    return order if all_of else order[rows[order] > 0.0]
