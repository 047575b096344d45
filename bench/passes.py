"""Passes and sweeps of whole paths: ``python -m bench.passes --out before.json``.

For every set and both memberships: row passes, sweeps over pairs, levels, processor seconds,
and the runs of the path, each with its number of clusters and its gamma interval; then the
number that the default fit chooses.  ``--against before.json`` prints two states of the code
side by side, and says where a choice or the runs near it differ.

bench/results/passes_before.json is the state before longer steps (kernels/loop/step_length.py)
and compiled stretches (kernels/loop/compiled_loop.py); bench/results/passes.md, written with
``--keep``, compares the present one with it.  A birth is where a number of clusters first
appears; it is given where it moved by more than half a step of gamma (a factor of 1.15).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import bench
from bench import report
from bench.measure import load_kernels, threads
from bench.paper.data import paper_sets, uniform_set
from bench.selection.suite import data_folder, read
from fastcaf import CAFHFCM

SUITE = ("sipu-s1", "sipu-a3", "sipu-unbalance", "uci-yeast", "wut-x3")


def sets() -> Iterator[tuple[str, np.ndarray]]:
    """Names and rows."""
    for one in [*paper_sets(), uniform_set()]:
        yield one.name, one.X
    yield "digits", load_digits().data
    folder = data_folder()
    for name in SUITE if folder is not None else ():
        yield name, read(folder / "suite", name, has_noise=False)[0]


def measured(name: str, rows: np.ndarray) -> dict:
    """One default fit, and what its paths cost."""
    load_kernels(rows)
    start = time.process_time()
    model = CAFHFCM(random_state=0).fit(rows)
    found: dict = {
        "set": name,
        "chosen": int(model.n_clusters_),
        "by": model.membership_,
        "seconds": time.process_time() - start,
    }
    for membership, path in model.paths_.items():
        levels = path.levels
        counts, gammas = path.n_clusters, path.gammas
        births = [0, *(np.flatnonzero(np.diff(counts)) + 1).tolist()]
        found[membership] = {
            "passes": sum(level.n_iter for level in levels),
            "sweeps": sum(level.n_sweeps for level in levels),
            "levels": len(levels),
            "unsettled": sum(not level.converged for level in levels),
            "gap": max(level.duality_gap for level in levels),
            "runs": [(int(counts[i]), float(gammas[i])) for i in births],
        }
    return found


def text_of(results: list[dict], before: dict[str, dict]) -> str:
    """One line for every path; "a -> b" where there are figures of an earlier state."""

    def both(old: float | None, new: float) -> str:
        return f"{new:.3g}" if old is None else f"{old:.3g} -> {new:.3g}"

    lines = []
    for one in results:
        old = before.get(one["set"], {})
        for membership in ("fcm", "entropy"):
            path, earlier = one[membership], old.get(membership, {})
            keys = ("passes", "sweeps", "levels", "unsettled")
            cells = [
                f"{earlier[key]} -> {path[key]}" if earlier else str(path[key]) for key in keys
            ]
            lines.append([one["set"], membership, *cells, same_runs(earlier, path)])
        chosen = f"{one['chosen']} by {one['by']}"
        if old and (old["chosen"], old["by"]) != (one["chosen"], one["by"]):
            chosen = f"{old['chosen']} by {old['by']} -> {chosen}"
        seconds = both(old.get("seconds"), one["seconds"])
        lines.append([one["set"], "chosen", chosen, seconds + " s", "", "", ""])
    header = ["set", "path", "passes", "sweeps", "levels", "unsettled", "births moved"]
    return report.table(header, lines)


def totals(results: list[dict], before: dict[str, dict]) -> str:
    """All paths together, and how many choices are the same."""
    sums = [
        sum(one[path]["passes"] for one in state for path in ("fcm", "entropy"))
        for state in (before.values(), results)
    ]
    same = sum(before[one["set"]]["chosen"] == one["chosen"] for one in results)
    return (
        f"Row passes of all paths: {sums[0]:,} -> {sums[1]:,}.  The same number of clusters on "
        f"{same} of {len(results)} sets."
    )


def same_runs(before: dict, now: dict) -> str:
    """Which of the last twelve births of the earlier path moved, in steps of ln 1.15."""
    if not before:
        return ""
    births = {c: gamma for c, gamma in reversed(now["runs"])}
    moved = []
    for c, gamma in before["runs"][-12:]:
        if c not in births:
            moved.append(f"{c}: gone")
        elif gamma > 0.0 and births[c] > 0.0:
            steps = np.log(births[c] / gamma) / np.log(1.15)
            if abs(steps) > 0.5:
                moved.append(f"{c}: {steps:+.1f}")
    new = sorted({c for c, _ in now["runs"][-8:]} - {c for c, _ in before["runs"]})
    return ", ".join(moved + [f"{c}: new" for c in new])


def main() -> None:
    """Measure, print, keep where asked to."""
    parser = argparse.ArgumentParser(prog="python -m bench.passes")
    parser.add_argument("--out")
    parser.add_argument("--against")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--keep", action="store_true", help="write bench/results/passes.md")
    options = parser.parse_args()
    before: dict[str, dict] = {}
    about = report.machine()
    against = str(bench.RESULTS / "passes_before.json") if options.keep else options.against
    if against:
        earlier = json.loads(Path(against).read_text(encoding="utf-8"))
        before = {one["set"]: one for one in earlier}
    warnings.simplefilter("ignore")
    with threads(1):
        results = [
            measured(name, rows)
            for name, rows in sets()
            if not options.only or name in options.only
        ]
    text = text_of(results, before)
    if options.keep:
        parts = [
            "# Passes and sweeps, before and after",
            __doc__ or "",
            totals(results, before),
        ]
        report.write("passes", "\n\n".join([*parts, text]), results, about)
    else:
        print(text)
    if options.out:
        Path(options.out).write_text(json.dumps(results) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
