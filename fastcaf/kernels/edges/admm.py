"""The centroid problem on edges by ADMM, certified by its duality gap.

The steps are those on pairs (``kernels/pairs/admm.py``):

    repeat   lambda <- update_edge_multipliers   V-step and multiplier step, a sweep over edges
             U <- solve_edge_u_step              all centroids at once
             now and then: certify               duality gap; centroids that are fused
"""

import numpy as np

from fastcaf.kernels.edges.centroid_update import laplacian_diagonal, solve_edge_u_step
from fastcaf.kernels.edges.problem import (
    EdgeProblem,
    dual_value,
    edge_distance,
    multiplier_sums,
    primal_value,
)
from fastcaf.kernels.edges.prox_multipliers import update_edge_multipliers
from fastcaf.kernels.jit import kernel
from fastcaf.kernels.pairs.merge import INSIDE
from fastcaf.kernels.pairs.union_find import number_components, union

# Of a U-step by conjugate gradients: what is left of it is made up for in the next sweep.
STEP_ACCURACY = 0.01
MOST_STEPS = 30
# Where the gap is small enough but not yet that of the centroids which seem to fuse, so many
# times the sweeps are spent on telling whether they do.
PATIENCE = 2


@kernel
def fused_sets(problem, u, multipliers, gap, labels):
    """Join the ends of edges with v = 0 whose distance the gap cannot tell from 0.

        ||lambda_e|| < r_e   and   ||u_k - u_l|| <= sqrt(2 gap / w_k) + sqrt(2 gap / w_l)

    P is strongly convex with moduli w: ||u_j - u*_j|| <= sqrt(2 gap / w_j).
    OUT labels: the set of each centroid.  Returns the number of sets.
    """
    parent = np.arange(u.shape[0])
    for e in range(problem.first.shape[0]):
        k, j = problem.first[e], problem.second[e]
        square = 0.0
        for f in range(u.shape[1]):
            square += multipliers[e, f] ** 2
        if np.sqrt(square) < INSIDE * problem.radius[e]:
            reach = np.sqrt(2.0 * gap / problem.w[k]) + np.sqrt(2.0 * gap / problem.w[j])
            if edge_distance(u, k, j) <= reach:
                union(parent, k, j)
    return number_components(parent, labels)


@kernel
def means_of_sets(w, u, labels, count, out):
    """out_j = sum_l w_l u_l / sum_l w_l over the set of j: the best place of a fused set."""
    weight, mean = np.zeros(count), np.zeros((count, u.shape[1]))
    for j in range(u.shape[0]):
        weight[labels[j]] += w[j]
    for j in range(u.shape[0]):
        share = w[j] / weight[labels[j]]
        for f in range(u.shape[1]):
            mean[labels[j], f] += share * u[j, f]
    for j in range(u.shape[0]):
        for f in range(u.shape[1]):
            out[j, f] = mean[labels[j], f]


@kernel
def certify(problem, u, multipliers, z, fusion_tolerance, labels, scratch):
    """Relative duality gap of U, fused where it may be, and whether some still might be.

    Where the fused U passes, ``labels`` holds its sets and ``u`` is overwritten by it;
    otherwise every centroid stands alone.
    """
    dual, plain = dual_value(problem, z), primal_value(problem, u)
    count = fused_sets(problem, u, multipliers, max(plain - dual, 0.0), labels)
    if count < labels.shape[0]:
        means_of_sets(problem.w, u, labels, count, scratch)
        value = primal_value(problem, scratch)
        if value - dual <= fusion_tolerance * value:
            for j in range(u.shape[0]):
                for f in range(u.shape[1]):
                    u[j, f] = scratch[j, f]
            return (value - dual) / value, False
        for j in range(labels.shape[0]):
            labels[j] = j
    return (plain - dual) / plain, count < labels.shape[0]


@kernel
def admm_on_edges(
    w, m, first, second, radius, beta, u, multipliers, tolerance, fusion_tolerance, max_sweeps
):
    """Solve the centroid problem on edges.

    IN  the problem (``EdgeProblem``), beta (E).  IN/OUT u (K x d), multipliers (E x d): the
    warm start, the answer.  Stops at a relative duality gap of ``tolerance``; fuses centroids
    only where the fused answer is certified to ``fusion_tolerance``.  Returns the sets of fused
    centroids, the relative duality gap, the sweeps and the steps of conjugate gradients.
    """
    problem = EdgeProblem(w, m, first, second, radius)
    n, d = u.shape
    labels, scratch, room = np.arange(n), np.empty((n, d)), np.empty((3, n, d))
    z, z_old = np.empty((n, d)), np.empty((n, d))
    diagonal = laplacian_diagonal(w, first, second, beta)
    multiplier_sums(first, second, multipliers, z)
    gap, sweep, check, steps, undecided = np.inf, 0, 1, 0, False
    while sweep < max_sweeps and (undecided or not gap <= tolerance):
        z_old, z = z, z_old
        update_edge_multipliers(first, second, radius, beta, u, multipliers, z)
        steps += solve_edge_u_step(
            problem, beta, diagonal, z_old, z, u, room, STEP_ACCURACY, MOST_STEPS
        )
        sweep += 1
        if sweep == check or sweep == max_sweeps:
            gap, undecided = certify(
                problem, u, multipliers, z, fusion_tolerance, labels, scratch
            )
            if undecided and gap <= tolerance:
                max_sweeps = min(max_sweeps, PATIENCE * sweep)
            check = sweep + max(2, sweep // 4)
    return labels, gap, sweep, steps
