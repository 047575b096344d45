"""A time limit: long work asks between two steps whether its time is up.

Compiled code cannot be left halfway, so that a step in progress is finished.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["TimeIsUp", "check_time", "deadline", "time_is_up"]

_local = threading.local()


class TimeIsUp(KeyboardInterrupt):
    """The time limit has passed: the fit ends as with Ctrl-C, and keeps the levels reached."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Let the time of this Python thread be up after so many seconds; None: never."""
    before = getattr(_local, "end", None)
    _local.end = before if seconds is None else time.monotonic() + seconds
    try:
        yield
    finally:
        _local.end = before


def time_is_up() -> bool:
    """Whether the limit in force has passed."""
    end = getattr(_local, "end", None)
    return end is not None and time.monotonic() >= end


def check_time() -> None:
    """Raise ``TimeIsUp`` where the limit in force has passed."""
    if time_is_up():
        raise TimeIsUp
