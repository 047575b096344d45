"""Rows that belong nowhere: how they are told from clusters, ``python -m bench.noise``.

The paper's noisy Uniform set, and its 13 blocks with other shares of uniform noise.  ARI is
that of the rows in blocks.  Noise that lies within a block cannot be told from its rows, so
that the recall cannot come near 1: the share outside all blocks is named with each set.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from bench import report
from bench.selection.paper_sets import noisy_uniform
from fastcaf import CAFHFCM, FuzzyCMeans

SHARES = (0.05, 0.1, 0.2, 0.4)
DRAWS = 3
BLOCKS, SIDE, EACH = 13, 0.8, 50
LOWEST, HIGHEST = -0.6, 4.6  # of the noise
NEIGHBOURS = 4  # of DBSCAN in two dimensions, as its authors advise

Labels = np.ndarray


def blocks(share: float, seed: int) -> tuple[np.ndarray, Labels]:
    """The paper's blocks, as ``paper_sets.noisy_uniform`` places them, and noise over all."""
    rng = np.random.default_rng(seed)
    corners = [(2.0 * i, 2.0 * j) for i in range(3) for j in range(3)]
    gaps = [(2.0 * i + 1, 2.0 * j + 1) for i in range(2) for j in range(2)]
    labels = np.repeat(np.arange(BLOCKS), EACH)
    rows = np.array(corners + gaps)[labels]
    rows = rows + rng.uniform(-SIDE / 2, SIDE / 2, size=rows.shape)
    n = round(len(rows) * share / (1.0 - share))
    noise = rng.uniform(LOWEST, HIGHEST, size=(n, 2))
    return np.vstack([rows, noise]), np.append(labels, np.full(n, -1))


def knee(rows: np.ndarray) -> float:
    """The eps that users read off the sorted distances: where they are farthest from a line."""
    found = NearestNeighbors(n_neighbors=NEIGHBOURS + 1).fit(rows).kneighbors(rows)[0]
    sorted_ones = np.sort(found[:, NEIGHBOURS])
    steps = np.linspace(0.0, 1.0, len(sorted_ones))
    heights = (sorted_ones - sorted_ones[0]) / (sorted_ones[-1] - sorted_ones[0])
    return float(sorted_ones[np.argmax(steps - heights)])


def ours(**options: object) -> Callable[[np.ndarray], Labels]:
    """Labels of ``CAFHFCM`` with these options."""
    return lambda rows: CAFHFCM(random_state=0, **options).fit(rows).labels_  # type: ignore[arg-type]


def told(rows: np.ndarray) -> Labels:
    """Fuzzy c-means with the true number and the noise cluster."""
    return FuzzyCMeans(BLOCKS, noise="auto", n_init=10, random_state=0).fit(rows).labels_


METHODS: dict[str, Callable[[np.ndarray], Labels]] = {
    "`CAFHFCM()`": ours(),
    '`CAFHFCM(noise="auto")`': ours(noise="auto"),
    "the same, `noise=0.6`": ours(noise=0.6),
    '`membership="fcm"`, off': ours(membership="fcm"),
    '`membership="fcm"`, auto': ours(membership="fcm", noise="auto"),
    '`membership="entropy"`, off': ours(membership="entropy"),
    '`membership="entropy"`, auto': ours(membership="entropy", noise="auto"),
    '`membership="gaussian"`, off': ours(membership="gaussian"),
    '`membership="gaussian"`, auto': ours(membership="gaussian", noise="auto"),
    "*`FuzzyCMeans`, auto, told 13*": told,
    "HDBSCAN, as it comes": lambda rows: HDBSCAN(copy=True).fit_predict(rows),
    "HDBSCAN, clusters of n / 50": lambda rows: HDBSCAN(
        min_cluster_size=max(5, len(rows) // 50), copy=True
    ).fit_predict(rows),
    "DBSCAN, eps at the knee": lambda rows: DBSCAN(
        eps=knee(rows), min_samples=NEIGHBOURS
    ).fit_predict(rows),
}


def judged(found: Labels, truth: Labels) -> list[float]:
    """Clusters, ARI of the rows in blocks, precision and recall of the noise."""
    noise, called = truth < 0, found < 0
    right = float((noise & called).sum())
    return [
        float(len(np.unique(found[~called]))),
        float(adjusted_rand_score(truth[~noise], found[~noise])),
        right / called.sum() if called.any() else np.nan,
        right / noise.sum(),
    ]


def outside(rows: np.ndarray, truth: Labels) -> float:
    """Share of the noise that lies outside all blocks."""
    places = np.array([rows[truth == j].mean(axis=0) for j in range(BLOCKS)])
    offsets = np.abs(rows[truth < 0][:, None, :] - places).max(axis=2).min(axis=1)
    return float((offsets > SIDE / 2).mean())


def table(sets: list[tuple[np.ndarray, Labels]]) -> tuple[str, dict[str, list[float]]]:
    """The methods on some draws: means, and how often 13 were found."""
    lines = [
        "| | 13 clusters | clusters | ARI | precision | recall |",
        "|---|---|---|---|---|---|",
    ]
    results = {}
    for name, method in METHODS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.array([judged(method(rows), truth) for rows, truth in sets])
        exact = int((found[:, 0] == BLOCKS).sum())
        some = found[np.isfinite(found[:, 2]), 2]
        precision = float(some.mean()) if len(some) else np.nan
        clusters, ari, _, recall = found.mean(axis=0).tolist()
        results[name] = [exact, clusters, ari, precision, recall]
        shown = "" if np.isnan(precision) else f"{precision:.2f}"
        lines.append(
            f"| {name} | {exact} of {len(sets)} | {clusters:.1f} | {ari:.3f} | {shown} | "
            f"{recall:.2f} |"
        )
        print(lines[-1], flush=True)
    return "\n".join(lines), results


def main() -> None:
    """All sets, and the file."""
    groups = {"The paper's noisy Uniform set (13 % noise)": [noisy_uniform()]}
    for share in SHARES:
        name = f"13 blocks with {100 * share:.0f} % noise, {DRAWS} draws"
        groups[name] = [blocks(share, seed) for seed in range(DRAWS)]
    parts, results = [__doc__ or ""], {}
    for name, sets in groups.items():
        print(name, flush=True)
        text, results[name] = table(sets)
        apart = float(np.mean([outside(*one) for one in sets]))
        parts.append(f"## {name}\n\nOf the noise {apart:.2f} lies outside.\n\n{text}")
    about = {**report.machine(), "load before": "no matter"}  # nothing is timed
    report.write("noise", "\n\n".join(parts), results, about)


if __name__ == "__main__":
    main()
