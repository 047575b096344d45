"""Which columns of a file are meant."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fastcaf.cli.tables.cells import shown_name
from fastcaf.cli.tables.table import TableError, quoted

__all__ = ["ChosenColumns", "Columns", "find_column", "known_columns"]

SHOWN = 30  # names in a message


class Columns(Protocol):
    """Something that knows which columns of a file it wants."""

    @property
    def identifier(self) -> str | None:
        """The column that names the rows, if one does."""

    def indices(self, path: Path, names: Sequence[str], width: int) -> list[int]:
        """The columns, counted from 0, of a file with these names and this many columns."""


@dataclass(frozen=True)
class ChosenColumns:
    """Columns that a user names; all but the identifiers where none are named.

    Attributes
    ----------
    wanted : list of str
        Names, or numbers counted from 1 where the file has no names; empty: all.
    identifier : str or None
        The column that names the rows.
    """

    wanted: list[str] = field(default_factory=list)
    identifier: str | None = None

    @classmethod
    def of(cls, text: str | None, identifier: str | None = None) -> ChosenColumns:
        """From a list with commas; a name with a comma is in double quotes."""
        wanted = next(csv.reader([text], skipinitialspace=True)) if text else []
        return cls([one.strip() for one in wanted], identifier)

    def indices(self, path: Path, names: Sequence[str], width: int) -> list[int]:
        """The columns, counted from 0, in the order in which they were named."""
        chosen = [find_column(path, one, names, width) for one in self.wanted]
        for i, index in enumerate(chosen):
            if index in chosen[:i]:
                raise TableError(f"--columns names {quoted(self.wanted[i])} twice")
        if chosen:
            return chosen
        every = range(width)
        if self.identifier is None:
            return list(every)
        skipped = find_column(path, self.identifier, names, width)
        if width == 1:
            raise TableError(f"{path} has no column but {quoted(self.identifier)}")
        return [index for index in every if index != skipped]


def find_column(path: Path, wanted: str, names: Sequence[str], width: int) -> int:
    """Index of the column with this name, or with this number counted from 1."""
    if names:
        if names.count(wanted) > 1:
            raise TableError(f"{path} has {names.count(wanted)} columns {quoted(wanted)}")
        if wanted in names:
            return list(names).index(wanted)
        # Tables that we wrote have another name where spreadsheets would run it.
        alike = [i for i, name in enumerate(names) if shown_name(name) == shown_name(wanted)]
        if len(alike) == 1:
            return alike[0]
    elif wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= width:
        return int(wanted) - 1
    raise TableError(
        f"{path} has no column {quoted(wanted)}; it has {known_columns(names, width)}"
    )


def known_columns(names: Sequence[str], width: int) -> str:
    """The columns of a file, in words."""
    if not names:
        return f"no header, and columns 1 to {width}"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
