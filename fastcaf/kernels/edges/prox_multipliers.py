"""The V-step and the multiplier step of ADMM, in one sweep over the edges.

As ``kernels/pairs/prox_multipliers.py``, with a penalty beta_e for each edge:

    y = beta_e (u_k - u_l) - lambda_e,     lambda_e <- -y min(1, r_e / ||y||).

After a sweep each multiplier is feasible for the dual, whatever the warm start was; the prox
gives v_e = 0 exactly where ||lambda_e|| < r_e.
"""

import numpy as np

from fastcaf.kernels.jit import kernel


@kernel
def update_edge_multipliers(first, second, radius, beta, u, multipliers, z):
    """One sweep.  IN/OUT multipliers.  OUT z: the sums of the new ones by centroid."""
    d = u.shape[1]
    for j in range(u.shape[0]):
        for f in range(d):
            z[j, f] = 0.0
    for e in range(first.shape[0]):
        k, j = first[e], second[e]
        square = 0.0
        for f in range(d):
            y = beta[e] * (u[k, f] - u[j, f]) - multipliers[e, f]
            multipliers[e, f] = y
            square += y * y
        factor = -radius[e] / max(radius[e], np.sqrt(square))
        for f in range(d):
            value = factor * multipliers[e, f]
            multipliers[e, f] = value
            z[k, f] += value
            z[j, f] -= value
