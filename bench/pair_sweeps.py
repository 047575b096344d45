"""Where threads pay for sweeps over pairs of centroids: ``python -m bench.pair_sweeps``.

One thread against two, for sweeps of ADMM: microseconds a sweep, over 200 sweeps with their
checks of the duality gap, and milliseconds of a whole solve to a gap of 1e-6.  ``pays`` is time
on one thread over time on two.  Sweeps are cut into chunks for every K here; the library does
so from ``PARALLEL_CENTROIDS`` on.
"""

from __future__ import annotations

import argparse
import os
import tempfile

# Kernels with another constant than the library's must not be kept with the others.
os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="fastcaf-pair-sweeps-")

import numpy as np

from bench import report
from bench.measure import best_in_turn, threads
from fastcaf.fusion.centroid_problem import UNIFORM, no_multipliers
from fastcaf.kernels.pairs import admm
from fastcaf.kernels.pairs.matrix_weights import no_matrices
from fastcaf.runtime.threads import launch

CENTROIDS = (32, 48, 64, 96, 128, 192, 256, 384, 512)
FEATURES = (2, 8, 32)
SWEEPS = 200
library_constant, admm.PARALLEL_CENTROIDS = admm.PARALLEL_CENTROIDS, 0


def problem(K: int, d: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights, means and 0.3 of the gamma that fuses everything."""
    rng = np.random.default_rng(0)
    weight, means = rng.uniform(1.0, 20.0, K), rng.normal(size=(K, d))
    away = np.linalg.norm(means - np.average(means, axis=0, weights=weight), axis=1)
    return weight, means.T.copy(), 0.3 * float((weight * away).max()) / K


def solve(K: int, d: int, in_parallel: bool, tolerance: float, sweeps: int) -> int:
    """A cold start; the sweeps made."""
    weight, means, gamma = problem(K, d)
    start, none = means.copy(), no_multipliers(K, d)
    drivers = admm.admm_serial, admm.admm_parallel
    limits = tolerance, tolerance, sweeps
    task = weight, no_matrices(), means, gamma, UNIFORM, start, none, *limits
    return int(launch(*drivers, in_parallel, *task)[3])


def measured(K: int, d: int, repeats: int) -> dict:
    """One line of the table."""
    found: dict = {"K": K, "d": d, "pairs x d": K * (K - 1) // 2 * d}
    tasks = {"us a sweep": (-1.0, SWEEPS), "ms a solve": (1e-6, 10_000)}
    for name, task in tasks.items():
        calls = {n: lambda n=n, task=task: solve(K, d, n == 2, *task) for n in (1, 2)}
        best = best_in_turn(calls, repeats, calls=3)
        scale = 1e6 / SWEEPS if task[0] < 0.0 else 1e3
        for n in (1, 2):
            found[f"{name}, {n} thread"] = scale * best[n]
        found[f"pays, {name.split()[-1]}"] = best[1] / best[2]
    found["sweeps of a solve"] = solve(K, d, False, 1e-6, 10_000)
    return found


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.pair_sweeps")
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    about = report.machine()
    with threads(2):
        results = [measured(K, d, repeats) for d in FEATURES for K in CENTROIDS]
    rows = [
        [f"{v:.3g}" if isinstance(v, float) else v for v in one.values()] for one in results
    ]
    text = [
        "# Sweeps over the pairs on one thread and on two",
        __doc__ or "",
        f"PARALLEL_CENTROIDS of the library: {library_constant}.",
        report.table(list(results[0]), rows),
    ]
    report.write("pair_sweeps", "\n\n".join(text), results, about)


if __name__ == "__main__":
    main()
