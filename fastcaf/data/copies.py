"""What one row weighs: whether equal rows are copies of one, or different ones that agree.

Weight 2 means the row twice, and so equal rows and weights are one question.  Rows that are
written down coarsely agree by chance: each counts.  Rows of many digits do not.  They were
copied or weighed, and no more is known from a hundred copies than from one row.  A few points
that are repeated over and over are no accident either way, and each occurrence counts.
"""

from __future__ import annotations

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.resolution import FINEST

__all__ = ["weight_of_one_row"]

FEW_POINTS = 30
UNLIKELY = 20.0  # so many times as many equal pairs as chance explains
HEAVY = 4.0  # times the mean: above, a row is a value of its own, as 0 is where it is common


def weight_of_one_row(distinct: DistinctRows, blur: FloatArray, least: float) -> float:
    """The weight of a typical row where rows were copied or weighed, else ``least``.

    Chance explains about n^2 / (2 s) equal pairs among n rows, s the number of values that a
    column of this resolution may have; the column with most of them decides.  The typical
    weight is Kish's mean: every unit of weight is asked for the weight of its row.

    Parameters
    ----------
    distinct : DistinctRows
    blur : ndarray of shape (d,)
        Variances of rounding.
    least : float
        What a row weighs where each one counts.
    """
    weights = distinct.weights
    total = float(weights.sum())
    if len(distinct) <= FEW_POINTS:
        return least
    extent = np.ptp(distinct.rows, axis=0).astype(np.float64)
    varies = (extent > 0.0) & (blur > 0.0)
    slots = float((extent[varies] / np.sqrt(12.0 * blur[varies])).max(initial=1.0))
    by_chance = total**2 / slots if slots < 0.5 / FINEST else 0.0
    if float(weights @ weights) - least * total <= UNLIKELY * by_chance:
        return least
    usual = np.minimum(weights, HEAVY * total / len(weights))
    return max(least, float(usual @ usual) / float(usual.sum()))
