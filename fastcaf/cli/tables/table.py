"""What a file of rows turns into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastcaf.exceptions import printable

__all__ = ["Table", "TableError", "check_finite", "quoted"]

SHOWN = 40  # characters of a bad cell in a message
ROWS_AT_ONCE = 65_536


class TableError(ValueError):
    """A file that is no numeric table."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))  # it may quote the file


@dataclass(frozen=True)
class Table:
    """Rows of finite numbers.

    Attributes
    ----------
    values : ndarray of shape (n, d)
        May be a memory map.
    names : list of str
        Of the columns; empty where the file has none.
    columns : list of int
        Which of the file's columns they are, counted from 0.
    width : int
        Columns of the file.
    identifiers : list of str
        One a row, where a column of them was asked for.
    """

    values: NDArray
    names: list[str]
    columns: list[int]
    width: int
    identifiers: list[str] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        """Names of the columns, or their numbers, counted from 1."""
        return self.names or [str(column + 1) for column in self.columns]


def quoted(cell: str) -> str:
    """A cell for a message: on one line, and not too long."""
    return repr(cell if len(cell) <= SHOWN else cell[:SHOWN] + "...")


def check_finite(path: Path, values: NDArray, labels: Iterable[str]) -> None:
    """Refuse NaN and infinity, with the place; a memory map is read a block at a time."""
    for start in range(0, len(values), ROWS_AT_ONCE):
        good = np.isfinite(values[start : start + ROWS_AT_ONCE])
        if not good.all():
            row, column = (int(i) for i in np.argwhere(~good)[0])
            value = values[start + row, column]
            raise TableError(
                f"{path}, row {start + row + 1}, column {list(labels)[column]}: {value} is not "
                "a finite number"
            )
