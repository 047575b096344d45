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
from fastcaf.runtime.threads import thread_limit

PAUSE = 0.02  # seconds


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
    calls: int = 1,
) -> dict:
    """Least seconds of each contender; they take turns, so that noise meets all of them.

    One call each comes before the clock: compiling, loading, touching memory.  Before each
    turn there is a pause: OpenMP threads of scikit-learn and BLAS go on spinning for
    milliseconds after their work, and would hold a core while the next contender is timed.
    A turn is so many ``calls`` in a row: what takes milliseconds, and comes hundreds of times
    in a fit, is not measured with threads that have to be woken from their sleep first.
    """
    for work in contenders.values():
        seconds_of(work)
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(repeats):
        for name, work in contenders.items():
            time.sleep(PAUSE)
            turn = (seconds_of(work, clock) for _ in range(calls))
            best[name] = min(best[name], *turn)
    return best


def best_of(work: Callable[[], object], repeats: int) -> float:
    """Least seconds of one contender."""
    return best_in_turn({"it": work}, repeats)["it"]
