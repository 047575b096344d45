"""The centroid problem: its data, the weights of the pairs, and how their multipliers lie.

    min over U   P(U) = 1/2 sum_j w_j ||u_j - m_j||^2 + sum_{k<l} r_kl ||u_k - u_l||

or, where weights are matrices, with (u_j - m_j)^T A_j (u_j - m_j) (``matrix_weights.py``).
Here r_kl = gamma omega_kl, and the array ``pair_mass`` says omega: empty, it is 1 for all;
of K numbers p, it is p_k p_l / (p_k + p_l); of K^2 numbers, it is the symmetric matrix of them,
row by row.  It may be 0 then: such a pair has the multiplier 0 and
does not fuse by itself.  K is at most some 2 sqrt(n), so that pairs without weight are swept
over like the others, and need no kernels of their own.

Layout: U, M and z as d x K.  The multipliers lie in one vector: for k = 0, 1, ... a block
d x (K-1-k) with the pairs (k, k+1), (k, k+2), ..., so that inner loops run over pairs.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import fma, kernel, reduction
from fastcaf.kernels.pairs.matrix_weights import MatrixWeights


class Problem(NamedTuple):
    """What is solved, and how well.  An empty ``pair_mass``: every pair has the weight 1.

    Where ``matrices`` are given, w are lower bounds of their eigenvalues.
    """

    w: np.ndarray
    matrices: MatrixWeights
    m: np.ndarray
    gamma: float
    pair_mass: np.ndarray
    tolerance: float
    fusion_tolerance: float


@reduction
def sum_of(values):
    """Sum of a vector."""
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return total


@kernel
def block_start(k, n, d):
    """Where the multipliers of the pairs (k, k+1), (k, k+2), ... begin."""
    return d * (k * (2 * n - k - 1) // 2)


@kernel
def copy_into(out, values):
    """out[:] = values for two arrays of one shape.

    Written out: for the assignment Numba compiles three seconds' worth of checks.
    """
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            out[i, j] = values[i, j]


@kernel
def clear(array):
    """Set all numbers to 0."""
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            array[i, j] = 0


@kernel
def pair_weight(one, other):
    """p_k p_l / (p_k + p_l), half the harmonic mean of two pair masses."""
    return one * other / (one + other)


@kernel
def weight_of_pair(pair_mass, k, j, n):
    """omega_kj, where ``pair_mass`` is not empty."""
    if pair_mass.shape[0] == n:
        return pair_weight(pair_mass[k], pair_mass[j])
    return pair_mass[k * n + j]


@kernel
def weighted_distances(u, pair_mass):
    """sum_{k<l} r_kl / gamma ||u_k - u_l||, the (weighted) distances of all pairs."""
    d, n = u.shape
    buffer = np.empty(n)
    distances = 0.0
    for k in range(n - 1):
        squares = buffer[: n - 1 - k]
        for j in range(squares.shape[0]):
            squares[j] = 0.0
        for f in range(d):
            others = u[f, k + 1 :]
            own = u[f, k]
            for j in range(squares.shape[0]):
                squares[j] = fma(own - others[j], own - others[j], squares[j])
        for j in range(squares.shape[0]):
            squares[j] = np.sqrt(squares[j])
        if pair_mass.shape[0] > 0:
            for j in range(squares.shape[0]):
                squares[j] *= weight_of_pair(pair_mass, k, k + 1 + j, n)
        distances += sum_of(squares)
    return distances
