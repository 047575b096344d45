"""The operations of ``vectors.py`` on small arrays, one for each vector.

In use where Numba is switched off, and, compiled, where the intrinsics do not work.
"""

import numpy as np
from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

from fastcaf.kernels.jit import kernel

# As long as a register, so that the eight sums of the longest loop and their operands fit.
BYTES = 64 if get_host_cpu_features().get("avx512f") else 32
CUT = 30.0  # exp(-30) is below the rounding of float32 sums and near that of float64


@kernel
def load(array, offset):
    """Consecutive numbers of an array."""
    return array.reshape(-1)[offset : offset + BYTES // array.itemsize].copy()


@kernel
def store(array, offset, vector):
    """Write to consecutive places of an array."""
    array.reshape(-1)[offset : offset + len(vector)] = vector


@kernel
def store_four(array, offset, stride, a, b, c, d):
    """Write four vectors, ``stride`` numbers apart."""
    store(array, offset, a)
    store(array, offset + stride, b)
    store(array, offset + 2 * stride, c)
    store(array, offset + 3 * stride, d)


@kernel
def load_broadcast(array, offset):
    """One number of an array, in every lane."""
    return np.full(BYTES // array.itemsize, array.reshape(-1)[offset])


@kernel
def broadcast(number):
    """The number in every lane."""
    return load_broadcast(np.array([number]), 0)


@kernel
def multiply_add(a, b, c):
    """Compute a * b + c."""
    return a * b + c


@kernel
def minimum(a, b):
    """The smaller of two, lane by lane."""
    return np.minimum(a, b)


@kernel
def horizontal_sum(vector):
    """Sum of the lanes."""
    return vector.sum()


@kernel
def horizontal_min(vector):
    """The smallest of the lanes."""
    return vector.min()


@kernel
def any_at_most(vector, limits):
    """Whether some lane is at most its limit."""
    return (vector <= limits).any()


@kernel
def exp_negative(exponents):
    """exp(x) for x in [-CUT, 0], 0 for smaller x (and for no number)."""
    return np.exp(np.where(exponents >= -CUT, exponents, np.full_like(exponents, -np.inf)))
