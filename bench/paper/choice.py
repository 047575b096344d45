"""The number of clusters: the paper's rule on additive grids, and the default rule."""

from __future__ import annotations

from bench.paper.data import PaperSet, paper_sets, uniform_set
from bench.paper.methods import RUNS
from bench.paper.output import counts, table, write
from bench.paper.paper_method import paper_caf
from fastcaf import CAFHFCM


def on_the_grid(data: PaperSet, prune: bool) -> list[int]:
    """Of the longest plateau, for every seed."""
    return [
        paper_caf(gamma=data.grid, selection="plateau", prune=prune, random_state=seed)
        .fit(data.X)
        .n_clusters_
        for seed in range(RUNS)
    ]


def by_default(data: PaperSet) -> list[CAFHFCM]:
    return [CAFHFCM(random_state=seed).fit(data.X) for seed in range(RUNS)]


def right(found: list[int], true: int) -> str:
    return f"{sum(c == true for c in found)}/{len(found)}"


def plateau_table(sets: list[PaperSet]) -> str:
    rows = []
    for data in sets:
        row: list[str] = [data.name, str(data.n_clusters), f"{data.grid[-1]:g}"]
        for prune in (False, True):
            found = on_the_grid(data, prune)
            row += [counts(found), right(found, data.n_clusters)]
        rows.append(row)
    header = ["set", "true c", "grid to", "c", "right", "c, pruned", "right, pruned"]
    return table(header, rows)


def default_table(sets: list[PaperSet]) -> str:
    rows = []
    for data in sets:
        models = by_default(data)
        found = [model.n_clusters_ for model in models]
        ranking = ", ".join(f"{c.n_clusters} ({c.score:.2f})" for c in models[0].selection_[:4])
        rows.append(
            [data.name, data.n_clusters, counts(found), right(found, data.n_clusters), ranking]
        )
    return table(["set", "true c", "c", "right", "ranking of seed 0 (score)"], rows)


def run() -> None:
    sets = [*paper_sets(), uniform_set()]
    text = [
        "# The number of clusters",
        "",
        f"## The paper's rule, seeds 0 to {RUNS - 1}",
        "",
        'selection="plateau" on 100 equal steps from near zero to twice the paper\'s gamma.',
        "",
        plateau_table(sets),
        "",
        f"## The default rule on the automatic path, seeds 0 to {RUNS - 1}",
        "",
        default_table(sets),
    ]
    write("choice", "\n".join(text))
