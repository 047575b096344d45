"""The centroid problem where every centroid is held by a matrix A_j in place of a number w_j.

    P(U)      = 1/2 sum_j (u_j - m_j)^T A_j (u_j - m_j) + sum_{k<l} r_kl ||u_k - u_l||
    D(lambda) = -sum_j <z_j, m_j> - 1/2 sum_j z_j^T A_j^-1 z_j

Sweeps over the pairs know nothing of the weights: what is here are the U-step, the two values,
the best place of a fused set, and when all fuse.  With A_j = w_j I each is the scalar one.

The U-step solves, for all j at once and with the penalty beta s_k s_l of the pairs, S = sum s,

    (A_j + beta s_j S I) u_j - beta s_j t = r_j,     t = sum_l s_l u_l,
    B_j = (A_j + beta s_j S I)^-1,   u_j = B_j (r_j + beta s_j t),
    t = S (sum_l s_l B_l A_l)^-1 sum_l s_l B_l r_l.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.small_matrices import invert_positive


class MatrixWeights(NamedTuple):
    """A_j and A_j^-1, K x d x d each, and A_j m_j, K x d.  All empty: weights are numbers."""

    a: np.ndarray
    inverse: np.ndarray
    pull: np.ndarray


class MatrixPenalty(NamedTuple):
    """B_j, K x d x d, and S (sum_l s_l B_l A_l)^-1, d x d."""

    b: np.ndarray
    solve: np.ndarray


@kernel
def no_matrices():
    """Weights that are numbers."""
    return MatrixWeights(np.empty((0, 0, 0)), np.empty((0, 0, 0)), np.empty((0, 0)))


@kernel
def matrix_penalty(weights, beta, s, total_s):
    """What the U-step needs, once a solve."""
    n, d, _ = weights.a.shape
    b, total = np.empty((n, d, d)), np.zeros((d, d))
    scratch = np.empty((d, d))
    for j in range(n):
        own = b[j]
        for f in range(d):
            for g in range(d):
                own[f, g] = weights.a[j, f, g]
            own[f, f] += beta * s[j] * total_s
        invert_positive(own, scratch)
        for f in range(d):
            # B A = I - beta s S B, whose diagonal would cancel: multiplied out instead.
            for g in range(f + 1):
                value = 0.0
                for h in range(d):
                    value += own[f, h] * weights.a[j, h, g]
                total[f, g] += s[j] / total_s * value
    if n > 0:
        invert_positive(total, scratch)
    return MatrixPenalty(b, total)


@kernel
def matrix_u_step(weights, penalty, beta, s, total_s, z_old, z, u):
    """The next U.  IN z_old, z.  IN/OUT u: the last U, then the next, d x K."""
    d, n = u.shape
    b = penalty.b
    total, solved, right = np.zeros(d), np.zeros(d), np.empty((n, d))
    for j in range(n):
        for f in range(d):
            total[f] += s[j] * u[f, j]
    for j in range(n):
        for f in range(d):
            value = weights.pull[j, f] + beta * s[j] * (total_s * u[f, j] - total[f])
            right[j, f] = value + 2.0 * z[f, j] - z_old[f, j]
        for f in range(d):
            value = 0.0
            for g in range(d):
                value += b[j, f, g] * right[j, g]
            u[f, j] = value
            solved[f] += s[j] * value
    for f in range(d):
        total[f] = 0.0
        for g in range(d):
            total[f] += penalty.solve[f, g] * solved[g]
    for j in range(n):
        for f in range(d):
            value = 0.0
            for g in range(d):
                value += b[j, f, g] * total[g]
            u[f, j] += beta * s[j] * value


@kernel
def matrix_squares(a, u, m):
    """sum_j (u_j - m_j)^T A_j (u_j - m_j)."""
    d, n = u.shape
    value = 0.0
    for j in range(n):
        for f in range(d):
            row = 0.0
            for g in range(d):
                row += a[j, f, g] * (u[g, j] - m[g, j])
            value += (u[f, j] - m[f, j]) * row
    return value


@kernel
def matrix_dual(weights, m, z):
    """D(lambda), from the sums of the multipliers."""
    d, n = z.shape
    value = 0.0
    for j in range(n):
        for f in range(d):
            row = 0.0
            for g in range(d):
                row += weights.inverse[j, f, g] * z[g, j]
            value -= z[f, j] * (m[f, j] + 0.5 * row)
    return value


@kernel
def matrix_means_of_sets(a, u, labels, count, out):
    """out_j = (sum_l A_l)^-1 sum_l A_l u_l over the set of j."""
    d, n = u.shape
    total, pull = np.zeros((count, d, d)), np.zeros((count, d))
    scratch, mean = np.empty((d, d)), np.empty((count, d))
    members, last = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for j in range(n):
        k = labels[j]
        members[k] += 1
        last[k] = j
        for f in range(d):
            for g in range(d):
                total[k, f, g] += a[j, f, g]
                pull[k, f] += a[j, f, g] * u[g, j]
    for k in range(count):
        if members[k] == 1:  # to the bit where it is
            for f in range(d):
                mean[k, f] = u[f, last[k]]
            continue
        invert_positive(total[k], scratch)
        for f in range(d):
            mean[k, f] = 0.0
            for g in range(d):
                mean[k, f] += total[k, f, g] * pull[k, g]
    for j in range(n):
        for f in range(d):
            out[f, j] = mean[labels[j], f]


@kernel
def matrix_all_fused(weights, m, least, u, pulls):
    """Whether one point is certified to be the answer beforehand, all pairs weighing alike.

    With g_j = A_j (m_j - mean) the multipliers lambda_kl = (g_l - g_k) / K make
    mean = (sum A)^-1 sum A m optimal; they are feasible if no norm exceeds ``least``, the
    smallest radius.  OUT u (d x K): the mean; pulls (K x d): g_j.
    """
    d, n = m.shape
    labels = np.zeros(n, np.int64)
    matrix_means_of_sets(weights.a, m, labels, 1, u)
    for j in range(n):
        for f in range(d):
            pulls[j, f] = 0.0
            for g in range(d):
                pulls[j, f] += weights.a[j, f, g] * (m[g, j] - u[g, j])
    for k in range(n - 1):
        for j in range(k + 1, n):
            square = 0.0
            for f in range(d):
                square += (pulls[k, f] - pulls[j, f]) ** 2
            if np.sqrt(square) > n * least:
                return False
    return True
