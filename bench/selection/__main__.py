"""Number of clusters found, side by side: ``python -m bench.selection --help``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.selection.families import family_sets
from bench.selection.methods import GROUPS, METHODS, named, usable
from bench.selection.report import write
from bench.selection.rows import forget
from bench.selection.run import run
from bench.selection.sets import HALVES, LabelledSet
from bench.selection.structureless import structureless_sets
from bench.selection.suite import suite_sets

PARTS = {"suite": suite_sets, "families": family_sets, "structureless": structureless_sets}
RESULTS = Path(__file__).parent / "results"
QUICK = Path(tempfile.gettempdir()) / "fastcaf-selection-quick"


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.selection", description=__doc__)
    known = ", ".join([*GROUPS, *(method.name for method in METHODS)])
    parser.add_argument("--only", choices=PARTS, help="one part instead of all three")
    parser.add_argument("--methods", nargs="+", default=["all"], help=f"of: {known}")
    parser.add_argument("--half", choices=HALVES, help="one half of the generated sets")
    parser.add_argument("--families", nargs="+", help="only these, by name or its beginning")
    parser.add_argument("--again", action="store_true", help="forget these rows first")
    parser.add_argument("--quick", action="store_true", help=f"few sets, to {QUICK}")
    parser.add_argument("--tables", action="store_true", help="only write tables anew")
    return parser.parse_args()


def meant(sets: Iterable[LabelledSet], options: argparse.Namespace) -> list[LabelledSet]:
    """Sets of the half and the families that are asked for.

    "overlap" stands for "overlap 5" and so on, "ring" for "ring d=2 n=300" and so on.
    """
    names = tuple(f"{name} " for name in options.families or [""])
    return [
        data
        for data in sets
        if not options.half or data.half in ("", options.half)
        if not options.families or f"{data.family} ".startswith(names)
    ]


def main() -> None:
    """Run what is asked for and not known yet, then write tables and picture."""
    options = parsed()
    folder = QUICK if options.quick else RESULTS
    methods = named(options.methods)
    if not options.tables:
        everything = {
            part: list(PARTS[part](options.quick))
            for part in ([options.only] if options.only else PARTS)
        }
        chosen = {part: meant(sets, options) for part, sets in everything.items()}
        if not any(chosen.values()):
            known = dict.fromkeys(data.family for sets in everything.values() for data in sets)
            raise SystemExit(f"No set is meant; families: {', '.join(known)}.")
        methods = usable(methods)
        names = {method.name for method in methods}
        for part, sets in chosen.items():
            path = folder / f"{part}.csv"
            if options.again:
                old = {data.name for data in sets}
                forget(path, lambda row, old=old: row.set in old and row.method in names)
            run(sets, methods, path)
    write(folder)


if __name__ == "__main__":
    main()
