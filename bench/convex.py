"""Convex clustering: right answers, and time against n.  ``python -m bench.convex``.

Right: 30 random problems with at most 40 rows, half with uniform weights and half with those of
neighbours, against SCS at eps 1e-9: how far our objective lies above that of SCS, relative
(below 0: ours is better), and the duality gap that plain NumPy finds of our answer.

Fast: whole fits, from every row alone to the end of the path and the number chosen, 7 features
and 10 neighbours, in CPU seconds of a fresh process.  "cloud" is one normal cloud, "clusters"
are ten of them.  The exponent is the slope of a straight line through the logarithms.

The authors of CCMM (Touw, Groenen, Terada, arXiv:2211.01877) print in their abstract that it
solves problems with over one million objects in seven dimensions, with a solution time of 51
seconds on average: their machine, data and tolerance.  Only that abstract was at hand, and no
exponent is in it; nothing of theirs was run here.  The times here are of whole paths.
"""

from __future__ import annotations

import argparse
import time
import warnings

import cvxpy
import numpy as np
from scipy.spatial.distance import pdist

from bench import report
from bench.data import clusters
from bench.fresh import call, growth_of
from bench.scaling import exponent
from fastcaf import ConvexClustering, convex_objective
from fastcaf.fusion.convex_problem import FusedGraph
from fastcaf.fusion.edges import all_pairs, neighbours

ROWS = (500, 1000, 2000, 5000, 10_000, 20_000)
FEATURES = 7
PROBLEMS = 30


def against_scs(seed: int) -> dict:
    """One random problem for both."""
    rng = np.random.default_rng(seed)
    n, uniform = int(rng.integers(3, 41)), seed % 2 == 0
    X, w = rng.normal(size=(n, int(rng.integers(1, 6)))), rng.uniform(0.5, 3.0, n)
    edges = all_pairs(n) if uniform else neighbours(X, w, int(rng.integers(2, 6)), 2.0)
    gamma = pdist(X).mean() / edges.pull.mean() * 10.0 ** rng.uniform(-1.0, 1.0)
    found = FusedGraph.of_rows(X, w, edges).solve(gamma, tolerance=1e-9, max_sweeps=200_000)
    ends = np.column_stack(edges.ends)
    U, A = cvxpy.Variable(X.shape), np.zeros((len(ends), n))
    A[np.arange(len(ends)), edges.first], A[np.arange(len(ends)), edges.second] = 1.0, -1.0
    lengths = cvxpy.norm(A @ U, 2, axis=1)
    data = 0.5 * cvxpy.sum(cvxpy.multiply(w[:, None], cvxpy.square(U - X)))
    problem = cvxpy.Problem(cvxpy.Minimize(data + gamma * edges.weight @ lengths))
    problem.solve(solver="SCS", eps_abs=1e-9, eps_rel=1e-9, max_iters=200_000)
    graph = gamma, ends, edges.weight, w
    best = convex_objective.primal(X, U.value, *graph)
    ours = convex_objective.primal(X, found.graph.centroids, *graph)
    gap = convex_objective.duality_gap(
        X, found.graph.centroids, found.graph.multipliers, *graph
    )
    fused = int(found.labels.max()) + 1
    return {"uniform": uniform, "fused": fused < n, "excess": ours / best - 1.0, "gap": gap}


def agreement() -> list[dict]:
    """The largest figures of the uniform and of the sparse problems."""
    found = [against_scs(seed) for seed in range(PROBLEMS)]
    rows = []
    for uniform, name in ((True, "uniform"), (False, "neighbours")):
        some = [one for one in found if one["uniform"] == uniform]
        rows.append(
            {
                "weights": name,
                "problems": len(some),
                "with fusions": sum(one["fused"] for one in some),
                "largest excess": max(one["excess"] for one in some),
                "smallest excess": min(one["excess"] for one in some),
                "largest gap": max(one["gap"] for one in some),
            }
        )
    return rows


def one(n: int, kind: str) -> dict:
    """One fit; called in a fresh process."""
    warnings.simplefilter("ignore")
    rows = np.random.default_rng(0).normal(size=(n, FEATURES))
    if kind == "clusters":
        rows, _ = clusters(n, FEATURES, 10, apart=6.0)
    ConvexClustering().fit(rows[:60])  # loads the kernels
    start = time.process_time()
    model, _, mb = growth_of(lambda: ConvexClustering().fit(rows))
    seconds = time.process_time() - start
    levels = model.path_.levels
    return {
        "rows": kind,
        "n": n,
        "CPU seconds": seconds,
        "memory MB": mb,
        "levels kept": len(levels),
        "sweeps": int(model.n_iter_),
        "components": int(model.n_components_),
        "clusters": int(model.n_clusters_),
        "largest gap": float(max(level.duality_gap for level in levels)),
    }


def slopes(fits: list[dict]) -> list[dict]:
    """Exponents of time and memory for either kind of rows."""
    found = []
    for kind in ("cloud", "clusters"):
        some = [fit for fit in fits if fit["rows"] == kind]
        sizes, seconds = [fit["n"] for fit in some], [fit["CPU seconds"] for fit in some]
        found.append(
            {
                "rows": kind,
                "exponent of time": exponent(sizes, seconds),
                "the same from 2,000 on": exponent(sizes[2:], seconds[2:]),
                "exponent of memory": exponent(sizes, [fit["memory MB"] for fit in some]),
            }
        )
    return found


def table(rows: list[dict]) -> str:
    """A table with the keys as its header."""
    cells = [[f"{v:.3g}" if isinstance(v, float) else v for v in row.values()] for row in rows]
    return report.table(list(rows[0]), cells)


def main() -> None:
    """Measure and write ``results/convex.md``."""
    parser = argparse.ArgumentParser(prog="python -m bench.convex")
    parser.add_argument("--most-rows", type=int, default=ROWS[-1], help="fewer: not kept")
    most = parser.parse_args().most_rows
    about, right, fits = report.machine(), agreement(), []
    for kind in ("cloud", "clusters"):
        for n in ROWS:
            if n <= most:
                fits.append(call("bench.convex", "one", n=n, kind=kind))
                print(fits[-1], flush=True)
    found = {"right": right, "exponents": slopes(fits), "fits": fits}
    tables = [f"{name.capitalize()}:\n\n{table(rows)}" for name, rows in found.items()]
    text = "\n\n".join(["# Convex clustering", __doc__ or "", *tables])
    if most < ROWS[-1]:
        print(text)
        return
    report.write("convex", text, found, about)


if __name__ == "__main__":
    main()
