"""Group "centroid problem": ours to a gap of 1e-6, SCS to eps 1e-9."""

import pytest

from bench.centroid_problem import objective, problem
from bench.measure import threads
from bench.peers import offering
from fastcaf.fusion.centroid_problem import no_multipliers, solve_centroids


@pytest.mark.benchmark(group="centroid problem, K = 30, d = 8")
@pytest.mark.parametrize("name", offering("fuse"))
def test_against_scs(benchmark, peer, name):
    task = problem(30, 0.3)
    run = peer(name).fuse(*task)
    with threads(1):
        centroids = benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    benchmark.extra_info["objective"] = objective(*task, centroids)


@pytest.mark.parametrize("share", [0.1, 0.7])
@pytest.mark.parametrize("K", [30, 141, 500])
def test_larger(benchmark, K, share):
    weight, means, gamma = problem(K, share)
    benchmark.group = f"centroid problem, K = {K}, d = 8, gap 1e-6"
    none = no_multipliers(*means.shape)
    answer = benchmark.pedantic(
        lambda: solve_centroids(weight, means, gamma, means, none), rounds=5, warmup_rounds=1
    )
    assert answer.duality_gap <= 1e-6
    benchmark.extra_info["sweeps"] = int(answer.n_sweeps)
