"""Validity indices against c on Seeds: they disagree, which is the paper's motive."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from bench.paper.data import paper_set
from bench.paper.output import BLUE, ORANGE, save, table, write
from bench.paper.validity import INDICES
from fastcaf import CAFHFCM, FuzzyCMeans

NUMBERS = range(2, 15)
Partition = tuple[np.ndarray, np.ndarray]


def of_fcm(X: np.ndarray) -> dict[int, Partition]:
    models = [FuzzyCMeans(c, n_init=5, max_iter=2000, random_state=0).fit(X) for c in NUMBERS]
    return {m.n_clusters_: (m.cluster_centers_, m.memberships_) for m in models}


def of_path(X: np.ndarray) -> dict[int, Partition]:
    """Levels of the path itself; numbers that it skips have none."""
    model = CAFHFCM(n_start=3.0, prune=False, gamma_ratio=1.02, random_state=0).fit(X)
    cuts = [model.cut(n_clusters=c) for c in NUMBERS]
    return {cut.n_clusters: (cut.cluster_centers, cut.memberships) for cut in cuts if cut.exact}


def curve(X: np.ndarray, name: str, partitions: dict[int, Partition]) -> dict[int, float]:
    index = INDICES[name][0]
    return {
        c: index(X, U, mu)
        for c, (U, mu) in partitions.items()
        if len(np.unique(mu.argmax(axis=1))) == c
    }


def best(name: str, values: dict[int, float]) -> int:
    return (max if INDICES[name][1] else min)(values, key=values.__getitem__)


def run() -> None:
    data = paper_set("Seeds")
    if data is None:
        return
    sources = {"FCM": of_fcm(data.X), "CAF-HFCM's path": of_path(data.X)}
    figure, axes = plt.subplots(2, 4, figsize=(12.5, 5.2), layout="constrained")
    rows = []
    for ax, name in zip(axes.flat, INDICES, strict=True):
        row = [name, "largest" if INDICES[name][1] else "smallest"]
        for (source, partitions), color in zip(sources.items(), (BLUE, ORANGE), strict=True):
            values = curve(data.X, name, partitions)
            chosen = best(name, values)
            ax.plot(
                values.keys(), values.values(), "o-", color=color, ms=3, lw=1.2, label=source
            )
            ax.plot(chosen, values[chosen], "o", ms=10, mfc="none", mec=color, mew=1.5)
            row.append(str(chosen))
        rows.append(row)
        ax.set_title(f"{name} ({row[1]})", fontsize=9)
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
        + ".",
        "",
        table(["index", "best is", "c of FCM", "c on the path"], rows),
    ]
    write("indices", "\n".join(text))
