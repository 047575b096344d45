"""Tables and the picture from the rows on disk."""

from __future__ import annotations

from pathlib import Path

from bench.selection.methods import DEFAULT, METHODS
from bench.selection.picture import dot_plot
from bench.selection.rows import Row, load
from bench.selection.sets import HALVES
from bench.selection.tables import (
    Groups,
    by_family,
    grouped,
    is_variant,
    losses,
    overall,
    saying_none,
)

READING = """Exact: the true number of clusters; within 10 %: at most max(1, 0.1 c) away. ARI
leaves out rows that are noise in truth; noise that a method finds is one group. "default" is
`CAFHFCM()`. One thread each, CPU seconds. Cells by family: exact, within 10 %, mean ARI.
In italics: yardsticks, which are told the true number, so that only their ARI counts.
k*-means takes one unit for the deviation of a cluster: the generated families suit it, as the
smallest deviation there is 1; the suite comes in units of all kinds."""
HALF_READING = {
    "tune": "Constants may be chosen on these sets (seeds 0 to 5; structureless: even). "
    "Seeds 2 to 5 were published or looked at once and have been development data since.",
    "report": "Constants may not be chosen on these sets (seed 7; structureless: odd).",
}


def in_order(rows: list[Row]) -> Groups:
    """Rows by method, ours first, methods that are no longer there last."""
    groups = grouped(rows, lambda row: row.method)
    order = [method.name for method in METHODS if method.name in groups]
    return {name: groups[name] for name in [*order, *(set(groups) - set(order))]}


def states(rows: list[Row]) -> str:
    """Which code made the rows; a warning where one method comes from several."""
    lines = []
    for method, own in in_order(rows).items():
        found = sorted({row.state for row in own})
        if len(found) > 1:
            lines.append(f"Rows of {method} come from {len(found)} states of the code: ")
            lines.append(f"{', '.join(found)}; run `--methods '{method}' --again`.")
    return "\n".join([f"Code: {', '.join(sorted({row.state for row in rows}))}.", *lines])


def page(title: str, rows: list[Row], reading: str = "") -> str:
    """A page of tables for labelled sets."""
    by_method = in_order(rows)
    main = {name: own for name, own in by_method.items() if not is_variant(name)}
    variants = {name: own for name, own in by_method.items() if name not in main}
    parts = [f"# {title}", f"{reading}\n{READING}".strip(), states(rows), overall(by_method)]
    parts += ["## By family", by_family(main)]
    if variants:
        parts += ["Our other rules and options:", by_family(variants)]
    parts += ["## Where we lose", losses(by_method, DEFAULT)]
    return "\n\n".join(parts) + "\n"


def structureless_page(rows: list[Row]) -> str:
    """A page for data whose answer is 1."""
    parts = ["# Structureless data"]
    parts.append(
        "Cells: share of runs that say 1 (or find noise only), share that says so or warns "
        "of no clear structure, both in %; in brackets the median answer. Sweeps from k = 2 "
        "cannot say 1 and are not asked, nor are yardsticks; slow methods are asked about "
        "fewer seeds or up to 3,000 rows only. Odd seeds of Gaussian clouds and uniform cubes "
        "up to d = 10 and 3,000 rows have been published before; everything else is new. "
        "k*-means takes one unit for a deviation: on rows of that spread it says 1 anyway."
    )
    parts.append(states(rows))
    for half in HALVES:
        own = [row for row in rows if row.half == half]
        if own:
            parts += [f"## Half: {half}", HALF_READING[half], saying_none(in_order(own))]
    return "\n\n".join(parts) + "\n"


def write(folder: Path) -> None:
    """Every page that has rows, and the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    panels: dict[str, Groups] = {}
    suite = load(folder / "suite.csv")
    if suite:
        keep(folder / "suite.md", page("Labelled sets: the suite and the paper's", suite))
        panels["suite"] = main_methods(suite)
    families = load(folder / "families.csv")
    for half in HALVES:
        rows = [row for row in families if row.half == half]
        if rows:
            text = page(f"Generated families, half: {half}", rows, HALF_READING[half])
            keep(folder / f"families-{half}.md", text)
            if half == "report":
                panels["generated"] = main_methods(rows)
    structureless = load(folder / "structureless.csv")
    if structureless:
        keep(folder / "structureless.md", structureless_page(structureless))
    if panels:
        dot_plot(panels, folder / "selection.png")


def main_methods(rows: list[Row]) -> Groups:
    """The default and the peers."""
    return {name: own for name, own in in_order(rows).items() if not is_variant(name)}


def keep(path: Path, text: str) -> None:
    """Write a page and say where."""
    path.write_text(text)
    print(f"wrote {path}")
