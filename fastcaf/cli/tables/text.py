"""Tables in text files, with errors that name the line and the column.

NumPy's parser reads a file of nothing but numbers several times as fast as Python does.
Whatever it does not understand, columns of words included, is read again line by line.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from fastcaf.cli.tables.columns import Columns, find_column
from fastcaf.cli.tables.table import Table, TableError, quoted

__all__ = ["read_text"]

SHOWN = 20  # columns in a message

Row = tuple[int, list[str]]  # number of its line, and its cells


@dataclass(frozen=True)
class _Text:
    """A text that can be read again and again: a file, or what came through a pipe."""

    path: Path
    piped: bytes | None

    def open(self) -> TextIO:
        """From its beginning."""
        if self.piped is None:
            return self.path.open(encoding="utf-8-sig")
        return io.TextIOWrapper(io.BytesIO(self.piped), encoding="utf-8-sig")


@dataclass(frozen=True)
class _Layout:
    """How a text is laid out, from its first lines."""

    text: _Text
    delimiter: str
    names: list[str]
    width: int
    header_lines: int
    first_line: int

    def named(self, column: int) -> str:
        """A column in a message."""
        return f"column {column + 1}" + (f" ({self.names[column]})" if self.names else "")


def read_text(
    path: Path,
    columns: Columns,
    *,
    first_line_is_header: bool = False,
    piped: bytes | None = None,
) -> Table:
    """Read a text file of numbers.

    The first line is a header if none of its cells is a number, or where the caller says so.
    The first two lines say whether commas, semicolons, tabs or blanks separate cells.

    Parameters
    ----------
    path : Path
    columns : Columns
    first_line_is_header : bool
    piped : bytes, optional
        What the path gave, where it can be read only once.

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
        layout = _layout(_Text(path, piped), first_line_is_header)
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


def _layout(text: _Text, first_line_is_header: bool) -> _Layout:
    with text.open() as file:
        first = list(islice((line for line in file if line.strip()), 2))
    tabs = text.path.suffix.lower() in (".tsv", ".tab")
    delimiter = "\t" if tabs else _delimiter(first)
    rows = _rows(text, delimiter)
    line, cells = next(rows, (0, []))
    names, header_lines = [], 0
    numbers = any(_is_number(cell) or _has_decimal_comma(cell) for cell in cells)
    if cells and (first_line_is_header or not numbers):
        names, header_lines = [cell.strip() for cell in cells], line
        line, cells = next(rows, (0, []))
    if not cells:
        raise TableError(f"{text.path} holds no rows of numbers")
    return _Layout(text, delimiter, names, len(names or cells), header_lines, line)


def _delimiter(lines: Sequence[str]) -> str:
    """What separates the cells: as often on one line as on the next, and commas last.

    Where semicolons or tabs part the cells, commas may be those of decimals.
    """
    bare = [re.sub('"[^"]*"', "", line) for line in lines] or [""]
    present = [one for one in (";", "\t", ",") if one in bare[0]]
    steady = [one for one in present if len({line.count(one) for line in bare}) == 1]
    if present:
        return (steady or present)[0]
    return " " if " " in bare[0].strip() else ","


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # 2020_01 is a name, whatever Python says


def _has_decimal_comma(cell: str) -> bool:
    return cell.count(",") == 1 and _is_number(cell.replace(",", "."))


def _rows(text: _Text, delimiter: str) -> Iterator[Row]:
    """The lines that are not blank."""
    with text.open() as file:
        lines = (line.rstrip() for line in file) if delimiter == " " else file
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            for cells in reader:
                if any(map(str.strip, cells)):
                    yield reader.line_num, cells
        except csv.Error as error:
            raise TableError(f"{text.path}, line {reader.line_num}: {error}") from error


def _all_numbers(layout: _Layout) -> NDArray | None:
    """The whole table, or None where something in it is no finite number."""
    try:
        with layout.text.open() as file:
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
        named_by = find_column(layout.text.path, identifier, layout.names, layout.width)
    values, identifiers = array("d"), []
    for line, cells in _rows(layout.text, layout.delimiter):
        if line <= layout.header_lines:
            continue
        if len(cells) != layout.width:
            raise TableError(
                f"{layout.text.path}, line {line}: {len(cells)} cells where {layout.width} are "
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
            place = f"{layout.text.path}, line {line}, {layout.named(column)}"
            raise TableError(f"{place}: {_complaint(layout, line, cells, column)}")
    return numbers  # finite, though their sum is not


def _complaint(layout: _Layout, line: int, cells: Sequence[str], column: int) -> str:
    """What is wrong with a cell, and the way out."""
    cell = cells[column].strip()
    if not cell:
        return "the cell is empty"
    found = f"{quoted(cell)} is not a finite number"
    if _has_decimal_comma(cell):
        return f"{found}: it has a decimal comma; write decimals with a point"
    numeric = [i for i, one in enumerate(cells) if _is_number(one)]
    if line > layout.first_line or not numeric:
        return found
    some = [layout.names[i] if layout.names else str(i + 1) for i in numeric[:SHOWN]]
    known = ",".join(some) + (",..." if len(numeric) > SHOWN else "")
    choose = f"--columns, here perhaps {known}"
    if layout.names:
        ways = f"{found}; columns of numbers are chosen with {choose}"
        one_left = len(cells) - len(numeric) == 1
        return ways + (
            f"; --id {layout.names[column]} if it names the rows" if one_left else ""
        )
    return (
        f"{found}; if line {line} holds names, add --header; if not, choose columns of numbers "
        f"with {choose}"
    )
