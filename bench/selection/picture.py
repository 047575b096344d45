"""The picture: a dot for every family and method."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

from bench.selection.methods import TOLD
from bench.selection.rows import Row
from bench.selection.tables import Groups, family_of, grouped

# Okabe and Ito's colours, and a shape each, so that neither is needed alone.
COLORS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
SHAPES = ["D", "o", "s", "^", "v", "P", "X", "<", ">", "p", "h", "d", "8", "*", "H"]
ROOM = 0.8  # height of the band that the methods of one family share
LEGEND_COLUMNS = 6


def dot_plot(panels: dict[str, Groups], path: Path) -> None:
    """Share of exact numbers and mean ARI; one band of rows a family, one mark a method.

    Hollow marks are yardsticks: told the number, they are always exact.
    """
    rows = [
        (f"{title}: {family}", family, by_method)
        for title, by_method in panels.items()
        for family in ["all", *grouped(every(by_method), family_of)]
    ]
    methods = list(dict.fromkeys(m for by_method in panels.values() for m in by_method))
    figure, axes = plt.subplots(
        1,
        2,
        figsize=(11, 2.0 + 0.08 * len(methods) * len(rows)),
        sharey=True,
        layout="constrained",
    )
    measures = [
        ("share of sets with the exact number of clusters", lambda row: row.is_exact),
        ("mean adjusted Rand index", lambda row: row.ari),
    ]
    for axis, (label, measure) in zip(axes, measures, strict=True):
        for i, (_, family, by_method) in enumerate(rows):
            axis.axhspan(i - 0.5, i + 0.5, color="0.95" if i % 2 else "white", zorder=0)
            for j, method in enumerate(methods):
                own = [r for r in by_method.get(method, []) if family in ("all", r.family)]
                if own:
                    color, shape = COLORS[j % len(COLORS)], SHAPES[j % len(SHAPES)]
                    shift = ROOM * (j / max(1, len(methods) - 1) - 0.5)
                    axis.plot(
                        np.mean([measure(row) for row in own]),
                        i + shift,
                        shape,
                        color="white" if method in TOLD else color,
                        markersize=8 if j == 0 else 6,
                        markeredgecolor=color if method in TOLD else "white",
                        markeredgewidth=1.0 if method in TOLD else 0.5,
                        label=method if i == 0 else None,
                    )
        axis.set_xlim(-0.03, 1.03)
        axis.set_xlabel(label)
        axis.grid(axis="x", color="0.8", linewidth=0.6)
        axis.set_axisbelow(True)
    axes[0].set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=LEGEND_COLUMNS, frameon=False
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def every(by_method: Groups) -> list[Row]:
    """The rows of all methods."""
    return [row for rows in by_method.values() for row in rows]
