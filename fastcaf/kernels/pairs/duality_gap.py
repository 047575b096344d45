"""The duality gap of the centroid problem: how far a U is from the best, without knowing it.

    P(U)      = 1/2 sum_j w_j ||u_j - m_j||^2 + sum_{k<l} r_kl ||u_k - u_l||
    D(lambda) = -sum_j <z_j, m_j> - 1/2 sum_j ||z_j||^2 / w_j,    z_j = sum_l lambda_jl,

for multipliers with ||lambda_kl|| <= r_kl.  P(U) - D(lambda) >= 0 bounds what any U could be
better by (see ``problem.py`` for the problem and the layout of its arrays).
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.pairs.matrix_weights import (
    matrix_all_fused,
    matrix_dual,
    matrix_means_of_sets,
    matrix_squares,
)
from fastcaf.kernels.pairs.merge import fused_sets, means_of_sets
from fastcaf.kernels.pairs.problem import (
    block_start,
    copy_into,
    pair_weight,
    weight_of_pair,
    weighted_distances,
)
from fastcaf.kernels.pairs.tree_flow import flow_along_tree


@kernel
def primal_value(problem, u):
    """P(U), and the (weighted) sum of the distances between all pairs."""
    distances = weighted_distances(u, problem.pair_mass)
    value = problem.gamma * distances
    if problem.matrices.a.shape[0] > 0:
        return value + 0.5 * matrix_squares(problem.matrices.a, u, problem.m), distances
    for f in range(u.shape[0]):
        for j in range(u.shape[1]):
            value += 0.5 * problem.w[j] * (u[f, j] - problem.m[f, j]) ** 2
    return value, distances


@kernel
def dual_value(problem, z):
    """D(lambda) = -sum_j <z_j, m_j + z_j / (2 w_j)>, from the sums of the multipliers."""
    if problem.matrices.a.shape[0] > 0:
        return matrix_dual(problem.matrices, problem.m, z)
    value = 0.0
    for f in range(z.shape[0]):
        for j in range(z.shape[1]):
            value -= z[f, j] * (problem.m[f, j] + 0.5 * z[f, j] / problem.w[j])
    return value


@kernel
def certify(problem, u, start, multipliers, dual, labels, scratch):
    """Try U, fused where it may be, as the answer.

    Returns the relative duality gap and the sum of pair distances.  Where the fused U
    passes, ``labels`` holds its sets and ``u`` is overwritten by it; otherwise every
    centroid stands alone.  An answer is never worse than the start: where an inexact U is,
    the start itself has the smaller gap and is returned.
    """
    plain, distances = primal_value(problem, u)
    count = fused_sets(problem, u, multipliers, max(plain - dual, 0.0), labels)
    if count < labels.shape[0]:
        if problem.matrices.a.shape[0] > 0:
            matrix_means_of_sets(problem.matrices.a, u, labels, count, scratch)
        else:
            means_of_sets(problem.w, u, labels, count, scratch)
        value, fused_distances = primal_value(problem, scratch)
        if value - dual <= problem.fusion_tolerance * value:
            copy_into(u, scratch)
            return (value - dual) / value, fused_distances
        for j in range(labels.shape[0]):
            labels[j] = j
    if plain - dual <= problem.tolerance * plain:
        value, start_distances = primal_value(problem, start)
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
            total += weight_of_pair(pair_mass, k, j, n)
    return total


@kernel
def _all_fused_by_matrices(problem, u, multipliers):
    """``all_fused`` for weights that are matrices."""
    m, gamma, pair_mass = problem.m, problem.gamma, problem.pair_mass
    d, n = m.shape
    least, is_matrix = gamma, pair_mass.shape[0] > n
    if is_matrix:  # pairs may have no weight: another way, below
        least = np.inf
    elif pair_mass.shape[0] > 0:  # the two lightest
        first, second = np.inf, np.inf
        for j in range(n):
            if pair_mass[j] < first:
                first, second = pair_mass[j], first
            elif pair_mass[j] < second:
                second = pair_mass[j]
        least = gamma * pair_weight(first, second)
    place, pulls = np.empty_like(u), np.empty((n, d))
    if not matrix_all_fused(problem.matrices, m, least, place, pulls):
        return False
    if is_matrix:
        if not flow_along_tree(gamma, pair_mass, pulls, multipliers):
            return False
        copy_into(u, place)
        return True
    copy_into(u, place)
    for k in range(n - 1):
        length = n - 1 - k
        offset = block_start(k, n, d)
        for f in range(d):
            for j in range(length):
                multipliers[offset + f * length + j] = (pulls[k + 1 + j, f] - pulls[k, f]) / n
    return True


@kernel
def _all_fused_along_tree(problem, mean, u, multipliers):
    """``all_fused`` where pairs may have no weight."""
    w, m = problem.w, problem.m
    d, n = m.shape
    pulls = np.empty((n, d))
    for j in range(n):
        for f in range(d):
            pulls[j, f] = w[j] * (m[f, j] - mean[f])
    if not flow_along_tree(problem.gamma, problem.pair_mass, pulls, multipliers):
        return False
    for f in range(d):
        for j in range(n):
            u[f, j] = mean[f]
    return True


@kernel
def all_fused(problem, u, multipliers):
    """Answer with one point where that is certified beforehand.

    lambda_kl = w_k w_l (m_l - m_k) / sum w makes the weighted mean optimal; it is feasible
    if no norm exceeds its radius.  Without this shortcut a gamma far above what fuses
    everything would drown the data in rounding.  OUT u, multipliers, if the answer is True.
    """
    if problem.matrices.a.shape[0] > 0:
        return _all_fused_by_matrices(problem, u, multipliers)
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
    if pair_mass.shape[0] > n:
        return _all_fused_along_tree(problem, mean, u, multipliers)
    for k in range(n - 1):
        for j in range(k + 1, n):
            norm = 0.0
            for f in range(d):
                norm += (m[f, k] - m[f, j]) ** 2
            radius = (
                gamma if pair_mass.shape[0] == 0 else gamma * weight_of_pair(pair_mass, k, j, n)
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
