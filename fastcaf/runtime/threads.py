"""How many threads kernels use, and when they may use them.

Which of two drivers runs, the serial or the parallel one, depends on the size of the
problem alone.  ``n_jobs`` only limits the threads of the parallel one, so it cannot change
a result.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba

from fastcaf.kernels.simd.vectors import check_vectors

__all__ = [
    "PARALLEL_WORK",
    "allowed_threads",
    "before_first_kernel",
    "interruptible",
    "launch",
    "thread_limit",
]

# Rows x centroids x features from which threads pay.  They break even far below, but on a
# busy machine a launch waits for the slowest thread: short work is safer on one.
PARALLEL_WORK = 500_000

_launch_lock = threading.Lock()
_limit = threading.local()
_unusable = False


def _after_fork() -> None:
    """Threads do not survive a fork, and OpenMP's runtime ends a child that tries.

    Whoever started them in the parent: we, or other code that uses Numba.
    """
    global _launch_lock, _unusable
    _launch_lock = threading.Lock()
    try:
        numba.threading_layer()  # type: ignore[attr-defined]
    except ValueError:  # none was started
        return
    _unusable = True


if hasattr(os, "register_at_fork"):  # pragma: no branch
    os.register_at_fork(after_in_child=_after_fork)


def allowed_threads() -> int:
    """Threads that the limit in force leaves to the parallel kernels."""
    available: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    n_jobs = getattr(_limit, "n_jobs", None)
    if n_jobs is None:
        return available
    return max(1, min(n_jobs if n_jobs > 0 else available + 1 + n_jobs, available))


@cache
def before_first_kernel() -> None:
    """What has to be known, once in a process, before kernels run."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        logging.getLogger("fastcaf").warning(
            "NUMBA_DISABLE_JIT is set: kernels run as plain Python, and fits will be slow."
        )
    check_vectors()


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
    before_first_kernel()
    if not is_large or _unusable:
        with interruptible():
            return serial(*arguments)
    with _launch_lock, interruptible():
        _start_layer()
        before = numba.get_num_threads()
        numba.set_num_threads(min(before, allowed_threads()))
        try:
            return parallel(*arguments)
        finally:
            numba.set_num_threads(before)


def _start_layer() -> None:
    """Load the threading layer with threads that sleep while they wait.

    By default OpenMP's threads spin.  On a machine with other work the spinning ones take
    the time of those they wait for: thirteen times slower was measured.  The runtime reads
    the variable when it is loaded, which is now if nobody else has loaded it.
    """
    if "OMP_WAIT_POLICY" in os.environ:
        numba.get_num_threads()
        return
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    try:
        numba.get_num_threads()
    finally:
        del os.environ["OMP_WAIT_POLICY"]


@contextmanager
def thread_limit(n_jobs: int | None) -> Iterator[None]:
    """Limit the threads of kernels in this Python thread, for as long as the block runs.

    What uses kernels is in such a block, so that it is ``interruptible`` as well.
    ``None`` leaves Numba's own limit; -1 is all it has; -2 all but one, as in joblib.
    """
    before = getattr(_limit, "n_jobs", None)
    _limit.n_jobs = n_jobs if n_jobs is not None else before
    try:
        with interruptible():
            yield
    finally:
        _limit.n_jobs = before


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an exception of a signal handler, such as Ctrl-C's, be itself, whenever it comes.

    Where it comes while Numba makes Python objects of a kernel's results, Numba returns them
    with the exception set, and Python makes a ``SystemError`` of that, or a chain of them.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError) and "with an exception set" in str(cause):
            cause = cause.__cause__ or cause.__context__
        if cause is None or cause is error:
            raise
        raise cause from cause.__cause__
