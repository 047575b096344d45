"""Speed of the engine, side by side with scikit-learn.

Run with ``pytest bench --benchmark-only``; the groups put what is to be compared together.
"""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs

from fastcaf import CAFHFCM
from fastcaf.centroids import no_multipliers, solve_centroids
from fastcaf.memberships import FuzzyMemberships


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


@pytest.mark.benchmark(group="Iris: the number of clusters")
def test_iris_whole_path(benchmark, iris):
    model = benchmark(lambda: CAFHFCM(random_state=0).fit(iris))
    assert model.path_.n_clusters[-1] == 1


@pytest.mark.benchmark(group="Iris: the number of clusters")
def test_iris_kmeans_in_a_loop(benchmark, iris):
    def loop():
        return [KMeans(k, n_init=10, random_state=0).fit(iris) for k in range(2, 13)]

    assert len(benchmark(loop)) == 11


SHAPES = [(20_000, 8, 30), (20_000, 2, 30), (5_000, 2, 141), (20_000, 32, 100)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
def test_row_pass(benchmark, shape, dtype):
    n, d, K = shape
    X = np.random.default_rng(0).normal(size=(n, d)).astype(dtype)
    benchmark.group = f"one pass, {shape}"
    model, none, U = FuzzyMemberships(), np.empty(0, dtype), X[:K].astype(float) + 0.01
    statistics = benchmark(lambda: model.statistics(X, none, U))
    assert statistics.mass.sum() == pytest.approx(n, rel=1e-4)


@pytest.mark.parametrize("K", [30, 141, 500])
def test_centroid_problem(benchmark, K):
    rng = np.random.default_rng(0)
    w, M, gamma = rng.uniform(1, 20, K), rng.normal(size=(K, 8)), 3.0 / K
    benchmark.group = "centroid problem, d = 8, gap 1e-6"
    solution = benchmark(lambda: solve_centroids(w, M, gamma, M, no_multipliers(K, 8)))
    assert solution.gap <= 1e-6


@pytest.mark.benchmark(group="whole path, 5,000 x 2 in 15 clusters")
def test_path_of_blobs(benchmark):
    X, _ = make_blobs(5000, centers=15, cluster_std=0.4, random_state=1)
    model = benchmark.pedantic(
        lambda: CAFHFCM(random_state=0).fit(X), rounds=3, warmup_rounds=1
    )
    assert model.n_clusters_ > 1
