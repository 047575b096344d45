"""How far the start matters: spread of c and ARI over 20 seeds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from bench.paper.data import PaperSet, paper_sets, uniform_set
from bench.paper.methods import Answer, Method, agreement, caf, fcm, kmeans, runs
from bench.paper.output import BLUE, GREEN, GREY, ORANGE, counts, save, table, write
from fastcaf import CAFHFCM


def by_itself(data: PaperSet, seed: int) -> Answer:
    model = CAFHFCM(random_state=seed).fit(data.X)
    return model.labels_, model.n_clusters_


METHODS = [
    (Method("CAF-HFCM, default", by_itself), ORANGE),
    (Method("CAF-HFCM, paper's gamma", caf(prune=False)), GREEN),
    (Method("FCM, true c", fcm), BLUE),
    (Method("k-means, true c", kmeans), GREY),
]


def run() -> None:
    sets = [*paper_sets(), uniform_set()]
    figure, ax = plt.subplots(figsize=(10.5, 4.2), layout="constrained")
    rows = []
    for place, data in enumerate(sets):
        counted = data.y >= 0
        for i, (method, color) in enumerate(METHODS):
            answers = runs(method, data)
            aris = [agreement(data.y[counted], lab[counted])[1] for lab, _ in answers]
            x = place + 0.2 * (i - 1.5)
            jitter = np.linspace(-0.06, 0.06, len(aris))
            label = method.name if place == 0 else None
            ax.plot(x + jitter, aris, "o", color=color, ms=3.5, alpha=0.6, label=label)
            rows.append(
                [
                    data.name,
                    method.name,
                    counts([c for _, c in answers]),
                    f"{np.mean(aris):.4f}",
                    f"{np.std(aris):.4f}",
                    f"{min(aris):.4f}",
                    f"{max(aris):.4f}",
                ]
            )
    ax.set_xticks(range(len(sets)), [data.name for data in sets], fontsize=9)
    for border in range(len(sets) - 1):
        ax.axvline(border + 0.5, color="black", lw=0.4)
    ax.set(ylabel="ARI", ylim=(None, 1.03))
    ax.legend(
        fontsize=8, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.13), frameon=False
    )
    save("start", figure)
    plt.close(figure)
    text = [
        "# How far the start matters",
        "",
        "20 seeds; one random start each for FCM and k-means, which are given the true number. "
        "ARI on the rows that are not noise.",
        "",
        table(["set", "method", "clusters", "ARI", "deviation", "least", "largest"], rows),
    ]
    write("start", "\n".join(text))
