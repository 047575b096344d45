"""The centroid problem by ADMM, in its one-array form.

    min over U   P(U) = 1/2 sum_j w_j ||u_j - m_j||^2 + gamma sum_{k<l} ||u_k - u_l||

With v_kl = u_k - u_l and penalty beta, one sweep over the pairs does the proximal step, the
multiplier step and the next right-hand side at once (Moreau's identity):

    y = beta (u_k - u_l) - lambda_kl,     lambda_kl <- -y min(1, gamma / ||y||)

Only the multipliers are stored.  Each is feasible for the dual,

    D(lambda) = -sum_j <z_j, m_j> - 1/2 sum_j ||z_j||^2 / w_j,    z_j = sum_l lambda_jl,

and v_kl = 0 exactly where ||lambda_kl|| < gamma.  Writing A^T A = K I - 1 1^T, the U-step is

    (diag(w + beta K) - beta 1 1^T) U = w M + beta (K U_old - 1 sum U_old) - z_old + 2 z,

solved in O(K d) by the Sherman-Morrison identity.

Layout: U, M and z as d x K.  The multipliers lie in one vector: for k = 0, 1, ... a block
d x (K-1-k) with the pairs (k, k+1), (k, k+2), ..., so that inner loops run over pairs.
"""

import numpy as np

from fastcaf.kernels.certificate import (
    Problem,
    all_fused,
    block_start,
    certify,
    dual_value,
    sum_of,
)
from fastcaf.kernels.jit import fma, kernel, parallel_kernel, prange

# beta = BETA gamma / (root mean square distance of the means).  One constant serves weights
# over six orders of magnitude and any gamma: multipliers are of size gamma and differences
# of the size of the data, so this balances the two residuals without a parameter.
BETA = 6.0
PARALLEL_CENTROIDS = 256  # fewer: a sweep is shorter than the launch of the threads
SWEEP_CHUNKS = 16


@kernel
def lifted_means(weight, sums, centroids, least):
    """Weights not below ``least`` times their mean, and the means that go with them.

    What a weight is lifted by counts at the centroid's own place: a centroid that no row
    holds stays where it is.  Returns weights (K) and means (K x d).
    """
    lifted = np.maximum(weight, least * weight.mean())
    means = np.empty_like(sums)
    for j in range(sums.shape[0]):
        extra = lifted[j] - weight[j]
        for f in range(sums.shape[1]):
            means[j, f] = (sums[j, f] + extra * centroids[j, f]) / lifted[j]
    return lifted, means


@kernel
def _sweep_rows(u, multipliers, beta, gamma, start, stop, z):
    """Update the multipliers of pairs (k, l), start <= k < stop; add them to ``z``."""
    d, n = u.shape
    buffer = np.empty(n)
    for k in range(start, stop):
        length = n - 1 - k
        offset = block_start(k, n, d)
        factor = buffer[:length]
        factor[:] = 0.0
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            others = u[f, k + 1 :]
            own = beta * u[f, k]
            for j in range(length):
                y = fma(-beta, others[j], own) - block[j]
                block[j] = y
                factor[j] = fma(y, y, factor[j])
        for j in range(length):
            factor[j] = -gamma / max(gamma, np.sqrt(factor[j]))
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
    z[:] = 0.0
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
def _update_centroids(problem, beta, z_old, z, u):
    """The U-step.  IN z_old, z; OUT u (in: the last U)."""
    w, m = problem.w, problem.m
    d, n = u.shape
    pull = 0.0  # K (1 - beta sum 1/(w + beta K)), without cancellation
    for j in range(n):
        pull += w[j] / (w[j] + beta * n)
    for f in range(d):
        total = 0.0
        for j in range(n):
            total += u[f, j]
        solved = 0.0
        for j in range(n):
            right = w[j] * m[f, j] + beta * (n * u[f, j] - total)
            right += 2.0 * z[f, j] - z_old[f, j]
            u[f, j] = right / (w[j] + beta * n)
            solved += u[f, j]
        shift = beta * n * solved / pull
        for j in range(n):
            u[f, j] += shift / (w[j] + beta * n)


