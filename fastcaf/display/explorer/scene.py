"""Rows and centroids as the scatter shows them: whole numbers on two axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.display.explorer.rows import PageRows
from fastcaf.display.projection import Projection, project_on

__all__ = ["FINEST", "Scene"]

FINEST = 65_535  # places from 0 to here: finer than any screen, and two bytes


@dataclass(frozen=True)
class Scene:
    """The part of the plane that is drawn.

    Attributes
    ----------
    projection : Projection
    lowest, highest : ndarrays of shape (2,)
        Ends of the axes, in the user's units.
    points : ndarray of shape (s, 2)
        Places of the rows shown.
    """

    projection: Projection
    lowest: FloatArray
    highest: FloatArray
    points: NDArray[np.int64]

    @classmethod
    def of(cls, model: Any, rows: PageRows, centroids: list[FloatArray]) -> Scene:
        """A scene that holds the rows shown, and all of these centroids."""
        outside = model._coordinates.to_user(rows.inside)
        projection = project_on(outside, rows.names)
        points = projection(outside[rows.shown])
        every = np.vstack([points, *map(projection, centroids)])
        lowest, highest = every.min(axis=0), every.max(axis=0)
        places = _places(points, lowest, highest)
        if model.n_features_in_ == 1:  # rows on a line would hide each other
            places[:, 1] = np.random.default_rng(0).integers(FINEST, size=len(places))
        return cls(projection, lowest, highest, places)

    def places(self, centroids: FloatArray) -> NDArray[np.int64]:
        """Centroids where the scatter draws them."""
        return _places(self.projection(centroids), self.lowest, self.highest)

    def as_dict(self) -> dict[str, Any]:
        """The axes as the page knows them."""
        one = len(self.projection.mean) == 1
        return {
            "names": [self.projection.names[0], "" if one else self.projection.names[1]],
            "lowest": self.lowest.tolist(),
            "highest": self.highest.tolist(),
            "finest": FINEST,
            "scattered": one,
        }


def _places(points: FloatArray, lowest: FloatArray, highest: FloatArray) -> NDArray[np.int64]:
    """Whole numbers from 0 to ``FINEST``; the middle where an axis has no length."""
    half = highest / 2.0 - lowest / 2.0  # the whole may overflow
    share = (points / 2.0 - lowest / 2.0) / np.where(half > 0.0, half, 1.0)
    share = np.where(half > 0.0, share, 0.5)
    return np.rint(FINEST * share).astype(np.int64)
