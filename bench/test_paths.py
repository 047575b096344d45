"""Group "whole path": the number of clusters found by itself, and what one would do."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from bench.measure import threads
from bench.peers import offering


def sets():
    blobs, _ = make_blobs(5000, centers=15, cluster_std=0.4, random_state=1)
    return {"Iris": (load_iris().data, 5), "5,000 x 2 in 15 clusters": (blobs, 2)}


@pytest.mark.parametrize("data", list(sets()))
@pytest.mark.parametrize("name", offering("choose"))
def test_whole_path(benchmark, peer, name, data):
    rows, rounds = sets()[data]
    if data != "Iris" and name in ("kmeans", "mixture"):
        pytest.skip("loops over k up to 12: too few for this set")
    benchmark.group = f"whole path, {data}, 1 thread"
    with threads(1):
        labels = benchmark.pedantic(peer(name).choose(rows), rounds=rounds, warmup_rounds=1)
    benchmark.extra_info["clusters"] = len(np.unique(labels[labels >= 0]))
    assert benchmark.extra_info["clusters"] > 1
