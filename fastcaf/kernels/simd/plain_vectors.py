"""What ``lanes.py`` does, in plain NumPy: lanes are small arrays.

In use where Numba is switched off, and as its twin in the tests.
"""

import numpy as np
from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

# As long as a register, so that the eight sums of the longest loop and their operands fit.
BYTES = 64 if get_host_cpu_features().get("avx512f") else 32
CUT = 30.0  # exp(-30) is below the rounding of float32 sums and near that of float64


def _count(dtype):
    return BYTES // dtype.itemsize


def load(array, offset):
    """Lanes of consecutive numbers of an array."""
    return array.reshape(-1)[offset : offset + _count(array.dtype)].copy()


def store(array, offset, lanes):
    """Write lanes to consecutive places of an array."""
    array.reshape(-1)[offset : offset + len(lanes)] = lanes


def store_four(array, offset, stride, a, b, c, d):
    """Write four times lanes, ``stride`` numbers apart."""
    for k, lanes in enumerate((a, b, c, d)):
        store(array, offset + k * stride, lanes)


def broadcast(array, offset):
    """One number of an array, in every lane."""
    return splat(array.reshape(-1)[offset])


def splat(number):
    """The number in every lane."""
    return np.full(_count(number.dtype), number)


def multiply_add(a, b, c):
    """Compute a * b + c."""
    return a * b + c


def least(a, b):
    """The smaller of two, lane by lane."""
    return np.minimum(a, b)


def total(lanes):
    """Sum of the lanes."""
    return lanes.sum()


def lowest(lanes):
    """The smallest of the lanes."""
    return lanes.min()


def any_within(lanes, limits):
    """Whether some lane is at most its limit."""
    return bool((lanes <= limits).any())


def decay(lanes):
    """exp(x) for x in [-CUT, 0], 0 for smaller x (and for no number)."""
    return np.where(lanes >= -CUT, np.exp(lanes), lanes.dtype.type(0))
