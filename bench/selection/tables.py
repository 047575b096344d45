"""Rows to markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from bench.selection.methods import TOLD
from bench.selection.rows import Row

Groups = dict[str, list[Row]]


def grouped(rows: Iterable[Row], key: Callable[[Row], str]) -> Groups:
    """Rows by a key, in order of first appearance."""
    groups: Groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def markdown(heading: list[str], lines: Iterable[list[str]]) -> str:
    """A table, numbers as given."""
    rule = ["---"] * len(heading)
    return "\n".join("| " + " | ".join(line) + " |" for line in [heading, rule, *lines])


def overall(by_method: Groups) -> str:
    """One line a method over all of its sets."""
    lines = []
    for method, rows in by_method.items():
        clear = [row.warned for row in rows if row.clear]
        lines.append(
            [
                titled(method),
                str(len(rows)),
                "told" if method in TOLD else f"{sum(row.is_exact for row in rows)}",
                "told" if method in TOLD else f"{sum(row.is_near for row in rows)}",
                f"{np.mean([row.ari for row in rows]):.3f}",
                f"{np.median([row.seconds for row in rows]):.2f}",
                f"{sum(row.seconds for row in rows):.0f}",
                f"{100 * np.mean(clear):.0f} %" if clear else "-",
            ]
        )
    heading = ["method", "sets", "exact c", "within 10 %", "mean ARI"]
    heading += ["median s", "total s", "clear sets warned about"]
    return markdown(heading, lines)


def by_family(by_method: Groups) -> str:
    """Exact / within 10 % / mean ARI: a line a family, a column a method."""
    families = list(grouped((r for rows in by_method.values() for r in rows), family_of))
    lines = []
    for family in families:
        line = [family, ""]
        for rows in by_method.values():
            own = [row for row in rows if row.family == family]
            line[1] = line[1] or str(len(own))
            line.append(cell(own))
        lines.append(line)
    return markdown(["family", "sets", *map(titled, by_method)], lines)


def titled(method: str) -> str:
    """Its name, in italics for yardsticks."""
    return f"*{method}*" if method in TOLD else method


def cell(rows: list[Row]) -> str:
    """Exact, near, mean ARI; the ARI alone for yardsticks."""
    if not rows:
        return "-"
    exact, near = sum(row.is_exact for row in rows), sum(row.is_near for row in rows)
    ari = f"{np.mean([row.ari for row in rows]):.3f}".replace("0.", ".", 1)
    if rows[0].method in TOLD:
        return ari
    return f"{exact} {near} {ari}"


def family_of(row: Row) -> str:
    """Its family."""
    return row.family


def saying_none(by_method: Groups) -> str:
    """Structureless data: the share that says 1 (or none), and that warns or says so."""
    families = list(grouped((r for rows in by_method.values() for r in rows), family_of))
    lines = [none_line("all", by_method, lambda row: True)]
    for family in families:
        lines.append(none_line(family, by_method, lambda row, f=family: row.family == f))
    return markdown(["data", "sets", *by_method], lines)


def none_line(name: str, by_method: Groups, is_meant: Callable[[Row], bool]) -> list[str]:
    """Answers of at most 1 in %, and with warnings in %; the median answer."""
    line = [name, ""]
    for rows in by_method.values():
        own = [row for row in rows if is_meant(row)]
        if not own:
            line.append("-")
            continue
        line[1] = line[1] or str(len(own))
        one = 100 * np.mean([row.c <= 1 for row in own])
        none = 100 * np.mean([row.says_none for row in own])
        line.append(f"{one:.0f} / {none:.0f} ({np.median([row.c for row in own]):.0f})")
    return line


def losses(by_method: Groups, ours: str, margin: float = 0.02) -> str:
    """Sets where our number is wrong or a peer's ARI is higher, worst first; no yardsticks."""
    peers = {
        name: {row.set: row for row in rows}
        for name, rows in by_method.items()
        if name != ours and not is_variant(name) and name not in TOLD
    }
    lines = []
    for row in by_method.get(ours, []):
        others = [own[row.set] for own in peers.values() if row.set in own]
        best = max(others, key=lambda other: other.ari, default=None)
        lost = best.ari - row.ari if best else 0.0
        if row.is_exact and lost <= margin:
            continue
        peer = f"{best.method}: {best.c}, {best.ari:.2f}" if best else "-"
        said = "warned" if row.warned else ""
        line = [row.set, str(row.k), str(row.c), f"{row.ari:.2f}", row.note, peer, said]
        lines.append((lost, line))
    lines.sort(key=lambda pair: -pair[0])
    heading = ["set", "true c", "ours", "ARI", "our ranking (score)"]
    heading += ["best peer: c, ARI", ""]
    return markdown(heading, [line for _, line in lines])


def is_variant(name: str) -> bool:
    """Whether a method is one of ours beside the default."""
    return ":" in name
