"""Two result files of pytest-benchmark side by side; fails on a regression.

``python bench/compare.py before.json after.json --most 1.15`` prints a table of least times
and exits with 1 if any benchmark got slower by more than that ratio.  On a machine of
another speed (or a busier hour), ``--reference NAME`` first divides each file's times by
its own time of that benchmark, one that no change of ours affects: ``--reference kmeans``
takes the first whose name contains it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Change:
    """One benchmark in both files."""

    name: str
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """Above 1: slower than before."""
        return self.after / self.before


def times(path: Path, reference: str | None = None) -> dict[str, float]:
    """Least seconds by name, or multiples of the reference's."""
    benchmarks = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    found = {one["fullname"]: float(one["stats"]["min"]) for one in benchmarks}
    if reference is None:
        return found
    units = [seconds for name, seconds in found.items() if reference in name]
    if not units:
        raise SystemExit(f"{path}: no benchmark's name contains {reference!r}.")
    return {name: seconds / units[0] for name, seconds in found.items()}


def changes(before: dict[str, float], after: dict[str, float]) -> list[Change]:
    """What is in both, the worst first."""
    both = [Change(name, before[name], after[name]) for name in before if name in after]
    return sorted(both, key=lambda change: -change.ratio)


def table(found: Sequence[Change], most: float) -> str:
    """Markdown, with a mark at what got too slow."""
    lines = ["| benchmark | before | after | ratio | |", "|---|---|---|---|---|"]
    for one in found:
        mark = "slower" if one.ratio > most else "faster" if one.ratio < 1.0 / most else ""
        lines.append(
            f"| {one.name} | {one.before:.4g} | {one.after:.4g} | {one.ratio:.2f} | {mark} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where nothing got slower than allowed, 1 otherwise, 2 where nothing can be compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--most", type=float, default=1.15, help="ratio that is still fine")
    parser.add_argument("--reference", help="benchmark to measure the others by")
    options = parser.parse_args(arguments)
    before = times(options.before, options.reference)
    after = times(options.after, options.reference)
    found = changes(before, after)
    print(table(found, options.most))
    for title, names in (
        ("only before", before.keys() - after),
        ("new", after.keys() - before),
    ):
        if names:
            print(f"\n{title}: {', '.join(sorted(names))}")
    if not found:
        print("\nThe files have no benchmark in common.")
        return 2
    slower = [one for one in found if one.ratio > options.most]
    print(f"\n{len(slower)} of {len(found)} slower than {options.most:g} times before.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
