"""The centroid problem by ADMM, in its one-array form.

    min over U   P(U) = 1/2 sum_j w_j ||u_j - m_j||^2 + sum_{k<l} r_kl ||u_k - u_l||

Here r_kl = gamma for every pair, or gamma p_k p_l / (p_k + p_l) where an array p of K pulls is
given; an empty array stands for the former.

With v_kl = u_k - u_l and penalty beta, one sweep over the pairs does the proximal step, the
multiplier step and the next right-hand side at once (Moreau's identity):

    y = beta (u_k - u_l) - lambda_kl,     lambda_kl <- -y min(1, r_kl / ||y||)

Only the multipliers are stored.  After a sweep each is feasible for the dual, whatever the
warm start was,

    D(lambda) = -sum_j <z_j, m_j> - 1/2 sum_j ||z_j||^2 / w_j,    z_j = sum_l lambda_jl,

and v_kl = 0 exactly where ||lambda_kl|| < r_kl.  Writing A^T A = K I - 1 1^T, the U-step is

    (diag(w + beta K) - beta 1 1^T) U = w M + beta (K U_old - 1 sum U_old) - z_old + 2 z,

solved in O(K d) by the Sherman-Morrison identity.  Where pairs have weights, each has a
penalty of its own, beta s_k s_l with s = sqrt(p / 2).  Being a product it leaves the matrix
diagonal plus rank one: 1 1^T becomes s s^T, and K becomes s sum(s).

Layout: U, M and z as d x K.  The multipliers lie in one vector: for k = 0, 1, ... a block
d x (K-1-k) with the pairs (k, k+1), (k, k+2), ..., so that inner loops run over pairs.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import fma, kernel, parallel_kernel, prange
from fastcaf.kernels.pairs.duality_gap import (
    Problem,
    all_fused,
    block_start,
    certify,
    clear,
    copy_into,
    dual_value,
    pair_weight,
    sum_of,
)

# beta = BETA gamma / (root mean square distance of the means).  One constant serves weights
# over six orders of magnitude and any gamma: multipliers are of size gamma and differences
# of the size of the data, so this balances the two residuals without a parameter.  s_k s_l is
# near the weight of a pair.  With one beta for all weighted pairs light centroids crawl: with
# weights over six orders of magnitude it took 40 times as many sweeps.
BETA = 6.0
PARALLEL_CENTROIDS = 256  # fewer: a sweep is shorter than the launch of the threads
SWEEP_CHUNKS = 16


class Penalty(NamedTuple):
    """The penalty beta s_k s_l of pairs, and what the U-step needs of it.

    ``diagonal`` is w + beta s S with S = sum s; ``held`` is S (1 - beta sum s^2 / diagonal)
    without cancellation.
    """

    beta: float
    s: np.ndarray
    total_s: float
    diagonal: np.ndarray
    held: float


@kernel
def lifted_means(weight, sums, centroids, least):
    """Weights not below ``least`` times their mean, and the means that go with them.

    What a weight is lifted by counts at the centroid's own place: a centroid that no row
    holds stays where it is.  Returns weights (K) and means (K x d).
    """
    total = 0.0
    for j in range(sums.shape[0]):
        total += weight[j]
    lifted, means = np.empty_like(weight), np.empty_like(sums)
    for j in range(sums.shape[0]):
        lifted[j] = max(weight[j], least * (total / sums.shape[0]))
        extra = lifted[j] - weight[j]
        for f in range(sums.shape[1]):
            means[j, f] = (sums[j, f] + extra * centroids[j, f]) / lifted[j]
    return lifted, means


@kernel
def _shrink(squares, k, gamma, pair_mass):
    """Factors that bring y of the pairs (k, k+1), ... into their balls, with -1.

    IN/OUT squares: the squared norms of y, then the factors.
    """
    if pair_mass.shape[0] == 0:
        for j in range(squares.shape[0]):
            squares[j] = -gamma / max(gamma, np.sqrt(squares[j]))
    else:
        for j in range(squares.shape[0]):
            radius = gamma * pair_weight(pair_mass[k], pair_mass[k + 1 + j])
            squares[j] = -radius / max(radius, np.sqrt(squares[j]))


@kernel
def _sweep_rows(gamma, pair_mass, beta, s, u, multipliers, start, stop, z):
    """Update the multipliers of pairs (k, l), start <= k < stop; add them to ``z``."""
    d, n = u.shape
    weighted = pair_mass.shape[0] > 0
    buffer = np.empty(n)
    for k in range(start, stop):
        length = n - 1 - k
        offset = block_start(k, n, d)
        factor = buffer[:length]
        for j in range(length):
            factor[j] = 0.0
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            others = u[f, k + 1 :]
            if weighted:
                for j in range(length):
                    y = beta * s[k] * s[k + 1 + j] * (u[f, k] - others[j]) - block[j]
                    block[j] = y
                    factor[j] = fma(y, y, factor[j])
            else:
                own = beta * u[f, k]
                for j in range(length):
                    y = fma(-beta, others[j], own) - block[j]
                    block[j] = y
                    factor[j] = fma(y, y, factor[j])
        _shrink(factor, k, gamma, pair_mass)
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            others = z[f, k + 1 :]
            for j in range(length):
                block[j] *= factor[j]
                others[j] -= block[j]
            z[f, k] += sum_of(block)


@kernel
def _multiplier_sums(multipliers, z):
    """z_j = sum_l lambda_jl with the sign of the pair's order."""
    d, n = z.shape
    clear(z)
    for k in range(n - 1):
        length = n - 1 - k
        offset = block_start(k, n, d)
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            others = z[f, k + 1 :]
            for j in range(length):
                others[j] -= block[j]
            z[f, k] += sum_of(block)