@kernel
def _penalty(m, gamma):
    """The penalty beta; the means do not coincide."""
    d, n = m.shape
    spread = 0.0
    for f in range(d):
        mean = m[f].mean()
        for j in range(n):
            spread += (m[f, j] - mean) ** 2
    return BETA * gamma / np.sqrt(2.0 * spread / (n - 1.0))


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


@kernel
def admm_serial(w, m, gamma, u, multipliers, tolerance, fusion_tolerance, max_sweeps):
    """Solve the centroid problem on this thread.

    IN  w (K), m (d x K), gamma.  IN/OUT u (d x K), multipliers: the warm start, the answer.
    Stops at a relative duality gap of ``tolerance``; fuses centroids only where the fused
    answer is certified to ``fusion_tolerance``.
    Returns the sets of fused centroids, their number, the relative duality gap, the sweeps
    made and the sum of the distances between all pairs of the answer.
    """
    problem = Problem(w, m, gamma, tolerance, fusion_tolerance)
    labels = np.arange(w.shape[0])
    if all_fused(problem, u, multipliers):
        labels[:] = 0
        return labels, 1, 0.0, 0, 0.0
    beta = _penalty(m, gamma)
    start, scratch = u.copy(), np.empty_like(u)
    z, z_old = np.empty_like(u), np.empty_like(u)
    _multiplier_sums(multipliers, z)
    borders = _sweep_chunks(w.shape[0])
    check, gap, sweep, distances = 1, np.inf, 0, 0.0
    while sweep < max_sweeps and not gap <= tolerance:
        z_old[:] = z
        z[:] = 0.0
        for c in range(borders.shape[0] - 1):
            scratch[:] = 0.0
            _sweep_rows(u, multipliers, beta, gamma, borders[c], borders[c + 1], scratch)
            z += scratch
        _update_centroids(problem, beta, z_old, z, u)
        sweep += 1
        if sweep == check or sweep == max_sweeps:
            dual = dual_value(problem, z)
            gap, distances = certify(problem, u, start, multipliers, dual, labels, scratch)
            check = _next_check(sweep)
    return labels, labels.max() + 1, gap, sweep, distances


@parallel_kernel
def admm_parallel(w, m, gamma, u, multipliers, tolerance, fusion_tolerance, max_sweeps):
    """``admm_serial`` with sweeps on all threads, and the same bits."""
    problem = Problem(w, m, gamma, tolerance, fusion_tolerance)
    labels = np.arange(w.shape[0])
    if all_fused(problem, u, multipliers):
        labels[:] = 0
        return labels, 1, 0.0, 0, 0.0
    beta = _penalty(m, gamma)
    start, scratch = u.copy(), np.empty_like(u)
    z, z_old = np.empty_like(u), np.empty_like(u)
    _multiplier_sums(multipliers, z)
    borders = _sweep_chunks(w.shape[0])
    n_chunks = borders.shape[0] - 1
    partial = np.empty((n_chunks, m.shape[0], m.shape[1]))
    check, gap, sweep, distances = 1, np.inf, 0, 0.0
    while sweep < max_sweeps and not gap <= tolerance:
        z_old[:] = z
        z[:] = 0.0
        for c in prange(n_chunks):
            partial[c] = 0.0
            _sweep_rows(u, multipliers, beta, gamma, borders[c], borders[c + 1], partial[c])
        for c in range(n_chunks):
            z += partial[c]
        _update_centroids(problem, beta, z_old, z, u)
        sweep += 1
        if sweep == check or sweep == max_sweeps:
            dual = dual_value(problem, z)
            gap, distances = certify(problem, u, start, multipliers, dual, labels, scratch)
            check = _next_check(sweep)
    return labels, labels.max() + 1, gap, sweep, distances
