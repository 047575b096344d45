"""The cluster path of 30 points: how centroids travel and fuse, and the tree of it.

The paper's 30 points are not printed: three Gaussian groups of ten, and floor(3 sqrt(30)) = 16
of them as starting centroids.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import dendrogram

from bench.paper.data import SEED
from bench.paper.output import BLUE, GREEN, ORANGE, save, write
from bench.paper.paper_method import paper_caf
from fastcaf import CAFHFCM

COLORS = [BLUE, ORANGE, GREEN]
GAMMAS = np.geomspace(1e-3, 20.0, 300)  # finer than the automatic path, for smooth lines
MEANS = np.array([[0.0, 0.0], [5.0, 1.0], [2.0, 5.0]])


def thirty_points() -> np.ndarray:
    rng = np.random.default_rng(SEED)
    return np.repeat(MEANS, 10, axis=0) + 0.8 * rng.normal(size=(30, 2))


def trajectories(model: CAFHFCM) -> np.ndarray:
    """Place of each starting centroid at every level: levels x K x d."""
    path = model.path_
    n = len(path.start)
    ancestors = np.arange(n)
    places, merged = [path.start], 0
    for level in path.levels:
        while merged < n - level.n_clusters:
            merge = path.merges[merged]
            ancestors[np.isin(ancestors, [merge.first, merge.second])] = n + merged
            merged += 1
        where = {int(node): i for i, node in enumerate(level.nodes)}
        places.append(level.centroids[[where[int(node)] for node in ancestors]])
    return np.array(places)


def groups(model: CAFHFCM) -> np.ndarray:
    """The group from which each starting centroid was drawn."""
    X, start = thirty_points(), model.path_.start
    return np.array([int(np.argmin(((X - u) ** 2).sum(axis=1))) // 10 for u in start])


def merges_across_groups(model: CAFHFCM) -> int:
    """Merges after which a node holds starting centroids of more than one group."""
    held = [{int(group)} for group in groups(model)]
    for merge in model.path_.merges:
        held.append(held[merge.first] | held[merge.second])
    return sum(len(node) > 1 for node in held)


def draw_trajectories(ax: Axes, X: np.ndarray, model: CAFHFCM) -> None:
    lines = trajectories(model).transpose(1, 0, 2)
    for line, group in zip(lines, groups(model), strict=True):
        ax.plot(*line.T, color=COLORS[group], lw=1.3, alpha=0.7)
    for group, color in enumerate(COLORS):
        ax.plot(*X[10 * group : 10 * group + 10].T, "o", color=color, ms=4)
    ax.plot(*model.path_.start.T, "o", ms=8, mfc="none", mec="black", mew=0.8, label="start")
    three = model.cut(n_clusters=3).cluster_centers
    ax.plot(*three.T, "D", color="black", ms=6, label="three clusters")
    ax.plot(*model.path_.levels[-1].centroids.T, "s", color="black", ms=8, label="one")
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.legend(fontsize=8, loc="lower right")
    ax.set_title("centroids as gamma grows", fontsize=10)


def draw_tree(ax: Axes, model: CAFHFCM) -> None:
    """Heights are log(gamma), because levels are a geometric series."""
    linkage = model.linkage_.copy()
    lowest = np.log10(linkage[linkage[:, 2] > 0, 2].min()) - 0.15
    linkage[:, 2] = np.log10(np.maximum(linkage[:, 2], 10**lowest)) - lowest
    drawn = dendrogram(
        linkage, ax=ax, no_labels=True, color_threshold=0.0, above_threshold_color="black"
    )
    colors = [COLORS[groups(model)[leaf]] for leaf in drawn["leaves"]]
    ax.scatter(
        10.0 * np.arange(len(colors)) + 5.0, np.zeros(len(colors)), c=colors, clip_on=False
    )
    gammas = np.array([0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0])
    gammas = gammas[np.log10(gammas) > lowest]
    ax.set_yticks(np.log10(gammas) - lowest, [f"{gamma:g}" for gamma in gammas])
    ax.set_ylim(0.0, linkage[-1, 2] * 1.04)
    ax.set_ylabel("gamma")
    ax.set_xlabel("starting centroids, in the colour of their group", labelpad=10)
    ax.set_title("the tree of merges", fontsize=10)


def run() -> None:
    X = thirty_points()
    model = paper_caf(gamma=GAMMAS, n_start=3.0, prune=False, random_state=0).fit(X)
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
    draw_trajectories(axes[0], X, model)
    draw_tree(axes[1], model)
    save("cluster_path", figure)
    plt.close(figure)
    merges, across = len(model.path_.merges), merges_across_groups(model)
    visited = ", ".join(str(c) for c in dict.fromkeys(model.path_.n_clusters.tolist()))
    text = [
        "# Cluster path of 30 points",
        "",
        f"{merges + 1} starting centroids, numbers of clusters on the way: {visited}. Of the "
        f"{merges} merges, {across} join starting centroids of different groups, where two "
        "would do. A centroid that holds few rows is drawn away from its group before it "
        "fuses, so the tree says how clusters join from the plateau upwards, and little below.",
    ]
    write("cluster_path", "\n".join(text))
