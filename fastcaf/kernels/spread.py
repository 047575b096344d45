"""Rows spread over the data, as starting points: the draws of k-means++."""

import numpy as np

from fastcaf.kernels.jit import kernel


@kernel
def spread_draws(rows, draws):
    """Indices of one row for each draw, the first at random, the others by k-means++.

    ``draws`` are uniform in [0, 1).  Each next row is drawn in proportion to its squared
    distance to the nearest one so far; where all distances are 0, it is row 0 again.
    """
    n, d = rows.shape
    chosen = np.zeros(draws.shape[0], np.int64)
    chosen[0] = int(draws[0] * n)
    least = np.full(n, np.inf)
    for j in range(1, draws.shape[0]):
        last = chosen[j - 1]
        total = 0.0
        for i in range(n):
            squared = 0.0
            for f in range(d):
                offset = float(rows[i, f]) - float(rows[last, f])
                squared += offset * offset
            least[i] = min(least[i], squared)
            total += least[i]
        goal = draws[j] * total
        running = 0.0
        for i in range(n):
            running += least[i]
            if running > goal:
                chosen[j] = i
                break
    return chosen
