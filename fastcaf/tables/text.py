"""Tables in text files, with errors that name the line and the column.

NumPy's parser reads a file of nothing but numbers several times as fast as Python does.
Whatever it does not understand, columns of words included, is read again line by line.
"""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastcaf.tables.columns import Columns, find_column
from fastcaf.tables.table import Table, TableError, quoted

__all__ = ["read_text"]

SHOWN = 20  # columns in a message

Row = tuple[int, list[str]]  # number of its line, and its cells


@dataclass(frozen=True)
class _Layout:
    """How a text is laid out, as its first lines tell."""

    path: Path
    delimiter: str
    names: list[str]
    width: int
    header_lines: int
    first_line: int

    def named(self, column: int) -> str:
        """A column in a message."""
        return f"column {column + 1}" + (f" ({self.names[column]})" if self.names else "")


def read_text(path: Path, columns: Columns, *, first_line_is_header: bool = False) -> Table:
    """Read a text file of numbers.

    The first line is a header if none of its cells is a number, or where the caller says so.
    Commas, semicolons, tabs and blanks are told apart by the first line.

    Parameters
    ----------
    path : Path
    columns : Columns
    first_line_is_header : bool

    Returns
    -------
    Table

    Raises
    ------
    TableError
        Where a cell is no finite number, or a line has another number of cells.
    """
    identifiers: list[str] = []
    try:
        layout = _layout(path, first_line_is_header)
        chosen = columns.indices(path, layout.names, layout.width)
        values = _all_numbers(layout) if columns.identifier is None else None
        if values is None:
            values, identifiers = _line_by_line(layout, chosen, columns.identifier)
        elif chosen != list(range(layout.width)):
            values = values[:, chosen]
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} is not a text file in UTF-8 ({error.reason}): save it as UTF-8"
        ) from error
    names = [layout.names[index] for index in chosen] if layout.names else []
    return Table(values, names, chosen, layout.width, identifiers)


def _layout(path: Path, first_line_is_header: bool) -> _Layout:
    with path.open(encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else _delimiter(first)
    rows = _rows(path, delimiter)
    line, cells = next(rows, (0, []))
    names, header_lines = [], 0
    if cells and (first_line_is_header or not any(_is_number(cell) for cell in cells)):
        names, header_lines = [cell.strip() for cell in cells], line
        line, cells = next(rows, (0, []))
    if not cells:
        raise TableError(f"{path} holds no rows of numbers")
    return _Layout(path, delimiter, names, len(names or cells), header_lines, line)


def _delimiter(line: str) -> str:
    for delimiter in (",", ";", "\t"):
        if delimiter in line:
            return delimiter
    return " " if " " in line.strip() else ","


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # 2020_01 is a name, whatever Python says


def _rows(path: Path, delimiter: str) -> Iterator[Row]:
    """The lines that are not blank."""
    with path.open(encoding="utf-8-sig") as file:
        lines = (line.rstrip() for line in file) if delimiter == " " else file
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            for cells in reader:
                if any(map(str.strip, cells)):
                    yield reader.line_num, cells
        except csv.Error as error:
            raise TableError(f"{path}, line {reader.line_num}: {error}") from error


def _all_numbers(layout: _Layout) -> NDArray | None:
    """The whole table, or None where something in it is no finite number."""
    try:
        with layout.path.open(encoding="utf-8-sig") as file:
            values: NDArray = np.loadtxt(
                file,
                delimiter=None if layout.delimiter == " " else layout.delimiter,
                comments=None,
                quotechar='"',
                skiprows=layout.header_lines,
                ndmin=2,
            )
    except UnicodeDecodeError:
        raise
    except ValueError:
        return None
    if values.shape[1] != layout.width or not np.isfinite(values).all():
        return None
    return values


def _line_by_line(
    layout: _Layout, chosen: Sequence[int], identifier: str | None
) -> tuple[NDArray, list[str]]:
    """Values of the chosen columns, and the identifiers if there are any."""
    named_by = -1
    if identifier is not None:
        named_by = find_column(layout.path, identifier, layout.names, layout.width)
    values, identifiers = array("d"), []
    for line, cells in _rows(layout.path, layout.delimiter):
        if line <= layout.header_lines:
            continue
        if len(cells) != layout.width:
            raise TableError(
                f"{layout.path}, line {line}: {len(cells)} cells where {layout.width} are "
                "expected"
            )
        values.extend(_numbers(layout, line, cells, chosen))
        if named_by >= 0:
            identifiers.append(cells[named_by].strip())
    return np.array(values).reshape(-1, len(chosen)), identifiers


def _numbers(
    layout: _Layout, line: int, cells: Sequence[str], chosen: Sequence[int]
) -> list[float]:
    """The chosen cells of one line as numbers."""
    try:
        numbers = [float(cells[column]) for column in chosen]
        if math.isfinite(sum(numbers)) and not any("_" in cells[column] for column in chosen):
            return numbers
    except ValueError:
        pass
    for column in chosen:
        cell = cells[column].strip()
        if not _is_number(cell) or not math.isfinite(float(cell)):
            place = f"{layout.path}, line {line}, {layout.named(column)}"
            raise TableError(f"{place}: {_complaint(layout, line, cells, column)}")
    return numbers  # finite, though their sum is not


def _complaint(layout: _Layout, line: int, cells: Sequence[str], column: int) -> str:
    """What is wrong with a cell, and the way out."""
    cell = cells[column].strip()
    if not cell:
        return "the cell is empty"
    found = f"{quoted(cell)} is not a finite number"
    if cell.count(",") == 1 and _is_number(cell.replace(",", ".")):
        return f"{found}: write decimals with a point"
    numeric = [i for i, one in enumerate(cells) if _is_number(one)]
    if line > layout.first_line or not numeric:
        return found
    some = [layout.names[i] if layout.names else str(i + 1) for i in numeric[:SHOWN]]
    known = ",".join(some) + (",..." if len(numeric) > SHOWN else "")
    return f"{found}; columns of numbers are chosen with --columns, here perhaps {known}"
