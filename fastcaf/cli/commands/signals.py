"""SIGTERM and SIGHUP end a command as Ctrl-C does: what was reached is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["ending_signals", "held"]

# SIGHUP is none of Windows; a terminal that closes may send it twice.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

_came: list[int] = []


@contextmanager
def ending_signals() -> Iterator[list[int]]:
    """Let the signals that end a process raise ``KeyboardInterrupt``.

    Those that are ignored, as with ``nohup``, stay so, and handlers of a program that calls the
    command line are left alone.

    Yields
    ------
    list of int
        The signals that came.
    """
    _came.clear()
    ours = []
    if threading.current_thread() is threading.main_thread():
        ours = [one for one in ENDING if signal.getsignal(one) is signal.SIG_DFL]
    for one in ours:
        signal.signal(one, _interrupt)
    try:
        yield _came
    finally:
        for one in ours:
            signal.signal(one, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    again = number in _came
    _came.append(number)
    if not again or number == signal.SIGTERM:
        raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Let nothing but a kill end the block: for moves that belong together.

    Signals that come meanwhile end nothing, as the results are there; the exit code tells.
    """
    before: dict[int, Any] = {}

    def count(number: int, frame: FrameType | None) -> None:
        if number in ENDING:
            _came.append(number)

    if threading.current_thread() is threading.main_thread():
        for one in (signal.SIGINT, *ENDING):
            if callable(signal.getsignal(one)):
                before[one] = signal.signal(one, count)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
