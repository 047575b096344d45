"""The number of clusters against gamma, with the plateau marked."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from bench.paper.data import PaperSet, paper_sets
from bench.paper.output import BLUE, GREY, ORANGE, save
from bench.paper.paper_method import paper_caf
from fastcaf import CAFHFCM


def steps(ax: Axes, model: CAFHFCM, label: str) -> None:
    """The staircase, and the interval of the chosen number."""
    best = model.selection_[0]
    path = model.path_
    ax.axvspan(best.gamma_start, best.gamma_end, color=ORANGE, alpha=0.22, lw=0)
    ax.step(path.gammas, path.n_clusters, where="post", color=BLUE, lw=1.6, label=label)
    ax.plot(path.gammas[best.level], best.n_clusters, "o", color=ORANGE, ms=5, zorder=3)


def title(ax: Axes, data: PaperSet, model: CAFHFCM) -> None:
    said = f"{data.name}: c = {model.n_clusters_}"
    if model.n_clusters_ != data.n_clusters:
        said += f"  (classes: {data.n_clusters})"
    ax.set_title(said, fontsize=10)


def on_the_grids(sets: list[PaperSet]) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 5.6), layout="constrained")
    for ax, data in zip(axes.flat, sets, strict=False):
        model = paper_caf(gamma=data.grid, selection="plateau", prune=False, random_state=0)
        steps(ax, model.fit(data.X), "number of clusters")
        title(ax, data, model)
        ax.axvline(data.gamma, color=GREY, ls="--", lw=1)
        ax.set_xlim(0, data.grid[-1])
        first = model.path_.n_clusters[model.path_.gammas >= data.grid[0]][0]
        ax.set_ylim(0, min(first, 3 * data.n_clusters + 6) + 1)
    hide_unused(axes, len(sets))
    figure.supxlabel("gamma (additive grid; dashed: the paper's gamma; shaded: the plateau)")
    figure.supylabel("clusters")
    save("staircase_grid", figure)


def on_the_automatic_path(sets: list[PaperSet]) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 5.6), layout="constrained")
    for ax, data in zip(axes.flat, sets, strict=False):
        model = CAFHFCM(membership="fcm", random_state=0).fit(data.X)
        steps(ax, model, "number of clusters")
        title(ax, data, model)
        ax.axvline(data.gamma, color=GREY, ls="--", lw=1)
        ax.set_xscale("log")
        ax.set_yscale("log", base=2)
        ax.set_yticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
        ax.set_xlim(model.path_.gammas[1], None)
        ax.set_ylim(0.9, 64)
    hide_unused(axes, len(sets))
    figure.supxlabel("gamma (automatic path; dashed: the paper's gamma; shaded: chosen)")
    figure.supylabel("clusters")
    save("staircase_path", figure)


def hide_unused(axes: object, used: int) -> None:
    for ax in axes.flat[used:]:  # type: ignore[attr-defined]
        ax.set_visible(False)


def run() -> None:
    sets = list(paper_sets())
    on_the_grids(sets)
    on_the_automatic_path(sets)
    plt.close("all")
