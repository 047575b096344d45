"""The last fusions of a path as a tree of text."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.display.report.findings import count
from fastcaf.display.reported import reported_cut, reported_labels
from fastcaf.display.words import by_loss, path_words

__all__ = ["text_tree"]

TINY = 1e-300
WIDTH = 96
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
    rows = _rows(model, labels)
    total = len(model.labels_)

    lost = by_loss(path)
    lines = []
    (root,) = path.tree.alive_at(1).tolist()
    waiting = [(root, "", "")]
    while waiting:
        node, first, rest = waiting.pop()
        star = f" * cluster {labels[node]}" if node in labels else ""
        size = f"{rows[node]:,.0f} rows ({rows[node] / total:.1%}){star}"
        if node < 2 * n_start - shown:  # made before the last ones, or a starting centroid
            lines.append(first + size)
            continue
        merge = path.merges[node - n_start]
        height = f"{merge.gamma:.4g} nats" if lost else f"gamma {merge.gamma:.4g}"
        lines.append(f"{first}{height}{WORDS[merge.kind]}: {size}")
        smaller, larger = sorted((merge.first, merge.second), key=rows.__getitem__)
        waiting.append((smaller, rest + "└─ ", rest + "   "))
        waiting.append((larger, rest + "├─ ", rest + "│  "))
    heading = (
        f"The last {count(shown, 'cluster')} of {n_start} "
        f"({path_words(model, model.membership_)}), and "
        f"{'the likelihood lost when they merge' if lost else 'the gamma at which they fuse'}; "
        f"* the {model.n_clusters_} reported"
    )
    return "\n".join([*textwrap.wrap(heading, WIDTH), *lines])


def _rows(model: Any, labels: dict[int, int]) -> FloatArray:
    """Rows of every node: added up above the reported clusters, divided by mass below."""
    tree, masses = model.path_.tree, model.path_.node_masses()
    counts = np.bincount(model.labels_[model.labels_ >= 0], minlength=model.n_clusters_)
    rows = tree.sums({node: float(counts[label]) for node, label in labels.items()})
    for node, merge in reversed(tree.merges_between(tree.n_leaves, model.n_clusters_)):
        parts = [merge.first, merge.second]
        rows[parts] = rows[node] * masses[parts] / max(masses[parts].sum(), TINY)
    return rows
