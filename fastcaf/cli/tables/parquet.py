"""Tables in Parquet files, read by pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.cli.tables.columns import Columns, find_column
from fastcaf.cli.tables.table import Table, TableError, check_finite, quoted

__all__ = ["read_parquet"]


def read_parquet(path: Path, columns: Columns) -> Table:
    """Read the wanted columns of a Parquet file."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise TableError(
            f'{path}: reading Parquet needs pyarrow: pip install "fastcaf[parquet]"'
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            names = [str(name) for name in file.schema_arrow.names]
    except Exception as error:  # pyarrow has several kinds, all with words of its own
        raise _unreadable(path, error) from error
    chosen = columns.indices(path, names, len(names))
    wanted = [names[index] for index in chosen]
    identifier = columns.identifier
    for name in wanted if identifier is None else [*wanted, identifier]:
        find_column(path, name, names, len(names))  # refuses a name that two columns have
    try:
        with parquet.ParquetFile(path) as file:
            read = file.read(columns=[*wanted, *([identifier] if identifier else [])])
    except Exception as error:
        raise _unreadable(path, error) from error
    if read.num_rows == 0 or not wanted:
        raise TableError(f"{path} holds no rows of numbers")
    values = np.column_stack([_numbers(path, name, read.column(name)) for name in wanted])
    check_finite(path, values, wanted)
    identifiers = (
        [] if identifier is None else [str(one) for one in read.column(identifier).to_pylist()]
    )
    return Table(values, wanted, chosen, len(names), identifiers)


def _numbers(path: Path, name: str, column: Any) -> NDArray:
    """One column as floats."""
    from pyarrow import types

    kind = column.type
    if not (
        types.is_floating(kind)
        or types.is_integer(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    ):
        raise TableError(
            f"{path}, column {quoted(name)} holds {kind}: numbers are needed; choose columns "
            "with --columns"
        )
    if column.null_count:
        row = next(i for i, one in enumerate(column) if not one.is_valid)
        raise TableError(f"{path}, row {row + 1}, column {name}: the cell is empty")
    dtype = np.float32 if types.is_float32(kind) else np.float64
    numbers: NDArray = np.asarray(column.to_numpy(), dtype=dtype)
    return numbers


def _unreadable(path: Path, error: Exception) -> TableError:
    return TableError(f"{path} is not a Parquet file that can be read: {error}")
