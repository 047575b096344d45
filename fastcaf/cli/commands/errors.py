"""What goes wrong, in one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable

from fastcaf.cli.commands.signals import ending_signals
from fastcaf.cli.commands.terminal import flushed, forget, tell, usable_streams

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
    heard = usable_streams()
    with ending_signals() as signals:
        code = _code_of(run, debug)
        try:
            heard = flushed() and heard  # or a closed pipe would show when Python ends
        except OSError as error:
            forget(sys.stdout)
            tell(f"the output cannot be written: {error.strerror}")
            code = code or BAD_INPUT
        except KeyboardInterrupt:  # while it waited for a reader that does not read
            forget(sys.stdout)
    if signals:
        return 128 + signals[0]
    return READER_GONE if code == DONE and not heard else code


def _code_of(run: Callable[[], int], debug: bool) -> int:
    try:
        return run()
    except BrokenPipeError:
        forget(sys.stdout)
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
