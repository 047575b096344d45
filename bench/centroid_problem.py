"""The centroid problem against SCS: ``python -m bench.centroid_problem``.

K = 30, d = 8: ours from a cold start to a certified relative gap of 1e-6, SCS to eps 1e-9
(its own set-up and iterations; cvxpy's translation is not counted).  Excess is how far each
answer's objective lies above the best one of the two, relative.  Larger K: ours alone, with
sweeps.  gamma is given in units of the one that fuses everything.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.spatial.distance import pdist

from bench import report
from bench.measure import best_in_turn, best_of, threads
from bench.peers import NotInstalled, load
from fastcaf.fusion.centroid_problem import no_multipliers, solve_centroids

FEATURES = 8
SHARES = (0.1, 0.3, 0.7)  # of the gamma that fuses everything
LARGER = (100, 200, 500)


def problem(K: int, share: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights, means and gamma.  All fuse once gamma K reaches max_j w_j ||m_j - mean||."""
    rng = np.random.default_rng(0)
    weight, means = rng.uniform(1.0, 20.0, K), rng.normal(size=(K, FEATURES))
    away = np.linalg.norm(means - np.average(means, axis=0, weights=weight), axis=1)
    return weight, means, share * float((weight * away).max()) / K


def objective(weight: np.ndarray, means: np.ndarray, gamma: float, U: np.ndarray) -> float:
    """The judge."""
    pull = float((weight[:, None] * (U - means) ** 2).sum())
    return 0.5 * pull + gamma * float(pdist(U).sum())


def against_scs(share: float, repeats: int) -> dict:
    """K = 30 for both."""
    weight, means, gamma = problem(30, share)
    calls = {"ours": load("fastcaf_").fuse(weight, means, gamma)}
    try:
        calls["SCS"] = load("scs").fuse(weight, means, gamma)
    except NotInstalled as why:
        print(f"SCS is left out: {why}")
    values = {name: objective(weight, means, gamma, run()) for name, run in calls.items()}
    best, least = best_in_turn(calls, repeats), min(values.values())
    found: dict = {"K": 30, "share": share}
    for name, seconds in best.items():
        found[f"{name} ms"] = 1e3 * seconds
        found[f"{name} excess"] = values[name] / least - 1.0
    if "SCS" in best:
        found["SCS / ours"] = best["SCS"] / best["ours"]
    return found


def alone(K: int, share: float, repeats: int) -> dict:
    """Ours, larger."""
    weight, means, gamma = problem(K, share)
    none = no_multipliers(K, FEATURES)
    answer = solve_centroids(weight, means, gamma, means, none)
    seconds = best_of(lambda: solve_centroids(weight, means, gamma, means, none), repeats)
    return {
        "K": K,
        "share": share,
        "ms": 1e3 * seconds,
        "sweeps": int(answer.n_sweeps),
        "gap": float(answer.duality_gap),
        "sets left": int(answer.n_sets),
    }


def text_of(results: list[dict]) -> str:
    """One table for each kind of rows."""
    tables = []
    for keys in dict.fromkeys(tuple(one) for one in results):
        rows = [
            [f"{v:.3g}" if isinstance(v, float) else v for v in one.values()]
            for one in results
            if tuple(one) == keys
        ]
        tables.append(report.table(keys, rows))
    return "\n\n".join(["# The centroid problem", __doc__ or "", *tables])


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.centroid_problem")
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    about = report.machine()
    with threads(1):
        results = [against_scs(share, repeats) for share in SHARES]
        results += [alone(K, share, repeats) for K in LARGER for share in SHARES]
    report.write("centroid_problem", text_of(results), results, about)


if __name__ == "__main__":
    main()
