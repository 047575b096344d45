"""Tables in NumPy's .npy files.

Objects are never loaded: unpickling them could run whatever the file says.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastcaf.cli.tables.columns import Columns
from fastcaf.cli.tables.table import Table, TableError, check_finite

__all__ = ["read_array"]

LARGE = 200_000_000  # bytes; larger arrays stay on disk and are read a block at a time


def read_array(path: Path, columns: Columns) -> Table:
    """Read a 2-D array of numbers; a 1-D one is a single column."""
    array = _mapped(path)
    if array.ndim == 1 and array.dtype.names is None:
        array = array[:, None]
    if array.ndim != 2 or 0 in array.shape:
        raise TableError(f"{path} holds an array of shape {array.shape}: rows x columns needed")
    if array.dtype.kind not in "fiub":
        raise TableError(f"{path} holds {array.dtype}: numbers are needed")
    if columns.identifier is not None:
        raise TableError(f"{path}: a .npy file has no column of identifiers; leave out --id")
    width = array.shape[1]
    chosen = columns.indices(path, [], width)
    if chosen != list(range(width)):
        array = array[:, chosen]
    elif array.nbytes <= LARGE:
        array = np.array(array)
    check_finite(path, array, [str(index + 1) for index in chosen])
    return Table(array, [], chosen, width)


def _mapped(path: Path) -> NDArray:
    """The array on disk: a damaged header cannot ask for more memory than there is file."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy raises whatever a damaged header leads to
        raise TableError(f"{path} is not an array that can be read: {error}") from error
    if not isinstance(array, np.ndarray):
        array.close()
        raise TableError(f"{path} is an archive of arrays (.npz): save one of them as .npy")
    return array
