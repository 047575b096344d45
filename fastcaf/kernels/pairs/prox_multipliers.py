"""The V-step and the multiplier step of ADMM, in one sweep over the pairs.

With v_kl = u_k - u_l, multipliers lambda_kl and the penalty beta_kl of a pair, the paper's two
steps are

    y = u_k - u_l - lambda_kl / beta,      v_kl = max(0, 1 - (r_kl / beta) / ||y||) y,
    lambda_kl <- lambda_kl + beta (v_kl - (u_k - u_l)).

By Moreau's identity beta y = beta v + (the projection of beta y onto the ball of radius r_kl),
so the new multiplier is minus that projection, and v needs no room of its own:

    lambda_kl <- -(beta y) min(1, r_kl / ||beta y||),      v_kl = 0 where ||lambda_kl|| < r_kl.

After a sweep each multiplier is feasible for the dual, whatever the warm start was.
"""

import numpy as np

from fastcaf.kernels.jit import fma, kernel
from fastcaf.kernels.pairs.problem import block_start, clear, sum_of, weight_of_pair

TINY = 2.0**-1000  # in the place of 0 / 0: a pair without weight whose centroids coincide


@kernel
def block_soft_threshold(squares, k, n, gamma, pair_mass):
    """Factors -min(1, r / ||y||): y times its factor is the new multiplier.

    1 + factor is the prox's own, v = max(0, 1 - r / ||y||) y.
    IN/OUT squares: ||y||^2 of the pairs (k, k+1), (k, k+2), ..., then the factors.
    """
    if pair_mass.shape[0] == 0:
        for j in range(squares.shape[0]):
            squares[j] = -gamma / max(gamma, np.sqrt(squares[j]))
    else:
        for j in range(squares.shape[0]):
            radius = gamma * weight_of_pair(pair_mass, k, k + 1 + j, n)
            squares[j] = -radius / max(radius, np.sqrt(squares[j]), TINY)


@kernel
def update_multipliers(gamma, pair_mass, beta, s, u, multipliers, start, stop, z):
    """lambda_kl <- -y min(1, r_kl / ||y||), y = beta s_k s_l (u_k - u_l) - lambda_kl.

    Of the pairs (k, l) with start <= k < stop.  Where all pairs count alike s = 1.
    IN/OUT multipliers; z: the new ones are added to it, see ``multiplier_sums``.
    """
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
        block_soft_threshold(factor, k, n, gamma, pair_mass)
        for f in range(d):
            block = multipliers[offset + f * length : offset + (f + 1) * length]
            others = z[f, k + 1 :]
            for j in range(length):
                block[j] *= factor[j]
                others[j] -= block[j]
            z[f, k] += sum_of(block)


@kernel
def multiplier_sums(multipliers, z):
    """z_j = sum_{l>j} lambda_jl - sum_{l<j} lambda_lj.  OUT z."""
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
