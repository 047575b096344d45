"""Convergence on the way to the paper's gamma: objective and centroids by iteration."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from bench.paper.data import PaperSet, paper_set
from bench.paper.output import BLUE, GREY, ORANGE, counts, save, table, write
from bench.paper.paper_method import paper_caf
from fastcaf import solve_gamma
from fastcaf.fusion.level import Level, Path

TOLERANCE = 1e-9  # of the settled levels, so that the curves have something to show
HEADER = [
    "set",
    "levels",
    "iterations: all, median, most",
    "rises, c unchanged",
    "rises at a merge",
    "clusters",
    "clusters without the path",
]


def excess(level: Level) -> np.ndarray:
    """How far above its last value the objective is, since the last merge of that level."""
    objective, centroids = level.history.T
    objective = objective[centroids == centroids[-1]]
    return objective[:-1] / objective[-1] - 1.0


def rises(path: Path) -> tuple[int, int]:
    """Iterations that raised the objective: with the same centroids left, and at a merge."""
    same = merge = 0
    for level in path.levels:
        rose = np.diff(level.history[:, 0]) > 1e-9 * level.history[0, 0]
        merged = np.diff(level.history[:, 1]) != 0
        same += int((rose & ~merged).sum())
        merge += int((rose & merged).sum())
    return same, merge


def cold_start(data: PaperSet, seed: int) -> int:
    """Clusters from random rows at the paper's gamma at once."""
    rows = np.unique(data.X, axis=0)
    number = int(2 * np.sqrt(len(rows)))
    start = rows[np.random.default_rng(seed).choice(len(rows), number, replace=False)]
    level, _ = solve_gamma(data.X, start, data.gamma, max_iter=2000)
    return level.n_clusters


def draw_levels(ax: Axes, path: Path) -> None:
    for level in path.levels[1:-1]:
        ax.plot(
            np.arange(1, len(excess(level)) + 1), excess(level), color=BLUE, lw=0.7, alpha=0.5
        )
    ax.plot([], [], color=BLUE, lw=0.7, label="levels between")
    for level, color, said in (
        (path.levels[0], GREY, "gamma = 0 (FCM from random rows)"),
        (path.levels[-1], ORANGE, "the paper's gamma"),
    ):
        values = excess(level)
        ax.plot(np.arange(1, len(values) + 1), values, color=color, lw=2, label=said)
    ax.set(yscale="log", xlabel="iteration of the level", ylim=(1e-10, None))


def draw_path(ax: Axes, path: Path) -> None:
    histories = np.concatenate([level.history for level in path.levels])
    ends = np.cumsum([len(level.history) for level in path.levels])
    iterations = np.arange(1, len(histories) + 1)
    ax.plot(iterations, histories[:, 0], color=BLUE, lw=1.3)
    ax.plot(ends, histories[ends - 1, 0], "o", color=BLUE, ms=2.5)
    ax.set(xlabel="iteration of the path (dots: a level settled)", ylim=(0, None))
    number = ax.twinx()
    number.step(iterations, histories[:, 1], where="post", color=ORANGE, lw=1.3)
    number.set_ylim(0, None)
    number.set_ylabel("centroids", color=ORANGE)


def run() -> None:
    figure, axes = plt.subplots(2, 2, figsize=(10.5, 6.2), layout="constrained")
    rows = []
    for column, name in enumerate(("GaussianMixture", "Iris")):
        data = paper_set(name)
        assert data is not None  # generated, or part of scikit-learn
        model = paper_caf(
            gamma=data.gamma, prune=False, tol=TOLERANCE, max_iter=5000, random_state=0
        ).fit(data.X)
        path = model.path_
        axes[0, column].set_title(f"{name}, up to gamma {data.gamma:g}", fontsize=10)
        draw_levels(axes[0, column], path)
        draw_path(axes[1, column], path)
        passes = [level.n_iter for level in path.levels]
        rows.append(
            [
                name,
                len(passes),
                f"{sum(passes)}, {np.median(passes):g}, {max(passes)}",
                *rises(path),
                model.n_clusters_,
                counts([cold_start(data, seed) for seed in range(20)]),
            ]
        )
    axes[0, 0].set_ylabel("objective above its end, relative")
    axes[1, 0].set_ylabel("objective", color=BLUE)
    axes[0, 1].legend(fontsize=8, loc="upper right")
    save("convergence", figure)
    plt.close(figure)
    text = [
        "# Convergence on the way to the paper's gamma",
        "",
        f"tol = {TOLERANCE:g}, seed 0. Within a level the objective falls at every iteration; "
        "a merge may raise it, because one centroid holds more weight (sum of mu^2) than two "
        "on the same spot. The last column: 20 random starts at that gamma at once, without "
        "the path from gamma = 0. Each of so many centroids then holds too little weight "
        "against the pull of all others, and they fuse in the first iterations.",
        "",
        table(HEADER, rows),
    ]
    write("convergence", "\n".join(text))
