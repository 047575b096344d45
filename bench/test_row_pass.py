"""Groups "row pass" and "fuzzy c-means": ours, and the peers that do the same work."""

import numpy as np
import pytest

from bench.data import overlapping
from bench.measure import threads
from bench.peers import offering

SHAPES = [
    (20_000, 8, 30),
    (20_000, 2, 30),
    (5_000, 2, 141),
    (20_000, 32, 100),
    (4_000, 32, 1000),
]
ITERATIONS = 10


@pytest.mark.parametrize("name", offering("row_pass"))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
def test_row_pass(benchmark, peer, shape, n_threads, dtype, name):
    n, d, K = shape
    rows = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    benchmark.group = f"row pass, n, d, K = {shape}, {n_threads} threads"
    run = peer(name).row_pass(rows, rows[:K].astype(np.float64) + 0.01)
    with threads(n_threads):
        benchmark.pedantic(run, rounds=15, warmup_rounds=2)


@pytest.mark.benchmark(
    group=f"fuzzy c-means, 20,000 x 8, c = 30, {ITERATIONS} iterations, 1 thread"
)
@pytest.mark.parametrize("name", offering("fit"))
def test_fit(benchmark, peer, name):
    rows, start = overlapping()
    run = peer(name).fit(rows, start)
    with threads(1):
        found = benchmark.pedantic(run, args=(ITERATIONS,), rounds=5, warmup_rounds=1)
    assert found.n_iter == ITERATIONS
    benchmark.extra_info["iterations"] = found.n_iter
