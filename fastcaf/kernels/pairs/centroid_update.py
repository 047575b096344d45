"""The U-step of ADMM: all centroids at once, in O(K d).

Writing A^T A = K I - 1 1^T for the differences of all pairs, the U-step is

    (diag(w + beta K) - beta 1 1^T) U = w M + beta (K U_old - 1 sum U_old) - z_old + 2 z,

z and z_old being the sums of the multipliers after the sweep and before it.  The matrix is
diagonal minus rank one, and the Sherman-Morrison identity inverts it:

    D = diag(w + beta K),   (D - beta 1 1^T)^-1 b = D^-1 b + shift D^-1 1,
    shift = beta 1^T D^-1 b / (1 - beta 1^T D^-1 1).

Where masses weigh the pairs, each has a penalty of its own, beta s_k s_l, s = sqrt(p / 2).
Being a product it leaves the matrix diagonal minus rank one: 1 1^T becomes s s^T, and K
becomes s sum(s).  Where K^2 weights are given, s^2 is the mean of those above 0: with 1
it took three times as many sweeps.  Weights that are matrices have a U-step of their own
(``matrix_weights.py``).
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.pairs.matrix_weights import MatrixPenalty, matrix_penalty, matrix_u_step
from fastcaf.kernels.pairs.problem import sum_of

# beta = BETA gamma / (root mean square distance of the means).  One constant serves weights
# over six orders of magnitude and any gamma: multipliers are of size gamma and differences
# of the size of the data, so this balances the two residuals without a parameter.  s_k s_l is
# near the weight of a pair.  With one beta for all weighted pairs light centroids crawl: with
# weights over six orders of magnitude it took 40 times as many sweeps.
BETA = 6.0


class Penalty(NamedTuple):
    """The penalty beta s_k s_l of pairs, and what the U-step needs of it.

    ``diagonal`` is D = w + beta s S with S = sum s; ``divisor`` is S (1 - beta sum s^2 / D),
    written as sum s w / D, without cancellation.
    """

    beta: float
    s: np.ndarray
    total_s: float
    diagonal: np.ndarray
    divisor: float
    matrices: MatrixPenalty


@kernel
def lifted_means(weight, sums, centroids, least):
    """Weights not below ``least`` times their mean, and the means that go with them.

        w_j = max(weight_j, least mean(weight)),   m_j = (sums_j + (w_j - weight_j) u_j) / w_j

    What a weight is lifted by counts at the centroid's own place: a centroid without rows
    stays where it is.  Returns weights (K) and means (K x d).
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
def _mean_of_positive(weights):
    """The mean weight of the pairs that have one."""
    total, count = 0.0, 0
    for i in range(weights.shape[0]):
        total += weights[i]
        count += weights[i] > 0.0
    return total / count


@kernel
def penalty_of(problem):
    """The penalty of the pairs; the means do not coincide."""
    w, m, pair_mass = problem.w, problem.m, problem.pair_mass
    d, n = m.shape
    scatter = 0.0
    for f in range(d):
        mean = sum_of(m[f]) / n
        for j in range(n):
            scatter += (m[f, j] - mean) ** 2
    beta = BETA * problem.gamma / np.sqrt(2.0 * scatter / (n - 1.0))
    s, diagonal = np.ones(n), np.empty(n)
    if pair_mass.shape[0] == n:
        for j in range(n):
            s[j] = np.sqrt(0.5 * pair_mass[j])
    elif pair_mass.shape[0] > n:
        own = np.sqrt(_mean_of_positive(pair_mass))
        for j in range(n):
            s[j] = own
    total_s = sum_of(s)
    divisor = 0.0
    for j in range(n):
        diagonal[j] = w[j] + beta * s[j] * total_s
        divisor += s[j] * w[j] / diagonal[j]
    matrices = matrix_penalty(problem.matrices, beta, s, total_s)
    return Penalty(beta, s, total_s, diagonal, divisor, matrices)


@kernel
def solve_u_step(problem, penalty, z_old, z, u):
    """(D - beta s s^T) U = w M + beta s (S U_old - s^T U_old) - z_old + 2 z, for U.

    IN z_old, z.  IN/OUT u: the last U, then the next.
    """
    w, m = problem.w, problem.m
    beta, s, total_s = penalty.beta, penalty.s, penalty.total_s
    d, n = u.shape
    if problem.matrices.a.shape[0] > 0:
        matrix_u_step(problem.matrices, penalty.matrices, beta, s, total_s, z_old, z, u)
        return
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
        shift = beta * total_s * solved / penalty.divisor
        for j in range(n):
            u[f, j] += shift * s[j] / penalty.diagonal[j]
