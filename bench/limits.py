"""The row pass against the machine's limit and a Lloyd iteration: ``python -m bench.limits``.

What is counted, for each row and centroid: 2 d flops for the distance and 2 d for the sums
(the two matrix products that any method needs), and 8 for the rest (2 to complete the
distance, a division, the sum, the share, the square, mass and weight).  A direct distance
costs d more; those are not credited.  The limit is the larger of

    n K (4 d + 8) / (speed of dgemm or sgemm)      and      n d bytes / memory bandwidth,

both measured in the same run with as many threads, before and after the grid (the faster
counts).  The second fraction counts the one
division for each row and centroid at the speed of divisions instead of as one flop: for
small d they are what takes the time.  A Lloyd iteration is the private function that
KMeans.fit calls once an iteration (see bench/peers/kmeans.py).
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from bench import machine_limits, report
from bench.measure import best_in_turn, threads
from bench.peers import load

FEATURES = (2, 8, 32, 128)
CENTROIDS = (10, 30, 100, 400, 1000)
TYPES = ("float64", "float32")
THREADS = (1, 2)
FLOPS_A_CELL = 2e8  # some 20 ms on one thread
CALLS = 10  # in a row, as in a fit
LEAST_ROWS, MOST_ROWS = 4_000, 1_000_000


def flops(n: int, d: int, K: int) -> float:
    """Of one pass, as counted above."""
    return float(n) * K * (4 * d + 8)


def rows_for(d: int, K: int) -> int:
    """So many that a pass takes 5 to 50 ms, and never fewer than make sense."""
    return int(np.clip(FLOPS_A_CELL / flops(1, d, K), LEAST_ROWS, MOST_ROWS))


def cell(d: int, K: int, dtype: str, n_threads: int, repeats: int) -> dict:
    """One shape, one precision, one number of threads; ours and scikit-learn's in turn."""
    n = rows_for(d, K)
    rows = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    centroids = rows[:K].astype(np.float64) + 0.01
    with threads(n_threads):
        best = best_in_turn(
            {name: load(name).row_pass(rows, centroids) for name in ("fastcaf_", "kmeans")},
            repeats,
            calls=CALLS,
        )
    seconds, lloyd = best["fastcaf_"], best["kmeans"]
    return {
        "d": d,
        "K": K,
        "n": n,
        "dtype": dtype,
        "threads": n_threads,
        "ms": 1e3 * seconds,
        "GFLOP/s": 1e-9 * flops(n, d, K) / seconds,
        "Lloyd ms": 1e3 * lloyd,
        "ratio to Lloyd": seconds / lloyd,
    }


def with_fractions(one: dict, limits: dict[str, float]) -> dict:
    """Add how near the cell comes to the machine's limits."""
    n, d, K, dtype = one["n"], one["d"], one["K"], one["dtype"]
    gemm = limits["dgemm GFLOP/s" if dtype == "float64" else "sgemm GFLOP/s"]
    by_flops = 1e-9 * flops(n, d, K) / gemm
    by_memory = 1e-9 * n * d * np.dtype(dtype).itemsize / limits["memory GB/s"]
    by_divisions = by_flops + 1e-9 * n * K * (1.0 / limits[f"{dtype} Gdiv/s"] - 1.0 / gemm)
    return {
        **one,
        "fraction": 1e3 * max(by_flops, by_memory) / one["ms"],
        "fraction, divisions counted": 1e3 * max(by_divisions, by_memory) / one["ms"],
    }


def with_speedup(cells: list[dict]) -> list[dict]:
    """Add how much faster each cell is than the same one with one thread."""
    alone = {(c["d"], c["K"], c["dtype"]): c["ms"] for c in cells if c["threads"] == 1}
    return [
        {**c, "speedup": alone[c["d"], c["K"], c["dtype"]] / c["ms"]}
        for c in cells
        if (c["d"], c["K"], c["dtype"]) in alone
    ]


def verdict(cells: list[dict]) -> str:
    """The worst cells, against what issue 4 asks for."""
    worst = max(cells, key=lambda c: c["ratio to Lloyd"])
    large = [c for c in cells if c["threads"] == 2 and float(c["n"]) * c["K"] * c["d"] > 1e7]
    lines = [
        f"Ratio to a Lloyd iteration: at most {worst['ratio to Lloyd']:.2f} "
        f"(d = {worst['d']}, K = {worst['K']}, {worst['dtype']}, {worst['threads']} threads); "
        f"above 2.5 in {sum(c['ratio to Lloyd'] > 2.5 for c in cells)} of {len(cells)} cells."
    ]
    if large:
        least = min(large, key=lambda c: c["speedup"])
        lines.append(
            f"Two threads over one, where n K d > 10^7: at least {least['speedup']:.2f} "
            f"(d = {least['d']}, K = {least['K']}, {least['dtype']}); "
            f"below 1.7 in {sum(c['speedup'] < 1.7 for c in large)} of {len(large)} cells."
        )
    return "\n".join(lines)


def text_of(limits: list[dict], cells: list[dict]) -> str:
    """Both tables and the verdict."""
    names = list(limits[0])
    top = report.table(names, [[f"{one[k]:.3g}" for k in names] for one in limits])
    formats = {"ms": ".2f", "Lloyd ms": ".2f", "GFLOP/s": ".1f"}
    heading = list(cells[0])
    body = [
        [
            format(c[k], formats.get(k, ".2f")) if isinstance(c[k], float) else c[k]
            for k in heading
        ]
        for c in cells
    ]
    about = (__doc__ or "").split("\n", 2)[2]
    return "\n\n".join(
        [
            "# The row pass",
            about,
            "This machine:",
            top,
            verdict(cells),
            report.table(heading, body),
        ]
    )


def main() -> None:
    """Measure the grid and write it down."""
    parser = argparse.ArgumentParser(prog="python -m bench.limits")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="a corner of the grid, not kept")
    options = parser.parse_args()
    about = report.machine()
    features, centroids = (
        (FEATURES[:2], CENTROIDS[:2]) if options.quick else (FEATURES, CENTROIDS)
    )
    before = [machine_limits.measured(n) for n in THREADS]
    cells = [
        cell(d, K, dtype, n_threads, options.repeats)
        for d, K, dtype, n_threads in product(features, centroids, TYPES, THREADS)
    ]
    after = [machine_limits.measured(n) for n in THREADS]
    limits = [{k: max(a[k], b[k]) for k in a} for a, b in zip(before, after, strict=True)]
    of = dict(zip(THREADS, limits, strict=True))
    cells = with_speedup([with_fractions(one, of[one["threads"]]) for one in cells])
    text = text_of(limits, cells)
    if options.quick:
        print(text)
    else:
        report.write("limits", text, {"limits": limits, "cells": cells}, about)


if __name__ == "__main__":
    main()
