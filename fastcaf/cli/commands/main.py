"""``fastcaf COMMAND``: the parser, and who runs what."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import NoReturn

from fastcaf import __version__
from fastcaf.cli.commands import cluster, demo, doctor, predict, tree, warm_up
from fastcaf.cli.commands.errors import exit_code_of
from fastcaf.cli.commands.terminal import tell
from fastcaf.exceptions import printable

__all__ = ["main"]

COMMANDS = (cluster, predict, tree, demo, doctor, warm_up)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code: 0; 1 for an unexpected error; 2 where the input cannot be used; 3 where
        Ctrl-C ended a fit and the files hold the levels reached; 130 where it left nothing;
        129 and 143 for SIGHUP and SIGTERM; 141 where nobody reads the output.
    """
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        # Columns are found by name when a file is read; the rows then go without.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return exit_code_of(lambda: options.run(options), debug=options.debug)


def _show_warning(message: Warning | str, *details: object) -> None:
    tell(f"warning: {message}")


class _Parser(argparse.ArgumentParser):
    """Whose complaints are safe to show: arguments may be the names of other people's files."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message, keep="\n"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="fastcaf",
        description="Fuzzy clustering that finds the number of clusters by itself.",
        epilog="Exit codes: 0 done, 1 unexpected error, 2 bad input, 3 interrupted with what "
        "was reached written, 130 interrupted with nothing written, 129 and 143 ended by "
        "SIGHUP or SIGTERM, 141 nobody reads the output; doctor: 1 where something needs "
        "attention.",
    )
    version = f"fastcaf {__version__}"
    parser.add_argument("--version", action="version", version=version)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        one = command.add_to(commands)
        one.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
        one.set_defaults(run=command.run)
    return parser
