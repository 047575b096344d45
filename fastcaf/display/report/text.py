"""A fit in a few lines of text."""

from __future__ import annotations

import textwrap
from typing import Any

from fastcaf.display.report.findings import Cluster, Findings, count, shape_of
from fastcaf.display.words import number

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
    lines = [found.headline, *([f"  {found.shape}"] if found.shape else [])]
    lines += [*_wrapped("  ", found.verdict), "", *_clusters(found.clusters)]
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
    likely = found.by_likelihood
    heading = "  how many clusters?   score  weakest separation  gamma"
    if likely:
        heading = "  clusters?   score  likelihood  valley  shape (path)"
    lines = [heading]
    for i, one in enumerate(found.candidates[:SHOWN_CANDIDATES]):
        mark = "->" if i == found.reported else "  "
        facts = _likely(one, found.n_features) if likely else _separated(one)
        lines.append(f"  {mark} {one.n_clusters:{6 if likely else 15}d}  {facts}")
    return [*lines, *_wrapped("  ", found.reason)]


def _likely(one: Any, n_features: int) -> str:
    return (
        f"{number(one.score, '6.2f')}  {number(one.likelihood, '10.1f')}  "
        f"{number(one.valley, '6.2f')}  {shape_of(one, n_features)} ({one.membership})"
    )


def _separated(one: Any) -> str:
    return (
        f"{number(one.score, '6.2f')}  {number(one.weakest_separation, '18.2f')}  "
        f"{one.gamma_start:.4g} to {one.gamma_end:.4g} ({one.membership})"
    )


def _wrapped(start: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
