"""Reading a table, by the ending of its file's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fastcaf.tables.array_file import read_array
from fastcaf.tables.columns import ChosenColumns, Columns
from fastcaf.tables.parquet import read_parquet
from fastcaf.tables.table import Table, TableError
from fastcaf.tables.text import read_text

__all__ = ["is_table", "read_table"]

Reader = Callable[[Path, Columns], Table]
BINARY: dict[str, Reader] = {
    ".npy": read_array,
    ".parquet": read_parquet,
    ".pq": read_parquet,
}
TEXT = {".csv", ".tsv", ".tab", ".txt", ".dat", ""}


def is_table(path: Path) -> bool:
    """Whether a file's name is that of a table."""
    return path.suffix.lower() in TEXT | set(BINARY)


def read_table(
    path: Path, columns: Columns | None = None, *, first_line_is_header: bool = False
) -> Table:
    """Read a numeric table.

    Parameters
    ----------
    path : Path
        A file .npy or .parquet; any other is text, with commas, semicolons, tabs or blanks.
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
    try:
        with path.open("rb"):  # the same words for every kind of file
            pass
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from error
    if path.suffix.lower() in BINARY:
        return BINARY[path.suffix.lower()](path, columns)
    return read_text(path, columns, first_line_is_header=first_line_is_header)
