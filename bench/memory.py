"""Peak memory of one gamma on 200,000 x 4 rows with 894 centroids, in a process of its own.

An n x K array alone would be 1.4 GB.  Run: ``python bench/memory.py``.
"""

import resource
import subprocess
import sys

import numpy as np

ROWS, FEATURES, CENTROIDS = 200_000, 4, 894


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure() -> None:
    import warnings

    from fastcaf import solve_gamma

    warnings.simplefilter("ignore")  # ten iterations are not meant to settle
    X = np.random.default_rng(0).normal(size=(ROWS, FEATURES))
    solve_gamma(X[:2000], X[:300], 1e-4, max_iter=2)  # compile outside the measurement
    before = peak_mb()
    found, _ = solve_gamma(X, X[:CENTROIDS], 1e-5, max_iter=10)
    growth = peak_mb() - before
    print(
        f"{ROWS} x {FEATURES}, {CENTROIDS} centroids, {found.n_iter} iterations, "
        f"{len(found.centroids)} left: peak growth {growth:.0f} MB "
        f"(X: {X.nbytes / 2**20:.0f} MB, an n x K array: "
        f"{ROWS * CENTROIDS * 8 / 2**20:.0f} MB)"
    )


if __name__ == "__main__":
    if "--child" in sys.argv:
        measure()
    else:
        subprocess.run([sys.executable, __file__, "--child"], check=True)
