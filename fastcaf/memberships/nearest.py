"""The nearest centroid of every row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.rows import distances
from fastcaf.runtime.threads import PARALLEL_WORK, launch

__all__ = ["nearest"]


def nearest(rows: NDArray, centroids: FloatArray) -> tuple[NDArray[np.int32], NDArray, NDArray]:
    """Nearest centroid of every row, and squared distances to the nearest two."""
    result: tuple[NDArray[np.int32], NDArray, NDArray] = launch(
        distances.nearest_serial,
        distances.nearest_parallel,
        rows.size * len(centroids) > PARALLEL_WORK,
        np.ascontiguousarray(rows),  # kernels load from memory as it lies
        centroids,
    )
    return result
