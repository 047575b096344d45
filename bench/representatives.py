"""How many representatives are enough?  ``python -m bench.representatives``.

20,000 rows, where the path can be followed on all of them too.  For every number R of
representatives: the number of clusters, the adjusted Rand index against the truth and
against the labels of the full run; then, with the memberships of the full run and at its
gamma, the objective on the representatives and, after the level has settled on them, on all
rows, each over that of the full run.  Times are of the automatic fits.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.metrics import adjusted_rand_score

from bench import report
from bench.data import clusters, grid
from bench.measure import load_kernels
from fastcaf import CAFHFCM

N = 20_000
NUMBERS = (500, 1000, 2000, 4000, 8000)
SIZES = np.array([1, 1, 1, 2, 2, 4, 8, 16, 32, 64])


def unequal() -> tuple[np.ndarray, np.ndarray]:
    """Ten clusters in the plane, the largest with 64 times the rows of the smallest."""
    rows, labels = clusters(4 * N, 2, 10, apart=8.0)
    least = N // int(SIZES.sum())
    chosen = np.concatenate(
        [np.flatnonzero(labels == j)[: least * size] for j, size in enumerate(SIZES)]
    )
    return rows[chosen], labels[chosen]


SETS: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "d = 2, 100 on a grid": lambda: grid(N),
    "d = 2, 20 at 5 deviations": lambda: clusters(N, 2, 20, apart=5.0),
    "d = 2, 10 of sizes 1 to 64": unequal,
    "d = 10, 50 at 6 deviations": lambda: clusters(N, 10, 50, apart=6.0),
    "d = 10, 20 at 4 deviations": lambda: clusters(N, 10, 20, apart=4.0),
}


def fitted(rows: np.ndarray, **options: object) -> tuple[CAFHFCM, float]:
    """A fit and its seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model = CAFHFCM(random_state=0, **options).fit(rows)
    return model, time.perf_counter() - start


def compared(name: str, numbers: tuple[int, ...]) -> list[dict]:
    """One data set with all numbers of representatives, the full run first."""
    rows, truth = SETS[name]()
    load_kernels(rows)
    full, seconds = fitted(rows, representatives=None)
    same = {"membership": full.membership_, "gamma": full.gamma_}
    objective = fitted(rows, representatives=None, **same)[0].objective_
    found = [
        {
            "data": name,
            "R": "all rows",
            "c": full.n_clusters_,
            "ARI": adjusted_rand_score(truth, full.labels_),
            "ARI to full": 1.0,
            "objective": 1.0,
            "on all rows": 1.0,
            "within cells": 0.0,
            "seconds": seconds,
        }
    ]
    for number in numbers:
        model, seconds = fitted(rows, representatives=number)
        level = fitted(rows, representatives=number, **same)[0].representatives_
        found.append(
            {
                "data": name,
                "R": level.n_representatives,
                "c": model.n_clusters_,
                "ARI": adjusted_rand_score(truth, model.labels_),
                "ARI to full": adjusted_rand_score(full.labels_, model.labels_),
                "objective": level.objective / objective,
                "on all rows": level.objective_on_rows / objective,
                "within cells": level.within_share,
                "seconds": seconds,
            }
        )
        print(found[-1], flush=True)
    return found


def text_of(found: list[dict]) -> str:
    """One table."""
    rows = [[f"{v:.4g}" if isinstance(v, float) else v for v in one.values()] for one in found]
    return "\n\n".join(
        ["# How many representatives", __doc__ or "", report.table(list(found[0]), rows)]
    )


def main() -> None:
    """Run all and write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.representatives")
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="fewer: not kept")
    options = parser.parse_args()
    about = report.machine()
    found = [one for name in options.sets for one in compared(name, NUMBERS)]
    if options.sets == list(SETS):
        report.write("representatives", text_of(found), found, about)
    else:
        print(text_of(found))


if __name__ == "__main__":
    main()
