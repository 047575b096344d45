"""The last fusions of a path as a tree of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastcaf.display.report.findings import count
from fastcaf.display.reported import reported_cut, reported_labels
from fastcaf.fusion.level import Path

__all__ = ["text_tree"]

TINY = 1e-300
WORDS = {"fused": "", "dropped": ", one dropped", "beyond": ", estimated beyond the path"}


def text_tree(model: Any, n_clusters: int = 12) -> str:
    """How the last clusters of a path fuse.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    n_clusters : int, default=12
        Leaves of the tree; fewer where the path has no more starting centroids.

    Returns
    -------
    str
        A line for every fusion and every cluster, with its rows: counted where clusters are
        reported and above, divided by their masses below.  Reported clusters have a star and
        their label.
    """
    path = model.path_
    n_start = len(path.start)
    shown = min(n_clusters, n_start)
    cut = reported_cut(model)
    labels = dict(
        zip(cut.nodes.tolist(), reported_labels(model, cut.centroids).tolist(), strict=True)
    )
    rows = _rows(model, labels, _masses(path, max(shown, model.n_clusters_)))
    total = len(model.labels_)

    lines = []
    (root,) = _alive(path, 1)
    waiting = [(root, "", "")]
    while waiting:
        node, first, rest = waiting.pop()
        star = f" * cluster {labels[node]}" if node in labels else ""
        size = f"{rows[node]:,.0f} rows ({rows[node] / total:.1%}){star}"
        if node < 2 * n_start - shown:  # made before the last ones, or a starting centroid
            lines.append(first + size)
            continue
        merge = path.merges[node - n_start]
        lines.append(f"{first}gamma {merge.gamma:.4g}{WORDS[merge.kind]}: {size}")
        smaller, larger = sorted((merge.first, merge.second), key=rows.__getitem__)
        waiting.append((smaller, rest + "└─ ", rest + "   "))
        waiting.append((larger, rest + "├─ ", rest + "│  "))
    heading = (
        f"The last {count(shown, 'cluster')} of {n_start} ({model.membership_} memberships), "
        f"and the gamma at which they fuse; * the {model.n_clusters_} reported"
    )
    return "\n".join([heading, *lines])


def _rows(model: Any, labels: dict[int, int], masses: dict[int, float]) -> dict[int, float]:
    """Rows of every node of the tree that has a mass."""
    counts = np.bincount(model.labels_, minlength=model.n_clusters_)
    rows = {node: float(counts[label]) for node, label in labels.items()}
    merges, n_start = model.path_.merges, len(model.path_.start)
    n_below = n_start - len(labels)  # merges that lead to the reported clusters
    for i in range(n_below, len(merges)):
        rows[n_start + i] = rows[merges[i].first] + rows[merges[i].second]
    for i in reversed(range(n_below)):
        parts = merges[i].first, merges[i].second
        if not set(parts) <= set(masses):
            break
        for part in parts:
            share = masses[part] / max(masses[parts[0]] + masses[parts[1]], TINY)
            rows[part] = rows[n_start + i] * share
    return rows


def _alive(path: Path, n_clusters: int) -> set[int]:
    """The nodes of the tree when so many are left."""
    n_start = len(path.start)
    alive = set(range(n_start))
    for i, merge in enumerate(path.merges[: n_start - n_clusters]):
        alive -= {merge.first, merge.second}
        alive.add(n_start + i)
    return alive


def _masses(path: Path, n_clusters: int) -> dict[int, float]:
    """Soft sizes of the last nodes: of the fewest clusters not below, added up from there."""
    n_start = len(path.start)
    fewest = min(one.n_clusters for one in path.levels if one.n_clusters >= n_clusters)
    run = [one for one in path.levels if one.n_clusters == fewest]
    level = run[(len(run) - 1) // 2]  # the one that a cut would give
    masses = dict(zip(level.nodes.tolist(), level.mass.tolist(), strict=True))
    for i in range(n_start - level.n_clusters, len(path.merges)):
        merge = path.merges[i]
        masses[n_start + i] = masses[merge.first] + masses[merge.second]
    return masses
