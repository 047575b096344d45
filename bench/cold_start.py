"""A fresh process: ``python -m bench.cold_start``.

Import time of fastcaf beside that of ``sklearn.cluster`` and Numba alone; then the first
fit of Iris, and of 5,000 x 2 rows, with an empty and with a filled cache of compiled
kernels.  Seconds inside the process, after the interpreter's own start; the best of several
processes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

import bench
from bench import report

IMPORTS = {
    "numpy": "import numpy",
    "sklearn.cluster + numba": "import sklearn.cluster, numba",
    "fastcaf": "import fastcaf",
}
IRIS = "from sklearn.datasets import load_iris; X = load_iris().data"
BLOBS = "from bench.data import clusters; X, _ = clusters(5000, 2, 15, apart=6.0)"
FIT = "from fastcaf import CAFHFCM; CAFHFCM(random_state=0).fit(X)"
FITS = {"first fit, Iris": IRIS, "first fit, 5,000 x 2": BLOBS}


def seconds(before: str, timed: str, cache: str | None = None) -> float:
    """Seconds that ``timed`` takes in a fresh process, after ``before``."""
    script = (
        f"import time\n{before}\nstart = time.perf_counter()\n{timed}\n"
        "print(time.perf_counter() - start)"
    )
    environment = {**os.environ, "PYTHONPATH": str(bench.ROOT)}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout)


def empty_and_filled(before: str, timed: str, repeats: int) -> tuple[float, float]:
    """With a cache folder of its own: the first process, and the best of the later ones."""
    with tempfile.TemporaryDirectory() as cache:
        empty = seconds(before, timed, cache)
        return empty, min(seconds(before, timed, cache) for _ in range(repeats))


def measured(repeats: int) -> list[dict]:
    """Imports in turn, then fits."""
    imports = dict.fromkeys(IMPORTS, float("inf"))
    for _ in range(repeats + 1):
        for name, statement in IMPORTS.items():
            imports[name] = min(imports[name], seconds("", statement))
    results = [{"what": f"import {name}", "filled": s} for name, s in imports.items()]
    for name, rows in FITS.items():
        empty, filled = empty_and_filled(f"import fastcaf; {rows}", FIT, repeats)
        again = min(seconds(f"{rows}; {FIT}", FIT) for _ in range(repeats))
        results.append({"what": name, "empty": empty, "filled": filled, "second": again})
    return results


def text_of(results: list[dict]) -> str:
    """One line for each import and each fit."""
    names = ("empty", "filled", "second")
    rows = [
        [one["what"], *(f"{one[k]:.3f}" if k in one else "" for k in names)] for one in results
    ]
    heading = ["seconds", "empty cache", "filled cache", "second fit of the process"]
    return "\n\n".join(["# Cold start", __doc__ or "", report.table(heading, rows)])


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.cold_start")
    parser.add_argument("--repeats", type=int, default=5)
    about = report.machine()
    results = measured(parser.parse_args().repeats)
    report.write("cold_start", text_of(results), results, about)


if __name__ == "__main__":
    main()
