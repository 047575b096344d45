"""The methods of the paper's tables: a set and a seed in, labels and c out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
)

from bench.paper.data import PaperSet
from bench.paper.paper_method import paper_caf
from fastcaf import RLFCM, FuzzyCMeans

RUNS = 20
Answer = tuple[np.ndarray, int]


@dataclass(frozen=True)
class Method:
    """``chance``: whether the seed matters at all."""

    name: str
    answer: Callable[[PaperSet, int], Answer]
    chance: bool = True


def caf(prune: bool) -> Callable[[PaperSet, int], Answer]:
    def answer(data: PaperSet, seed: int) -> Answer:
        model = paper_caf(gamma=data.gamma, prune=prune, random_state=seed).fit(data.X)
        return model.labels_, model.n_clusters_

    return answer


def rl(r1_time: float, r2_time: float) -> Callable[[PaperSet, int], Answer]:
    def answer(data: PaperSet, seed: int) -> Answer:
        model = RLFCM(r1_time=r1_time, r2_time=r2_time, max_iter=1000).fit(data.X)
        return model.labels_, model.n_clusters_

    return answer


def fcm(data: PaperSet, seed: int) -> Answer:
    model = FuzzyCMeans(data.n_clusters, init="random", random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.X)
    return model.labels_, model.n_clusters_


def kmeans(data: PaperSet, seed: int) -> Answer:
    model = KMeans(data.n_clusters, init="random", n_init=1, random_state=seed).fit(data.X)
    return model.labels_, data.n_clusters


METHODS = [
    Method("CAF-HFCM", caf(prune=False)),
    Method("CAF-HFCM, pruned (our default)", caf(prune=True)),
    Method("RL-FCM", rl(10.0, 100.0), chance=False),
    Method("RL-FCM (20, 20)", rl(20.0, 20.0), chance=False),
    Method("FCM, true c", fcm),
    Method("k-means, true c", kmeans),
]


def agreement(y: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """RI, ARI, NMI."""
    return (
        float(rand_score(y, labels)),
        float(adjusted_rand_score(y, labels)),
        float(normalized_mutual_info_score(y, labels)),
    )


def runs(method: Method, data: PaperSet) -> list[Answer]:
    """20 runs with seeds 0..19, one where there is no chance."""
    return [method.answer(data, seed) for seed in range(RUNS if method.chance else 1)]
