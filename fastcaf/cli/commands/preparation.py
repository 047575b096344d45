"""What is done to a table before the fit, kept so that new rows get the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from fastcaf.cli.commands.errors import CommandError
from fastcaf.cli.tables import Table, TableError
from fastcaf.cli.tables.columns import find_column
from fastcaf.data.row_blocks import RowBlocks, slices
from fastcaf.storage.writing import new_text

__all__ = ["Preparation"]


@dataclass(frozen=True)
class Preparation:
    """Columns of a fit and their standardisation.

    Attributes
    ----------
    names : list of str
        Of the columns that are used; empty where the file had no header.
    columns : list of int
        Their positions in the file, counted from 0.
    width : int
        Columns of the file.
    mean, scale : list of float
        Rows are (x - mean) / scale; both empty where they are used as they are.
    identifier : str or None
        The column that names the rows of the file that is read.
    """

    names: list[str]
    columns: list[int]
    width: int
    mean: list[float]
    scale: list[float]
    identifier: str | None = None

    @classmethod
    def of(cls, table: Table, *, standardize: bool) -> Preparation:
        """Learn it from the table of a fit."""
        mean: list[float] = []
        scale: list[float] = []
        if standardize:
            scaler = StandardScaler()
            for block in slices(table.values):
                scaler.partial_fit(np.asarray(block, dtype=np.float64))
            mean, scale = scaler.mean_.tolist(), scaler.scale_.tolist()
            if not np.isfinite([*mean, *scale]).all():
                raise CommandError(
                    "--standardize: the numbers are too large for their mean and deviation"
                )
        return cls(table.names, table.columns, table.width, mean, scale)

    @classmethod
    def read(cls, path: Path, identifier: str | None = None) -> Preparation:
        """From a file that ``write`` made."""
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            found = cls(
                [str(name) for name in record["names"]],
                [int(column) for column in record["columns"]],
                int(record["width"]),
                [float(number) for number in record["mean"]],
                [float(number) for number in record["scale"]],
                identifier,
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CommandError(f"{path} cannot be used: {error!r}") from error
        d = len(found.columns)
        if {len(found.mean), len(found.scale)} not in ({0}, {d}) or 0.0 in found.scale:
            raise CommandError(f"{path} cannot be used: it does not fit its {d} columns")
        return found

    def write(self, path: Path) -> None:
        """Keep it in a file."""
        record = asdict(self)
        del record["identifier"]
        with new_text(path) as file:
            file.write(json.dumps(record, indent=1) + "\n")

    def indices(self, path: Path, names: Sequence[str], width: int) -> list[int]:
        """The same columns of another file: by name, else by their positions."""
        if names and self.names and len(set(self.names)) == len(self.names):
            return [find_column(path, name, names, width) for name in self.names]
        named = -1
        if self.identifier is not None:
            named = find_column(path, self.identifier, names, width)
        if width == self.width and named not in self.columns:
            return list(self.columns)
        rest = [column for column in range(width) if column != named]
        if len(rest) == len(self.columns):
            return rest
        raise TableError(
            f"{path} has {width} columns; the fit used {len(self.columns)} of {self.width}"
        )

    def apply(self, rows: NDArray) -> NDArray:
        """Rows as the fit sees them."""
        if not self.mean:
            return rows
        dtype = np.float32 if rows.dtype == np.float32 else np.float64
        prepared: NDArray = ((rows - np.array(self.mean)) / self.scale).astype(dtype)
        return prepared

    def training(self, values: NDArray) -> Any:
        """What ``fit`` takes: rows, a memory map, or blocks of prepared rows of one."""
        if self.mean and isinstance(values, np.memmap):
            return RowBlocks(lambda: map(self.apply, slices(values)))
        return self.apply(values)

    def in_units_of_the_file(self, centroids: NDArray) -> NDArray:
        """Centroids of the fit as the file has them."""
        if not self.mean:
            return centroids
        return centroids * self.scale + np.array(self.mean)
