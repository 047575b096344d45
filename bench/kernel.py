"""Kernel memberships against others: ``python -m bench.kernel``.

KFCM is that of the package fuzzy-c-means, from the same centroids at the same bandwidth; both
run until they stand still, and the objectives are compared.  Rings and outliers: draws 0 to 9,
the default bandwidth.  "told" are fits that know the number of clusters; the ARI is that of the
rows that are no outliers.  The row pass: CPU time of one thread beside that of "fcm", m = 2.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score

from bench import data, peers, report
from bench.measure import best_in_turn, threads
from fastcaf import CAFHFCM, FuzzyCMeans
from fastcaf import objective as judge
from fastcaf.kernels.rows.fcm import fcm_statistics_serial
from fastcaf.kernels.rows.kernel import kernel_statistics_serial
from fastcaf.memberships import KernelMemberships

DRAWS = range(10)
OUTLIER = -1
Labelled = tuple[np.ndarray, np.ndarray, int]
SHAPES = ((2, 30), (8, 30), (8, 100), (32, 30))


def rings(seed: int) -> Labelled:
    """Two concentric rings of 200 rows."""
    X, y = make_circles(400, factor=0.4, noise=0.06, random_state=seed)
    return X, y, 2


def with_outliers(share: float, far: float) -> Callable[[int], Labelled]:
    """Three round clusters of 100 rows, and so many more in a square of half side ``far``."""

    def draw(seed: int) -> Labelled:
        X, y = make_blobs(300, centers=3, cluster_std=0.6, random_state=seed)
        outliers = np.random.default_rng(seed).uniform(-far, far, size=(int(300 * share), 2))
        return np.vstack([X, outliers]), np.append(y, np.full(len(outliers), OUTLIER)), 3

    return draw


SETS = {
    "two rings": rings,
    "no outliers": with_outliers(0.0, 1.0),
    "10 % outliers within 15": with_outliers(0.1, 15.0),
    "10 % outliers within 30": with_outliers(0.1, 30.0),
    "3 % outliers within 100": with_outliers(0.03, 100.0),
}


def path(membership: str) -> Callable[[np.ndarray, int], CAFHFCM | FuzzyCMeans]:
    return lambda X, c: CAFHFCM(membership=membership, random_state=0).fit(X)


def told(membership: str) -> Callable[[np.ndarray, int], CAFHFCM | FuzzyCMeans]:
    return lambda X, c: FuzzyCMeans(
        c, membership=membership, init="random", n_init=10, random_state=0
    ).fit(X)


METHODS = {
    "fcm": path("fcm"),
    "kernel": path("kernel"),
    "gaussian": path("gaussian"),
    "told, fcm": told("fcm"),
    "told, kernel": told("kernel"),
}


def found_on(draw: Callable[[int], Labelled]) -> dict[str, dict]:
    """Numbers of clusters and ARI of every method, draw by draw."""
    result: dict[str, dict] = {name: {"c": [], "ari": []} for name in METHODS}
    for seed in DRAWS:
        X, y, c = draw(seed)
        true = y != OUTLIER
        for name, method in METHODS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = method(X, c)
            result[name]["c"].append(int(model.n_clusters_))
            ari = adjusted_rand_score(y[true], model.labels_[true])
            result[name]["ari"].append(float(ari))
    return result


def against_kfcm() -> list[dict]:
    """Objectives of both from the same start."""
    peer = peers.load("fuzzy_c_means")
    problems = {
        "Iris": (load_iris().data, 3),
        "outliers": (with_outliers(0.1, 30.0)(0)[0], 3),
        "rings": (rings(0)[0], 5),
        "1,000 x 4 in 10": (data.clusters(1000, 4, 10, apart=3.0)[0], 10),
    }
    cells = []
    for name, (X, c) in problems.items():
        spread = float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()))
        for share in (0.3, 0.7, 3.0):
            h, start = share * spread, X[np.random.default_rng(0).choice(len(X), c, False)]
            theirs = peer.fit_kernel(X, start, h, 1000)
            model = FuzzyCMeans(
                c, membership="kernel", bandwidth=h, init=start, max_iter=3000, tol=1e-14
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X)
            value = judge.objective(X, theirs.centers, 0.0, bandwidth=h)
            difference = (model.objective_ - value) / value
            cells.append(
                {"set": name, "c": c, "h / spread": share, "ours": model.objective_,
                 "KFCM": value, "relative difference": difference}
            )  # fmt: skip
    return cells


def row_pass(d: int, K: int, repeats: int) -> dict:
    """Times of a pass over 20,000 rows."""
    X, none = np.random.default_rng(0).normal(size=(20_000, d)), np.empty(0)
    U = X[:K] + 0.01
    model = KernelMemberships(2.0, bandwidth=float(np.sqrt(0.5 * d)))
    (parameters,) = model.kernel_parameters
    with threads(1):
        best = best_in_turn(
            {
                "fcm": lambda: fcm_statistics_serial(X, none, none, U, 1.0),
                "kernel": lambda: kernel_statistics_serial(X, none, none, U, parameters),
            },
            repeats,
            time.process_time,
        )
    ratio = best["kernel"] / best["fcm"]
    return {"d": d, "K": K, "fcm ms": 1e3 * best["fcm"], "times as long": ratio}


def numbers(one: dict, c: int) -> str:
    right = sum(found == c for found in one["c"])
    return f"{right}, {np.mean(one['ari']):.3f} ({min(one['c'])} to {max(one['c'])})"


def main() -> None:
    """Measure and write it down."""
    parser = argparse.ArgumentParser(prog="python -m bench.kernel")
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    about = report.machine()
    objectives = against_kfcm()
    found = {name: found_on(draw) for name, draw in SETS.items()}
    passes = [row_pass(d, K, repeats) for d, K in SHAPES]
    largest = max(abs(one["relative difference"]) for one in objectives)
    text = [
        "# Kernel memberships",
        (__doc__ or "").split("\n", 2)[2],
        f"Objectives, largest relative difference {largest:.1e}:",
        report.table(
            list(objectives[0]),
            [[f"{v:.6g}" if isinstance(v, float) else v for v in one.values()]
             for one in objectives],
        ),
        f"Exact number of clusters of {len(DRAWS)} draws, mean ARI (least and largest number):",
        report.table(
            ["set", *METHODS],
            [[name, *(numbers(one, SETS[name](0)[2]) for one in by_method.values())]
             for name, by_method in found.items()],
        ),
        "The row pass:",
        report.table(
            list(passes[0]),
            [[f"{v:.2f}" if isinstance(v, float) else v for v in one.values()]
             for one in passes],
        ),
    ]  # fmt: skip
    results = {"objectives": objectives, "sets": found, "row pass": passes}
    report.write("kernel", "\n\n".join(text), results, about)


if __name__ == "__main__":
    main()
