"""The operations of ``vectors.py`` on vectors of one number: plain Python that Numba compiles.

In use where Numba is switched off, and where it does not compile the intrinsics.
"""

import numpy as np

from fastcaf.kernels.jit import kernel

CUT = 30.0  # exp(-30) is below the rounding of float32 sums and near that of float64


@kernel
def count_lanes(array):
    """How many numbers of an array make a vector."""
    return 1


@kernel
def load(array, offset):
    """Consecutive numbers of an array."""
    return array.reshape(-1)[offset]


@kernel
def store(array, offset, vector):
    """Write to consecutive places of an array."""
    array.reshape(-1)[offset] = vector


@kernel
def store_four(array, offset, stride, a, b, c, d):
    """Write four vectors, ``stride`` numbers apart."""
    flat = array.reshape(-1)
    flat[offset], flat[offset + stride] = a, b
    flat[offset + 2 * stride], flat[offset + 3 * stride] = c, d


@kernel
def load_broadcast(array, offset):
    """One number of an array, in every lane."""
    return array.reshape(-1)[offset]


@kernel
def broadcast(number):
    """The number in every lane."""
    return number


@kernel
def multiply_add(a, b, c):
    """Compute a * b + c."""
    return a * b + c


@kernel
def minimum(a, b):
    """The smaller of two, lane by lane."""
    return b if b < a else a


@kernel
def horizontal_sum(vector):
    """Sum of the lanes."""
    return vector


@kernel
def horizontal_min(vector):
    """The smallest of the lanes."""
    return vector


@kernel
def any_at_most(vector, limits):
    """Whether some lane is at most its limit."""
    return vector <= limits


@kernel
def exp_negative(exponents):
    """exp(x) for x in [-CUT, 0], 0 for smaller x (and for no number)."""
    return np.exp(exponents if exponents >= -CUT else -np.inf)
