"""Longer steps of a fixed-point iteration, from its own last two steps.

One iteration takes the centroids U to G(U), and R = G(U) - U is the plain step.  Where rows
belong to several centroids R shrinks slowly from one iteration to the next, and along the slow
directions a step of 5 or 10 R is right.  Barzilai and Borwein's length,

    alpha = <dU, -dR> / <dR, dR>,    dU, dR: changes of U and R since the last iteration,

in the metric of the centroids' weights, is 1 / (1 - rate) where there is one rate.  Negative
products mean that R grows, as it does on leaving a saddle: then the longest step is taken, so
that the iteration goes where it would have gone, only sooner.  (Anderson's acceleration solves
for R = 0 instead, and ends at the saddles: with it centroids fused some levels too late.)
"""

import numpy as np

from fastcaf.kernels.jit import kernel


@kernel
def step_length(w, u, g, last_u, last_r, longest):
    """How many plain steps to take, from 1 to ``longest``.

    IN  w (K); u, g (K x d).  IN/OUT last_u, last_r: of the last iteration, then of this one.
    A first row of last_u that is not finite says that there is none.
    """
    known = np.isfinite(last_u[0, 0])
    bent, turned = 0.0, 0.0
    for j in range(u.shape[0]):
        for f in range(u.shape[1]):
            r = g[j, f] - u[j, f]
            dr = last_r[j, f] - r
            bent += w[j] * dr * dr
            turned += w[j] * dr * (u[j, f] - last_u[j, f])
            last_u[j, f] = u[j, f]
            last_r[j, f] = r
    if not known:
        return 1.0
    if not turned > 0.0:
        return longest
    return min(max(turned / bent, 1.0), longest)


@kernel
def forget(last_u):
    """Make the next step a plain one."""
    last_u[0, 0] = np.nan
