"""Clocks: the best of several repeats, contenders in turn, threads limited for all alike."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import sklearn.cluster  # noqa: F401 - its OpenMP must be loaded to be limited
from threadpoolctl import threadpool_limits

import fastcaf
from fastcaf.threads import thread_limit


@contextmanager
def threads(n: int) -> Iterator[None]:
    """At most n threads for our kernels, BLAS and OpenMP (so for scikit-learn too).

    Our own limit and not ``numba.set_num_threads``: that would load Numba's threads before
    the library can tell them to sleep while they wait, and measure another library.
    """
    with thread_limit(n), threadpool_limits(n):
        yield


def load_kernels(rows: np.ndarray) -> None:
    """Whatever can be compiled or read from disk before the clock starts.

    3,000 rows are enough for the parallel kernels to be used; those of large data are loaded
    by a summary of them.
    """
    getattr(fastcaf, "warm_up", lambda: None)()
    for representatives in (None, 1000):
        fastcaf.CAFHFCM(random_state=0, representatives=representatives).fit(rows[:3000].copy())


def seconds_of(
    work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Time of one call, by the wall clock or another.

    Warnings (no convergence) are meant, and not shown.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = clock()
        work()
        return clock() - start


def best_in_turn(
    contenders: Mapping[Hashable, Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict:
    """Least seconds of each contender; they take turns, so that noise meets all of them.

    One call each comes before the clock: compiling, loading, touching memory.
    """
    for work in contenders.values():
        seconds_of(work)
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(repeats):
        for name, work in contenders.items():
            best[name] = min(best[name], seconds_of(work, clock))
    return best


def best_of(work: Callable[[], object], repeats: int) -> float:
    """Least seconds of one contender."""
    return best_in_turn({"it": work}, repeats)["it"]
