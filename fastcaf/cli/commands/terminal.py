"""What reaches the terminal: text that it can show, from streams that may be closed."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from fastcaf.exceptions import printable

__all__ = ["flushed", "forget", "say", "tell", "usable_streams"]


def say(text: object = "") -> None:
    """Lines on the standard output.

    Nobody may read them any more: what is still to do, such as a page, is done all the same,
    and ``flushed`` knows.
    """
    _write(sys.stdout, printable(str(text), keep="\n"))


def tell(message: object) -> None:
    """One line on the standard error; where that is gone, nobody can be told."""
    try:
        _write(sys.stderr, f"fastcaf: {printable(' '.join(str(message).split()))}")
        sys.stderr.flush()
    except (OSError, ValueError):
        forget(sys.stderr)


_gone: list[BrokenPipeError] = []


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(f"{text}\n")
    except BrokenPipeError as error:
        if stream is not sys.stdout:
            raise
        _gone.append(error)
        forget(stream)


def flushed() -> bool:
    """Write what waits; whether there was a reader for all that was said."""
    try:
        sys.stdout.flush()
    except BrokenPipeError as error:
        _gone.append(error)
        forget(sys.stdout)
    heard = not _gone
    _gone.clear()
    return heard


def forget(stream: TextIO) -> None:
    """Let Python end without trying to write the rest."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):  # not a file: nothing is left to write
        pass


def usable_streams() -> bool:
    """Put something in the places of streams that are closed, as with ``>&-``.

    The next file that is opened would take their numbers, and get what is meant for them.
    Streams that are open write what their encoding has not as its number.

    Returns
    -------
    bool
        Whether there is a standard output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    heard = sys.stdout is not None
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return heard
