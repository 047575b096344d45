"""How many threads kernels use, and when they may use them.

Which of two drivers runs, the serial or the parallel one, depends on the size of the
problem alone.  ``n_jobs`` only limits the threads of the parallel one, so it cannot change
a result.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba

__all__ = ["PARALLEL_WORK", "launch", "thread_limit"]

# Rows x centroids x features from which threads pay.  They break even far below, but on a
# busy machine a launch waits for the slowest thread: short work is safer on one.
PARALLEL_WORK = 500_000

_launch_lock = threading.Lock()
_launched = False
_unusable = False


def _after_fork() -> None:
    """Threads do not survive a fork, and OpenMP's runtime ends a child that tries."""
    global _launch_lock, _unusable
    _launch_lock = threading.Lock()
    _unusable = _launched


if hasattr(os, "register_at_fork"):  # pragma: no branch
    os.register_at_fork(after_in_child=_after_fork)


def launch(
    serial: Callable[..., Any],
    parallel: Callable[..., Any],
    is_large: bool,
    *arguments: Any,
) -> Any:
    """Run ``parallel`` on large problems and ``serial`` on small ones.

    Numba's fall-back threading layer must not be entered by two threads at once: large
    problems of several Python threads take turns.
    """
    global _launched
    if not is_large or _unusable:
        return serial(*arguments)
    with _launch_lock:
        _launched = True
        return parallel(*arguments)


@contextmanager
def thread_limit(n_jobs: int | None) -> Iterator[None]:
    """Limit the threads of kernels, and restore the former limit even after an error.

    ``None`` leaves Numba's own limit; -1 is all it has; -2 all but one, as in joblib.
    """
    if n_jobs is None:
        yield
        return
    available = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    wanted = n_jobs if n_jobs > 0 else available + 1 + n_jobs
    before = numba.get_num_threads()
    numba.set_num_threads(max(1, min(wanted, available)))
    try:
        yield
    finally:
        numba.set_num_threads(before)
