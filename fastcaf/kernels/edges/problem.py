"""The centroid problem with pairs from a list of edges: its data, and sums over the edges.

    min over U   P(U) = 1/2 sum_j w_j ||u_j - m_j||^2 + sum_e r_e ||u_k - u_l||,   e = (k, l)

Layout: U, M and z as K x d, multipliers as E x d, so that what an edge needs lies together.
Everything takes O(E d) time and memory; ``kernels/pairs`` is for all pairs with K numbers.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import kernel


class EdgeProblem(NamedTuple):
    """What is solved: weights w (K), means (K x d), ends of the edges and their radii r (E).

    Every edge has ``first < second``, no two join the same centroids, and all radii are
    positive.
    """

    w: np.ndarray
    m: np.ndarray
    first: np.ndarray
    second: np.ndarray
    radius: np.ndarray


@kernel
def multiplier_sums(first, second, multipliers, z):
    """z_j = sum of the multipliers of edges that begin at j, less those that end there.

    OUT z.
    """
    for j in range(z.shape[0]):
        for f in range(z.shape[1]):
            z[j, f] = 0.0
    for e in range(first.shape[0]):
        k, j = first[e], second[e]
        for f in range(z.shape[1]):
            z[k, f] += multipliers[e, f]
            z[j, f] -= multipliers[e, f]


@kernel
def edge_distance(u, k, j):
    """||u_k - u_j||."""
    square = 0.0
    for f in range(u.shape[1]):
        square += (u[k, f] - u[j, f]) ** 2
    return np.sqrt(square)


@kernel
def primal_value(problem, u):
    """P(U)."""
    value = 0.0
    for e in range(problem.first.shape[0]):
        value += problem.radius[e] * edge_distance(u, problem.first[e], problem.second[e])
    for j in range(u.shape[0]):
        square = 0.0
        for f in range(u.shape[1]):
            square += (u[j, f] - problem.m[j, f]) ** 2
        value += 0.5 * problem.w[j] * square
    return value


@kernel
def dual_value(problem, z):
    """D(lambda) = -sum_j <z_j, m_j + z_j / (2 w_j)>, from the sums of feasible multipliers."""
    value = 0.0
    for j in range(z.shape[0]):
        for f in range(z.shape[1]):
            value -= z[j, f] * (problem.m[j, f] + 0.5 * z[j, f] / problem.w[j])
    return value
