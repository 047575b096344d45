"""Validity indices against c on Seeds: they disagree, which is the paper's motive."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from bench.paper.data import paper_set
from bench.paper.output import BLUE, ORANGE, save, table, write
from bench.paper.paper_method import paper_caf
from bench.paper.validity import INDICES
from fastcaf import FuzzyCMeans
from fastcaf.data.array_rows import ArrayRows
from fastcaf.memberships import FuzzyMemberships
from fastcaf.selection.indices import Partition

NUMBERS = range(2, 15)


def partition(X: np.ndarray, U: np.ndarray) -> Partition:
    return Partition(ArrayRows(X, np.empty(0)), U, FuzzyMemberships())


def of_fcm(X: np.ndarray) -> dict[int, Partition]:
    models = [FuzzyCMeans(c, n_init=5, max_iter=2000, random_state=0).fit(X) for c in NUMBERS]
    return {m.n_clusters_: partition(X, m.cluster_centers_) for m in models}


def of_path(X: np.ndarray) -> dict[int, Partition]:
    """Levels of the path itself; numbers that it skips have none."""
    model = paper_caf(n_start=3.0, prune=False, gamma_ratio=1.02, random_state=0).fit(X)
    cuts = [model.cut(n_clusters=c) for c in NUMBERS]
    return {cut.n_clusters: partition(X, cut.cluster_centers) for cut in cuts if cut.exact}


def curve(name: str, partitions: dict[int, Partition]) -> dict[int, float]:
    """The index by number of clusters, where none of them is without rows."""
    return {c: INDICES[name](one) for c, one in partitions.items() if len(one.hard.weight) == c}


def run() -> None:
    data = paper_set("Seeds")
    if data is None:
        return
    sources = {"FCM": of_fcm(data.X), "CAF-HFCM's path": of_path(data.X)}
    figure, axes = plt.subplots(2, 4, figsize=(12.5, 5.2), layout="constrained")
    rows = []
    for ax, name in zip(axes.flat, INDICES, strict=True):
        row = [name]
        for (source, partitions), color in zip(sources.items(), (BLUE, ORANGE), strict=True):
            values = curve(name, partitions)
            chosen = max(values, key=values.__getitem__)
            ax.plot(
                values.keys(), values.values(), "o-", color=color, ms=3, lw=1.2, label=source
            )
            ax.plot(chosen, values[chosen], "o", ms=10, mfc="none", mec=color, mew=1.5)
            row.append(str(chosen))
        rows.append(row)
        ax.set_title(name, fontsize=9)
        ax.axvline(3, color="black", lw=0.6, ls=":")
        ax.set_xticks(range(2, 15, 2))
    axes[0, 0].legend(fontsize=8)
    figure.supxlabel("c (circle: the index's choice; dotted: the three classes)")
    save("indices", figure)
    plt.close(figure)
    text = [
        "# Indices against c on Seeds, c = 2 to 14",
        "",
        "Three classes. On the path, only the numbers that it visits count: "
        + ", ".join(str(c) for c in sources["CAF-HFCM's path"])
        + ". All indices are best where they are largest; some are negated for that.",
        "",
        table(["index", "c of FCM", "c on the path"], rows),
    ]
    write("indices", "\n".join(text))