@kernel
def _update_centroids(problem, penalty, z_old, z, u):
    """The U-step.  IN z_old, z; OUT u (in: the last U)."""
    w, m = problem.w, problem.m
    beta, s, total_s = penalty.beta, penalty.s, penalty.total_s
    d, n = u.shape
    for f in range(d):
        total = 0.0
        for j in range(n):
            total += s[j] * u[f, j]
        solved = 0.0
        for j in range(n):
            right = w[j] * m[f, j] + beta * s[j] * (total_s * u[f, j] - total)
            right += 2.0 * z[f, j] - z_old[f, j]
            u[f, j] = right / penalty.diagonal[j]
            solved += s[j] * u[f, j]
        shift = beta * total_s * solved / penalty.held
        for j in range(n):
            u[f, j] += shift * s[j] / penalty.diagonal[j]


@kernel
def _penalty(problem):
    """The penalty of the pairs; the means do not coincide."""
    w, m, pair_mass = problem.w, problem.m, problem.pair_mass
    d, n = m.shape
    spread = 0.0
    for f in range(d):
        mean = sum_of(m[f]) / n
        for j in range(n):
            spread += (m[f, j] - mean) ** 2
    beta = BETA * problem.gamma / np.sqrt(2.0 * spread / (n - 1.0))
    s, diagonal = np.ones(n), np.empty(n)
    for j in range(pair_mass.shape[0]):
        s[j] = np.sqrt(0.5 * pair_mass[j])
    total_s = sum_of(s)
    held = 0.0
    for j in range(n):
        diagonal[j] = w[j] + beta * s[j] * total_s
        held += s[j] * w[j] / diagonal[j]
    return Penalty(beta, s, total_s, diagonal, held)


