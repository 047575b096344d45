"""A fit in a few lines of text."""

from __future__ import annotations

import numpy as np

from fastcaf.estimators import CAFHFCM

__all__ = ["describe"]

SHOWN = 4  # candidates, and clusters, that are listed


def describe(model: CAFHFCM) -> str:
    """What a fitted model found, with the ranked alternatives.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.

    Returns
    -------
    str
        A few lines.
    """
    path = model.path_
    sizes = np.bincount(model.labels_, minlength=model.n_clusters_)
    lines = [
        f"{_count(len(model.labels_), 'row')}, {_count(model.n_features_in_, 'feature')}: "
        f"{_count(model.n_clusters_, 'cluster')} ({model.membership_} memberships, "
        f"gamma = {model.gamma_:.4g})",
        f"  path: {_count(len(path.start), 'starting centroid')}, "
        f"{_count(len(path.levels), 'level')}, {len(path.dropped)} dropped as ghosts or twins, "
        f"{model.n_iter_} passes over the rows",
        *_stood_in(model),
        "  sizes: " + _listed([str(size) for size in sizes], 2 * SHOWN),
        "  confidence: " + _listed([f"{c:.2f}" for c in model.cluster_confidences_], 2 * SHOWN),
    ]
    lines += [
        f"  {'chosen from' if i == 0 else '        and'}: "
        f"{_count(c.n_clusters, 'cluster'):>11}, "
        f"score {c.score:6.2f}, support {c.support:.2f}, "
        f"gamma {c.gamma_start:.4g} to {c.gamma_end:.4g} ({c.membership})"
        for i, c in enumerate(model.selection_[:SHOWN])
    ]
    lines.append(f"  why: {model.selection_[0].reason}")
    return "\n".join(lines)


def _stood_in(model: CAFHFCM) -> list[str]:
    """The representatives of a large fit."""
    summary = model.summary_
    if summary is None:
        return []
    ending = (
        f"settled on all rows in {summary.n_iter} passes"
        if summary.polished
        else f"not settled on all rows: {summary.note}"
    )
    return [
        f"  summary: {summary.n_representatives} representatives with "
        f"{100 * summary.within_share:.2g} % of the scatter within them; {ending}"
    ]


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")


def _listed(items: list[str], most: int) -> str:
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + rest
