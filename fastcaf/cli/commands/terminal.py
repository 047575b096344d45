"""What reaches the terminal: text that it can show, from streams that may be closed."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from fastcaf.exceptions import printable

__all__ = ["forget", "lost_output", "say", "tell", "usable_streams"]


_lost: list[OSError] = []  # why the standard output could not be written


def say(text: object = "") -> None:
    """Lines on the standard output.

    Where they cannot be written, as nobody reads them any more, what is still to do, such as a
    page, is done all the same; ``lost_output`` tells at the end.
    """
    try:
        sys.stdout.write(printable(str(text), keep="\n") + "\n")
    except OSError as error:
        _lost.append(error)
        forget(sys.stdout)


def tell(message: object) -> None:
    """One line on the standard error; where that is gone, nobody can be told."""
    try:
        sys.stderr.write(f"fastcaf: {printable(' '.join(str(message).split()))}\n")
        sys.stderr.flush()
    except OSError:
        forget(sys.stderr)


def lost_output() -> OSError | None:
    """Write what waits; what went wrong with that, or with anything that was said."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _lost.append(error)
        forget(sys.stdout)
    lost = _lost[0] if _lost else None
    _lost.clear()
    return lost


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
