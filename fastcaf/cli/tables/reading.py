"""Reading a table, by the ending of its file's name; or from a pipe, as text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from fastcaf.cli.tables.array_file import read_array
from fastcaf.cli.tables.columns import ChosenColumns, Columns
from fastcaf.cli.tables.parquet import read_parquet
from fastcaf.cli.tables.table import Table, TableError
from fastcaf.cli.tables.text import read_text

__all__ = ["is_piped", "read_table"]

Reader = Callable[[Path, Columns], Table]
BINARY: dict[str, Reader] = {
    ".npy": read_array,
    ".parquet": read_parquet,
    ".pq": read_parquet,
}
STANDARD_INPUT = (Path("-"), Path("/dev/stdin"))


def is_piped(path: Path) -> bool:
    """Whether a path can be read only once: the standard input, or a pipe."""
    return path in STANDARD_INPUT or (
        path.exists() and not path.is_file() and not path.is_dir()
    )


def read_table(
    path: Path, columns: Columns | None = None, *, first_line_is_header: bool = False
) -> Table:
    """Read a numeric table.

    Parameters
    ----------
    path : Path
        A file .npy or .parquet; any other is text, with commas, semicolons, tabs or blanks.
        A pipe, or ``-`` for the standard input, is text.
    columns : Columns, optional
        Which of them; by default all.
    first_line_is_header : bool
        The first line of a text holds names, even if some of them are numbers.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        Where the file is no table of finite numbers; the message names the place.
    """
    columns = columns or ChosenColumns()
    piped = None
    try:
        if is_piped(path):
            piped = _all_of(path)
        else:
            with path.open("rb"):  # the same words for every kind of file
                pass
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from error
    if piped is None and path.suffix.lower() in BINARY:
        return BINARY[path.suffix.lower()](path, columns)
    return read_text(path, columns, first_line_is_header=first_line_is_header, piped=piped)


def _all_of(path: Path) -> bytes:
    """Read at once: a pipe that is opened again goes on where the last reader stopped."""
    if path not in STANDARD_INPUT:
        return path.read_bytes()
    if sys.stdin is None:
        raise TableError("there is no standard input: it is closed")
    return sys.stdin.buffer.read()
