"""Paths on standardised features, and their levels in the features as they are.

Entropy memberships know distances only, and one wide feature hides the others.  Where features
have very different spreads, a second path is followed on rows divided by their deviations.  Its
levels are converted back, so that all else sees one kind of coordinates.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Level, Path
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.gaussian import GaussianMemberships, packed

__all__ = ["in_plain_features", "spreads_of", "standardised_training"]

UNEQUAL = 2.0  # largest deviation over the smallest, from which on it is worth it


def spreads_of(training: TrainingData) -> FloatArray:
    """Deviation of every feature where they are very unequal, else nothing."""
    rows = training.rows.in_memory()
    variances = np.diag(training.second_moments) / rows.total_weight
    varies = training.variance_of_rounding > 0.0
    if varies.sum() < 2:
        return np.empty(0)
    deviations = np.sqrt(np.where(varies, variances, 1.0))
    if not deviations[varies].max() > UNEQUAL * deviations[varies].min():
        return np.empty(0)
    return deviations


def standardised_training(training: TrainingData, scales: FloatArray) -> TrainingData:
    """The same training data with features divided by ``scales``, for paths only."""
    rows = training.rows.in_memory()
    scaled = copy(training)
    scatter = rows.scatter
    if len(scatter):  # alike in every direction
        scatter = (scatter * np.mean(scales**-2.0)).astype(scatter.dtype)
    values = rows.rows / scales.astype(rows.rows.dtype)
    scaled.rows = replace(rows, rows=values, scatter=scatter)
    scaled.squared_unit = float(np.mean(scales**-2.0))
    return scaled


def in_plain_features(path: Path, scales: FloatArray) -> Path:
    """A path that was followed on standardised features, in the features as they are."""
    return replace(
        path,
        start=path.start * scales,
        levels=[_level(one, scales) for one in path.levels],
        dropped=[replace(one, centroid=one.centroid * scales) for one in path.dropped],
    )


def _level(level: Level, scales: FloatArray) -> Level:
    model = level.model
    if isinstance(model, EntropyMemberships):
        model = replace(model, scales=tuple(scales.tolist()))
    elif isinstance(model, GaussianMemberships):
        products = packed(np.multiply.outer(scales, scales)[None])
        model = replace(
            model,
            covariances=model.covariances * products,
            blur=model.blur * scales**2,
            noise=model.noise + 2.0 * float(np.log(scales).sum()),
        )
    return replace(level, centroids=level.centroids * scales, model=model)
