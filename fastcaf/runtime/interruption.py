"""Ctrl-C while a kernel hands over its results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["interruptible"]


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be a ``KeyboardInterrupt``, whenever it comes.

    Where it comes while Numba makes Python objects of a kernel's results, Numba returns them
    with the exception set, and Python makes a ``SystemError`` of that, or a chain of them.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        raise KeyboardInterrupt from error
