"""Nested centroids: cuts of one CAF-HFCM path against separate runs of fuzzy c-means."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from bench.paper.data import paper_set
from bench.paper.output import GREY, ORANGE, save, table, write
from bench.paper.paper_method import paper_caf
from fastcaf import FuzzyCMeans

NUMBERS = [19, 18, 17, 14, 9, 6]


def kept_together(finer: np.ndarray, coarser: np.ndarray) -> float:
    """Share of the pairs of rows in one cluster of the finer partition that stay together."""
    upper = np.triu_indices(len(finer), 1)
    together = (finer[:, None] == finer)[upper]
    return float((coarser[:, None] == coarser)[upper][together].mean())


def run() -> None:
    data = paper_set("GaussianMixture")
    assert data is not None  # generated
    path = paper_caf(n_start=3.0, prune=False, gamma_ratio=1.02, random_state=0).fit(data.X)
    cuts = [path.cut(n_clusters=c) for c in NUMBERS]
    fcms = [FuzzyCMeans(c, max_iter=2000, random_state=0).fit(data.X) for c in NUMBERS]
    figure, axes = plt.subplots(2, 6, figsize=(12.5, 4.6), layout="constrained")
    for column, c in enumerate(NUMBERS):
        for ax, centers in zip(
            axes[:, column],
            (cuts[column].cluster_centers, fcms[column].cluster_centers_),
            strict=True,
        ):
            ax.plot(*data.X.T, ".", color=GREY, ms=2)
            ax.plot(*centers.T, "o", color=ORANGE, ms=5, mec="black", mew=0.5)
            ax.set(xticks=[], yticks=[], aspect="equal")
        said = "" if cuts[column].exact else " (between)"
        axes[0, column].set_title(f"c = {c}{said}", fontsize=9)
    axes[0, 0].set_ylabel("CAF-HFCM, one path")
    axes[1, 0].set_ylabel("FCM, six runs")
    save("nested", figure)
    plt.close(figure)
    rows = [
        [
            f"{NUMBERS[i]} to {NUMBERS[i + 1]}",
            f"{kept_together(cuts[i].labels, cuts[i + 1].labels):.3f}",
            f"{kept_together(fcms[i].labels_, fcms[i + 1].labels_):.3f}",
        ]
        for i in range(len(NUMBERS) - 1)
    ]
    text = [
        "# Nested centroids, GaussianMixture",
        "",
        "Of the pairs of rows that share a cluster, the share that still do with fewer "
        "clusters (1: nested). CAF-HFCM from 51 centroids, gamma ratio 1.02, FCM from one "
        "start each. Centroids of a path are nested, as one fuses from others; partitions of "
        "the rows are not, because the fused centroid may stand elsewhere. Cuts between two "
        f"levels: {', '.join(str(cut.n_clusters) for cut in cuts if not cut.exact) or 'none'}.",
        "",
        table(["clusters", "CAF-HFCM", "FCM"], rows),
    ]
    write("nested", "\n".join(text))
