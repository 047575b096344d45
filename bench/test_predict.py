"""Group "predict": memberships (or labels, where a peer has no others) of new rows."""

import pytest

from bench.data import overlapping
from bench.measure import threads
from bench.peers import offering


@pytest.mark.benchmark(group="predict, 20,000 x 8, c = 30, 1 thread")
@pytest.mark.parametrize("name", offering("predict"))
def test_predict(benchmark, peer, name):
    rows, centers = overlapping()
    run = peer(name).predict(rows, centers)
    with threads(1):
        found = benchmark.pedantic(run, rounds=7, warmup_rounds=1)
    assert len(rows) in found.shape
