"""A fit in a few lines of text."""

from __future__ import annotations

import textwrap
from typing import Any

from fastcaf.display.report.findings import Cluster, Findings, count

__all__ = ["text_report"]

SHOWN_CANDIDATES = 4
SHOWN_CLUSTERS = 12
WIDTH = 96


def text_report(model: Any, *, doubts: bool = True) -> str:
    """What a fitted model found: clusters, alternatives, and what is doubtful about it.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    doubts : bool, default=True
        With what the fit warned about.

    Returns
    -------
    str
        Some lines of at most 96 characters.
    """
    found = Findings.of(model)
    lines = [found.headline, f"  {found.verdict}", "", *_clusters(found.clusters)]
    lines += ["", *_candidates(found), ""]
    for one in found.how:
        lines += _wrapped("  ", one)
    for doubt in found.doubts if doubts else []:
        lines += ["", *_wrapped("Note: ", doubt)]
    return "\n".join(lines)


def _clusters(clusters: list[Cluster]) -> list[str]:
    lines = ["  cluster      rows   share      mass  confidence"]
    lines += [
        f"  {one.label:7d}  {one.rows:8,d}  {one.share:6.1%}  {one.mass:8,.0f}  "
        f"{one.confidence:10.2f}"
        for one in clusters[:SHOWN_CLUSTERS]
    ]
    if len(clusters) > SHOWN_CLUSTERS:
        rest = [one.rows for one in clusters[SHOWN_CLUSTERS:]]  # in order of their mass
        lines.append(f"  and {len(rest)} more, of {min(rest):,} to {count(max(rest), 'row')}")
    return lines


def _candidates(found: Findings) -> list[str]:
    lines = ["  how many clusters?   score  weakest separation  gamma"]
    lines += [
        f"  {'->' if i == found.reported else '  '} {one.n_clusters:15d}  {one.score:6.2f}  "
        f"{one.weakest_separation:18.2f}  {one.gamma_start:.4g} to {one.gamma_end:.4g} "
        f"({one.membership})"
        for i, one in enumerate(found.candidates[:SHOWN_CANDIDATES])
    ]
    return [*lines, *_wrapped("  ", found.reason)]


def _wrapped(start: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
