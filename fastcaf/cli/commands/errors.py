"""What goes wrong, in one line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

__all__ = [
    "BAD_INPUT",
    "DONE",
    "INTERRUPTED",
    "KEPT",
    "UNEXPECTED",
    "CommandError",
    "exit_code_of",
    "tell",
]

DONE = 0
UNEXPECTED = 1  # an error of ours
BAD_INPUT = 2
KEPT = 3  # Ctrl-C: files are written, and hold what was reached
INTERRUPTED = 130  # Ctrl-C before there was anything to keep; as shells have it
READER_GONE = 141  # as shells have it for a closed pipe


class CommandError(ValueError):
    """Something that the user can put right."""


def tell(message: object) -> None:
    """One line on the standard error."""
    print(f"fastcaf: {' '.join(str(message).split())}", file=sys.stderr, flush=True)


def exit_code_of(run: Callable[[], int], *, debug: bool) -> int:
    """Run a command; whatever goes wrong becomes a message and an exit code.

    Parameters
    ----------
    run : callable
    debug : bool
        Let errors through, for their traceback.

    Returns
    -------
    int
    """
    try:
        code = run()
        sys.stdout.flush()  # or a closed pipe would show when Python ends
    except BrokenPipeError:
        _forget_output()
        return READER_GONE
    except KeyboardInterrupt:
        tell("interrupted before there was a result; no result is written")
        return INTERRUPTED
    except (ValueError, OSError) as error:
        if debug:
            raise
        tell(error)
        return BAD_INPUT
    except Exception as error:
        if debug:
            raise
        tell(
            f"unexpected {type(error).__name__}: {error} (fastcaf --debug shows where; please "
            "report it)"
        )
        return UNEXPECTED
    return code


def _forget_output() -> None:
    """Nobody reads any more: let Python end without trying to write the rest."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # not a file: nothing is left to write
        pass
