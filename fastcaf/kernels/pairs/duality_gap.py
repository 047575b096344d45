"""Certificates of the centroid problem: how far a U is from the best, and what is fused.

See ``fusion.py`` for the problem, its dual and the layout of the arrays.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import fma, kernel, reduction
from fastcaf.kernels.pairs.union_find import number_components, union

INSIDE = 1.0 - 1e-9  # a multiplier this far inside the ball: its pair is fused


class Problem(NamedTuple):
    """What is solved, and how well.  An empty ``pull``: every pair has the weight 1."""

    w: np.ndarray
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
    """Weight of a pair with these pulls: half their harmonic mean."""
    return one * other / (one + other)


@kernel
def weighted_distances(u, pair_mass):
    """The (weighted) sum of the distances between all pairs."""
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
                squares[j] *= pair_weight(pair_mass[k], pair_mass[k + 1 + j])
        distances += sum_of(squares)
    return distances


@kernel
def _primal(problem, u):
    """P(U), and the (weighted) sum of the distances between all pairs."""
    distances = weighted_distances(u, problem.pair_mass)
    value = problem.gamma * distances
    for f in range(u.shape[0]):
        for j in range(u.shape[1]):
            value += 0.5 * problem.w[j] * (u[f, j] - problem.m[f, j]) ** 2
    return value, distances


@kernel
def dual_value(problem, z):
    """D(lambda), from the sums of the multipliers."""
    value = 0.0
    for f in range(z.shape[0]):
        for j in range(z.shape[1]):
            value -= z[f, j] * (problem.m[f, j] + 0.5 * z[f, j] / problem.w[j])
    return value


@kernel
def _join_fused(problem, u, multipliers, gap, labels):
    """Join centroids whose pair has v = 0 and whose distance the gap cannot tell from 0.

    P is strongly convex with moduli w: ||u_j - u*_j|| <= sqrt(2 gap / w_j).
    OUT labels: the set of each centroid.  Returns the number of sets.
    """
    d, n = u.shape
    pair_mass = problem.pair_mass
    parent, reach = np.arange(n), np.empty(n)
    for j in range(n):
        reach[j] = np.sqrt(2.0 * gap / problem.w[j])
    boundary = (problem.gamma * INSIDE) ** 2
    norms = np.empty(n)
    for k in range(n - 1):
        length = n - 1 - k
        offset = block_start(k, n, d)
        for j in range(length):
            norms[j] = 0.0
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            for j in range(length):
                norms[j] = fma(block[j], block[j], norms[j])
        if pair_mass.shape[0] > 0:
            for j in range(length):
                norms[j] /= pair_weight(pair_mass[k], pair_mass[k + 1 + j]) ** 2
        for j in range(length):
            if norms[j] < boundary:
                distance = 0.0
                for f in range(d):
                    distance += (u[f, k] - u[f, k + 1 + j]) ** 2
                if np.sqrt(distance) <= reach[k] + reach[k + 1 + j]:
                    union(parent, k, k + 1 + j)
    return number_components(parent, labels)


@kernel
def _means_of_sets(w, u, labels, count, out):
    """Move every centroid to the weighted mean of its set."""
    weight = np.zeros(count)
    for j in range(labels.shape[0]):
        weight[labels[j]] += w[j]
    mean = np.empty(count)
    for f in range(u.shape[0]):
        for k in range(count):
            mean[k] = 0.0
        for j in range(labels.shape[0]):
            mean[labels[j]] += w[j] / weight[labels[j]] * u[f, j]
        for j in range(labels.shape[0]):
            out[f, j] = mean[labels[j]]


@kernel
def certify(problem, u, start, multipliers, dual, labels, scratch):
    """Try U, fused where it may be, as the answer.

    Returns the relative duality gap and the sum of pair distances.  Where the fused U
    passes, ``labels`` holds its sets and ``u`` is overwritten by it; otherwise every
    centroid stands alone.  An answer is never worse than the start: where an inexact U is,
    the start itself has the smaller gap and is returned.
    """
    plain, distances = _primal(problem, u)
    count = _join_fused(problem, u, multipliers, max(plain - dual, 0.0), labels)
    if count < labels.shape[0]:
        _means_of_sets(problem.w, u, labels, count, scratch)
        value, fused_distances = _primal(problem, scratch)
        if value - dual <= problem.fusion_tolerance * value:
            copy_into(u, scratch)
            return (value - dual) / value, fused_distances
        for j in range(labels.shape[0]):
            labels[j] = j
    if plain - dual <= problem.tolerance * plain:
        value, start_distances = _primal(problem, start)
        if value < plain:
            copy_into(u, start)
            return (value - dual) / value, start_distances
    return (plain - dual) / plain, distances


@kernel
def _sum_of_weights(pair_mass, k, n):
    """Sum of the weights of the pairs with ``k``."""
    if pair_mass.shape[0] == 0:
        return n - 1.0
    total = 0.0
    for j in range(n):
        if j != k:
            total += pair_weight(pair_mass[k], pair_mass[j])
    return total


@kernel
def all_fused(problem, u, multipliers):
    """Answer with one point where that is certified beforehand.

    lambda_kl = w_k w_l (m_l - m_k) / sum w makes the weighted mean optimal; it is feasible
    if no norm exceeds its radius.  Without this shortcut a gamma far above what fuses
    everything would drown the data in rounding.  OUT u, multipliers, if the answer is True.
    """
    w, m, gamma, pair_mass = problem.w, problem.m, problem.gamma, problem.pair_mass
    d, n = m.shape
    total = 0.0
    for j in range(n):
        total += w[j]
    mean = np.zeros(d)
    for f in range(d):
        for j in range(n):
            mean[f] += w[j] / total * m[f, j]
    for j in range(n):  # cheap and necessary: nothing beats n - 1 multipliers
        needed = 0.0
        for f in range(d):
            needed += (w[j] * (m[f, j] - mean[f])) ** 2
        if np.sqrt(needed) > gamma * _sum_of_weights(pair_mass, j, n):
            return False
    for k in range(n - 1):
        for j in range(k + 1, n):
            norm = 0.0
            for f in range(d):
                norm += (m[f, k] - m[f, j]) ** 2
            radius = (
                gamma
                if pair_mass.shape[0] == 0
                else gamma * pair_weight(pair_mass[k], pair_mass[j])
            )
            if w[k] * (w[j] / total) * np.sqrt(norm) > radius:
                return False
    for k in range(n - 1):
        length = n - 1 - k
        offset = block_start(k, n, d)
        for f in range(d):
            for j in range(length):
                share = w[k] * (w[k + 1 + j] / total)
                multipliers[offset + f * length + j] = share * (m[f, k + 1 + j] - m[f, k])
    for f in range(d):
        for j in range(n):
            u[f, j] = mean[f]
    return True
