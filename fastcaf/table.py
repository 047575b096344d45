"""Numeric tables from CSV files, with errors that name the line and the column."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fastcaf.memberships.base import FloatArray

__all__ = ["Table", "TableError", "read_csv"]


class TableError(ValueError):
    """A file that is no numeric table."""


@dataclass(frozen=True)
class Table:
    """Values and the names of their columns (empty where the file has no header)."""

    values: FloatArray
    names: list[str]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_csv(path: Path) -> Table:
    """Read a CSV file of numbers.

    The first line is a header if none of its cells is a number.  Commas, semicolons, tabs
    and blanks are told apart by the first line.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Table

    Raises
    ------
    TableError
        Where a cell is no finite number, or a line has another number of cells.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not a text file in UTF-8: {error.reason}") from error
    lines = text.splitlines()
    delimiter = _delimiter(lines[0]) if lines else ","
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    numbered: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                numbered.append((reader.line_num, cells))
    except csv.Error as error:
        raise TableError(f"{path}, line {reader.line_num}: {error}") from error
    names: list[str] = []
    if numbered and not any(_is_number(cell) for cell in numbered[0][1]):
        names = numbered.pop(0)[1]
    if not numbered:
        raise TableError(f"{path} holds no rows of numbers")
    width = len(names) or len(numbered[0][1])
    values = np.array([_numbers(path, line, cells, width, names) for line, cells in numbered])
    return Table(values, names)


def _delimiter(line: str) -> str:
    for delimiter in (",", ";", "\t"):
        if delimiter in line:
            return delimiter
    return " " if " " in line.strip() else ","


def _numbers(
    path: Path, line: int, cells: list[str], width: int, names: list[str]
) -> list[float]:
    """Cells of one line as numbers."""
    if len(cells) != width:
        raise TableError(f"{path}, line {line}: {len(cells)} cells where {width} are expected")
    numbers = []
    for column, cell in enumerate(cells):
        value = float(cell) if _is_number(cell) else float("nan")
        if not np.isfinite(value):
            name = f" ({names[column]})" if names else ""
            found = f"{cell!r} is not a finite number" if cell else "the cell is empty"
            raise TableError(f"{path}, line {line}, column {column + 1}{name}: {found}")
        numbers.append(value)
    return numbers
