"""A fit as a piece of HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from fastcaf.display.report.findings import Cluster, Findings, shape_of
from fastcaf.display.words import number

__all__ = ["html_report"]

SHOWN_CANDIDATES = 5
SHOWN_CLUSTERS = 20

# Colours of the notebook's own theme: readable on white and on black.
STYLE = """<style>
.fastcaf-report {font-family: system-ui, sans-serif; font-size: 13px; max-width: 60em}
.fastcaf-report table {border-collapse: collapse; margin: .4em 0}
.fastcaf-report th, .fastcaf-report td {text-align: right; padding: .15em .8em .15em 0;
  border: 0; background: none}
.fastcaf-report td:has(.bar) {text-align: left}
.fastcaf-report th {font-weight: 600; border-bottom: 1px solid currentColor}
.fastcaf-report .chosen {font-weight: 600}
.fastcaf-report .bar {display: inline-block; height: .6em; background: #0072B2}
.fastcaf-report .doubt {border-left: 3px solid #D55E00; padding-left: .6em}
.fastcaf-report .small {opacity: .75}
</style>"""


def html_report(model: Any) -> str:
    """What a fitted model found, as one ``div`` with its own style.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.

    Returns
    -------
    str
    """
    found = Findings.of(model)
    parts = [
        STYLE,
        '<div class="fastcaf-report">',
        f"<p><strong>{escape(found.headline)}</strong></p>",
        *([f"<p>{escape(found.shape)}</p>"] if found.shape else []),
        f"<p>{escape(found.verdict)}</p>",
        *(f'<p class="doubt">{escape(doubt)}</p>' for doubt in found.doubts),
        _candidates(found),
        f'<p class="small">{escape(found.reason)}</p>',
        _clusters(found.clusters),
        f'<p class="small">{escape("; ".join(found.how))}</p>',
        "</div>",
    ]
    return "\n".join(parts)


def _candidates(found: Findings) -> str:
    heading = ["clusters", "score", "weakest separation", "gamma", "memberships"]
    if found.by_likelihood:
        heading = ["clusters", "score", "likelihood (nats)", "valley", "shape", "path"]
    rows = []
    for i, one in enumerate(found.candidates[:SHOWN_CANDIDATES]):
        facts = [
            number(one.weakest_separation, ".2f"),
            f"{one.gamma_start:.4g} to {one.gamma_end:.4g}",
        ]
        if found.by_likelihood:
            facts = [
                number(one.likelihood, ",.1f"),
                number(one.valley, ".2f"),
                shape_of(one, found.n_features),
            ]
        cells = [str(one.n_clusters), number(one.score, ".2f"), *facts, one.membership]
        rows.append(("chosen" if i == found.reported else "", cells))
    return _table(heading, rows)


def _clusters(clusters: list[Cluster]) -> str:
    largest = max(one.share for one in clusters)
    rows = [
        (
            "",
            [
                str(one.label),
                f"{one.rows:,}",
                f"{one.share:.1%}",
                f"{one.mass:,.1f}",
                f"{one.confidence:.2f}",
                f'<span class="bar" style="width: {8 * one.share / largest:.2f}em"></span>',
            ],
        )
        for one in clusters[:SHOWN_CLUSTERS]
    ]
    table = _table(["cluster", "rows", "share", "mass", "confidence", ""], rows)
    rest = len(clusters) - SHOWN_CLUSTERS
    return table + (f'<p class="small">and {rest} more</p>' if rest > 0 else "")


def _table(heading: list[str], rows: list[tuple[str, list[str]]]) -> str:
    """Rows of a class and cells; cells are our own numbers, words and marks."""
    head = "".join(f"<th>{escape(one)}</th>" for one in heading)
    body = "".join(
        f'<tr class="{name}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for name, cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
