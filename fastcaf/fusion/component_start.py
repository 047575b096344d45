"""Where a path of Gaussian components begins: at a level of the entropy path.

Entropy memberships are Gaussian ones with a single variance and equal shares.  Their path,
which costs little, leads from the many starting centroids to a number for which covariances can
be told from the rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.array_rows import ArrayRows, nearest
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Level, Path
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.gaussian import GaussianMemberships, packed
from fastcaf.memberships.noise import FIRST_SHARE

__all__ = [
    "BEGIN_SHARE",
    "FEW_FEATURES",
    "begins_at",
    "components_around",
    "components_of",
    "knows_matrices",
    "most_components",
]

BEGIN_SHARE = 0.75  # of the starting centroids
MOST_COMPONENTS = 90  # or, where there are hundreds of starting centroids, a share of them:
LARGE_SHARE = 0.45
# With a matrix for each cluster: up to so many features in any data, or up to so many where
# there are enough rows for each feature; then a component has so many of them.
FEW_FEATURES, MOST_FEATURES = 20, 100
ROWS_A_FEATURE, ROWS_OF_A_COMPONENT = 8, 2
# Rows of the prior of a variance.  One number is known from few rows; more of them hide in many
# features that spreads are unequal.
ROUND_ROWS = 1.0
NONE: FloatArray = np.empty(0)


def knows_matrices(n_rows: int, d: int) -> bool:
    """Whether a covariance matrix for each cluster can be known from so many rows."""
    return d <= FEW_FEATURES or (d <= MOST_FEATURES and n_rows >= ROWS_A_FEATURE * d)


def most_components(n_start: int, n_rows: int, d: int, *, is_round: bool) -> int:
    """How many components to begin with."""
    most = max(MOST_COMPONENTS, int(LARGE_SHARE * n_start))
    if not is_round and d > FEW_FEATURES:
        most = min(most, n_rows // (ROWS_OF_A_COMPONENT * d))
    return max(1, min(int(BEGIN_SHARE * n_start), most))


def begins_at(path: Path, n_rows: int, *, is_round: bool, all_of: bool = False) -> Level:
    """The first level of an entropy path with few enough centroids, or with ``all_of`` them."""
    n_start, d = path.start.shape
    most = n_start if all_of else most_components(n_start, n_rows, d, is_round=is_round)
    return next((one for one in path.levels if one.n_clusters <= most), path.levels[-1])


def components_of(
    level: Level, model: GaussianMemberships, training: TrainingData, scales: FloatArray = NONE
) -> tuple[GaussianMemberships, FloatArray]:
    """The model with a component for each centroid of an entropy level, and the centroids.

    Where ``scales`` are given, both are for rows whose features are divided by them.
    """
    entropy = level.model
    assert isinstance(entropy, EntropyMemberships)
    blur, centroids = training.variance_of_rounding, level.centroids
    if len(scales):
        blur, centroids = blur / scales**2, centroids / scales
    variance, one_row = 0.5 * entropy.temperature, training.rows.one_row
    model = replace(model, noise_rule=entropy.noise_rule)
    found = _alike(model, variance, level.mass, blur, one_row)
    share = level.noise_mass / (level.noise_mass + float(level.mass.sum()))
    return found.with_background(share), centroids


def components_around(
    places: FloatArray, rows: ArrayRows, model: GaussianMemberships, blur: FloatArray
) -> GaussianMemberships:
    """The model with a component for each place, as wide as rows are from the nearest."""
    labels, squares, _ = nearest(rows.rows, places)
    weights = rows.weights.astype(np.float64)
    mass: FloatArray = np.bincount(labels, weights, len(places)).astype(np.float64)
    variance = float(weights @ squares) / (float(weights.sum()) * places.shape[1])
    return _alike(model, variance, mass, blur, rows.one_row).with_background(FIRST_SHARE)


def _alike(
    model: GaussianMemberships,
    variance: float,
    mass: FloatArray,
    blur: FloatArray,
    one_row: float,
) -> GaussianMemberships:
    """The model with round components of one variance."""
    n, d = len(mass), len(blur)
    variance = max(variance, float(blur.mean()), 1e-300)
    covariances = np.full((n, 1), variance)
    if not model.is_round:
        covariances = packed(np.tile(variance * np.eye(d), (n, 1, 1)))
    mass = np.maximum(mass, 1e-12 * mass.sum())
    return replace(
        model,
        covariances=covariances,
        shares=mass / mass.sum(),
        blur=blur,
        n_features=max(1, int((blur > 0.0).sum())),
        strength=(ROUND_ROWS if model.is_round else d + 2.0) * one_row,
    )