@kernel
def _next_check(sweep):
    """Certificates cost about a sweep: often at first, then more and more rarely."""
    return sweep + max(2, sweep // 4)


@kernel
def _sweep_chunks(n):
    """Borders of the chunks of a sweep: about equally many pairs, a function of K alone."""
    count = SWEEP_CHUNKS if n >= PARALLEL_CENTROIDS else 1
    borders = np.empty(count + 1, np.int64)
    borders[0] = 0
    borders[count] = n - 1
    for c in range(1, count):
        rest = 1.0 - c / count  # the rows below k hold about (1 - k/n)^2 of the pairs
        borders[c] = int(n * (1.0 - np.sqrt(rest)))
    return borders


# What allocates or adds whole arrays is here, and not in the parallel driver: there Numba would
# make a parallel loop of each such line.


@kernel
def _rooms(u):
    """A copy of U, and room for three arrays of its shape."""
    first = np.empty_like(u)
    copy_into(first, u)
    return first, np.empty_like(u), np.empty_like(u), np.empty_like(u)


@kernel
def _room_for_chunks(n_chunks, u):
    return np.empty((n_chunks, u.shape[0], u.shape[1]))


@kernel
def _add(total, part):
    """Add one array to another."""
    for f in range(part.shape[0]):
        for j in range(part.shape[1]):
            total[f, j] += part[f, j]


@kernel
def _count(labels):
    """How many sets there are."""
    largest = 0
    for j in range(labels.shape[0]):
        largest = max(largest, labels[j])
    return largest + 1


@kernel
def admm_serial(
    w, m, gamma, pair_mass, u, multipliers, tolerance, fusion_tolerance, max_sweeps
):
    """Solve the centroid problem on this thread.

    IN  w (K), m (d x K), gamma, pull (K or empty).  IN/OUT u (d x K), multipliers: the warm
    start, the answer.
    Stops at a relative duality gap of ``tolerance``; fuses centroids only where the fused
    answer is certified to ``fusion_tolerance``.
    Returns the sets of fused centroids, their number, the relative duality gap, the sweeps
    made and the (weighted) sum of the distances between all pairs of the answer.
    """
    problem = Problem(w, m, gamma, pair_mass, tolerance, fusion_tolerance)
    labels = np.arange(w.shape[0])
    if all_fused(problem, u, multipliers):
        return np.zeros_like(labels), 1, 0.0, 0, 0.0
    penalty = _penalty(problem)
    beta, s = penalty.beta, penalty.s
    first, scratch, z, z_old = _rooms(u)
    _multiplier_sums(multipliers, z)
    borders = _sweep_chunks(w.shape[0])
    check, gap, sweep, distances = 1, np.inf, 0, 0.0
    while sweep < max_sweeps and not gap <= tolerance:
        copy_into(z_old, z)
        clear(z)
        for c in range(borders.shape[0] - 1):
            clear(scratch)
            start, stop = borders[c], borders[c + 1]
            _sweep_rows(gamma, pair_mass, beta, s, u, multipliers, start, stop, scratch)
            _add(z, scratch)
        _update_centroids(problem, penalty, z_old, z, u)
        sweep += 1
        if sweep == check or sweep == max_sweeps:
            dual = dual_value(problem, z)
            gap, distances = certify(problem, u, first, multipliers, dual, labels, scratch)
            check = _next_check(sweep)
    return labels, _count(labels), gap, sweep, distances


@parallel_kernel
def admm_parallel(
    w, m, gamma, pair_mass, u, multipliers, tolerance, fusion_tolerance, max_sweeps
):
    """``admm_serial`` with sweeps on all threads, and the same bits."""
    problem = Problem(w, m, gamma, pair_mass, tolerance, fusion_tolerance)
    labels = np.arange(w.shape[0])
    if all_fused(problem, u, multipliers):
        return np.zeros_like(labels), 1, 0.0, 0, 0.0
    penalty = _penalty(problem)
    beta, s = penalty.beta, penalty.s
    first, scratch, z, z_old = _rooms(u)
    _multiplier_sums(multipliers, z)
    borders = _sweep_chunks(w.shape[0])
    n_chunks = borders.shape[0] - 1
    partial = _room_for_chunks(n_chunks, u)
    check, gap, sweep, distances = 1, np.inf, 0, 0.0
    while sweep < max_sweeps and not gap <= tolerance:
        copy_into(z_old, z)
        clear(z)
        for c in prange(n_chunks):
            clear(partial[c])
            start, stop = borders[c], borders[c + 1]
            _sweep_rows(gamma, pair_mass, beta, s, u, multipliers, start, stop, partial[c])
        for c in range(n_chunks):
            _add(z, partial[c])
        _update_centroids(problem, penalty, z_old, z, u)
        sweep += 1
        if sweep == check or sweep == max_sweeps:
            dual = dual_value(problem, z)
            gap, distances = certify(problem, u, first, multipliers, dual, labels, scratch)
            check = _next_check(sweep)
    return labels, _count(labels), gap, sweep, distances
