"""Fuzzy c-means against the peers: ``python -m bench.fcm``.

n = 20,000, d = 8, c = 30, m = 2, one thread, 30 iterations from the same start, nobody
stops early (the iterations done are checked), contenders in turn, the best of several
repeats.  "fit" is the whole call; "iteration" is (time of 30 - time of 10) / 20, free of
what happens once: checks, our pass for the memberships at the start, scikit-learn's final
labels.  Times are those of the processor, all threads of the process added up: others at
work on the machine disturb them less, and a second thread would count.  Memory is how far a
fresh process rises during the fit, in arrays of n x c float64, the largest of three.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial

from scipy.spatial.distance import cdist

from bench import report
from bench.data import overlapping
from bench.fresh import call, growth_of
from bench.measure import best_in_turn, threads
from bench.peers import NotInstalled, load, offering

FEW, MANY = 10, 30
FUZZY = ("scikit_fuzzy", "scikit_fuzzy_c_means", "fuzzy_c_means")


def growth(name: str) -> float:
    """MB that one fit needs beside its input; called in a fresh process."""
    rows, start = overlapping()
    with threads(1):
        run = load(name).fit(rows, start)
        # Loads the same kernels and libraries, on rows too few to leave much memory behind.
        load(name).fit(rows[:4000].copy(), start)(1)
        return growth_of(lambda: run(MANY))[2]


def prepared() -> dict:
    """A call for each contender that is installed; each is seen to do its iterations."""
    rows, start = overlapping()
    runs, reference = {}, None
    for name in offering("fit"):
        try:
            run = load(name).fit(rows, start)
        except NotInstalled as why:
            print(f"{name} is left out: {why}")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            few, many = run(FEW), run(MANY)
        assert (few.n_iter, many.n_iter) == (FEW, MANY), f"{name} stopped early: {many.n_iter}"
        reference = many.centers if reference is None else reference
        difference = cdist(many.centers, reference).min(axis=1).max()
        assert name not in FUZZY or difference < 1e-8, f"{name} found something else"
        runs[name] = (run, float(difference))
    return runs


def measured(repeats: int) -> list[dict]:
    """Times, iterations and memory of all contenders."""
    rows, start = overlapping()
    array = len(rows) * len(start) * 8 / 2**20
    runs = prepared()
    calls = {(name, n): partial(runs[name][0], n) for name in runs for n in (FEW, MANY)}
    with threads(1):
        calls["lloyd", 1] = load("kmeans").row_pass(rows, start)
        best = best_in_turn(calls, repeats, time.process_time)
    results = []
    for name, (_, difference) in runs.items():
        call("bench.fcm", "growth", name=name)  # fills the kernels' cache
        mb = max(call("bench.fcm", "growth", name=name) for _ in range(3))
        results.append(
            {
                "contender": name.rstrip("_"),
                "fit ms": 1e3 * best[name, MANY],
                "iteration ms": 1e3 * (best[name, MANY] - best[name, FEW]) / (MANY - FEW),
                "memory MB": mb,
                "n x c arrays": mb / array,
                "largest difference of centres": difference,
            }
        )
    results.append(
        {"contender": "one call of lloyd_iter", "iteration ms": 1e3 * best["lloyd", 1]}
    )
    return results


def text_of(results: list[dict]) -> str:
    """The table, with ratios to ours."""
    ours = results[0]
    rows = []
    for one in results:
        fit, memory = one.get("fit ms"), one.get("n x c arrays")
        rows.append(
            [
                one["contender"],
                f"{fit:.1f}" if fit else "",
                f"{fit / ours['fit ms']:.2f}" if fit else "",
                f"{one['iteration ms']:.2f}",
                f"{one['iteration ms'] / ours['iteration ms']:.2f}",
                f"{memory:.2f}" if memory is not None else "",
                f"{one['largest difference of centres']:.0e}" if fit else "",
            ]
        )
    heading = ["", "fit ms", "x ours", "iteration ms", "x ours", "n x c arrays", "difference"]
    return "\n\n".join(["# Fuzzy c-means", __doc__ or "", report.table(heading, rows)])


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.fcm")
    parser.add_argument("--repeats", type=int, default=9)
    about = report.machine()
    results = measured(parser.parse_args().repeats)
    report.write("fcm", text_of(results), results, about)


if __name__ == "__main__":
    main()
