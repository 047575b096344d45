"""Rows in blocks: for data that do not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ROWS_AT_ONCE", "RowBlocks", "recut", "slices"]

# Rows handled at once.  All sums over many rows are taken over blocks of this size, however
# the rows arrive: so an array, a memory map and any blocks of the same rows give equal bits.
ROWS_AT_ONCE = 65_536


class RowBlocks:
    """Rows that come a block at a time, for ``CAFHFCM.fit``.

    Parameters
    ----------
    blocks : iterable of array-likes of shape (n_i, d), or callable
        A collection of 2-D arrays that can be gone through again and again, or a function
        without arguments that returns a fresh iterator over them.  A fit reads all of them
        twice before the path, which is followed on representatives, and some three or four
        times after it, until the chosen level has settled on all rows.  It keeps none.  How
        the rows are cut into blocks does not change the result.

    Notes
    -----
    A fit holds O(R d + K^2 d) numbers for R representatives and K centroids, a block of 65,536
    rows, and the labels.  ``predict`` takes blocks too; ``memberships_`` is not there, because
    no rows are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from fastcaf import CAFHFCM, RowBlocks
    >>> def read():
    ...     rng = np.random.default_rng(0)
    ...     for _ in range(10):  # for instance one file after the other
    ...         yield rng.normal(size=(3000, 2)) + 9 * rng.integers(2, size=(3000, 2))
    >>> CAFHFCM(random_state=0).fit(RowBlocks(read)).n_clusters_
    4
    """

    def __init__(self, blocks: Iterable[ArrayLike] | Callable[[], Iterable[ArrayLike]]) -> None:
        if not callable(blocks) and not isinstance(blocks, Iterable):
            raise TypeError(
                "blocks must be an iterable of 2-D arrays, or a function that returns one; "
                f"got {type(blocks).__name__}."
            )
        if isinstance(blocks, Iterator):
            raise TypeError(
                "blocks is an iterator, which can be read only once, and a fit reads the rows "
                "several times. Pass a function that returns a fresh one: RowBlocks(read), "
                "not RowBlocks(read())."
            )
        self.blocks = blocks

    def __iter__(self) -> Iterator[NDArray]:
        """The blocks as float32 or float64 arrays, checked."""
        d, place = 0, 0
        dtype: np.dtype[Any] = np.dtype(np.float64)
        for i, given in enumerate(self.blocks() if callable(self.blocks) else self.blocks):
            block = np.asarray(given)
            if i == 0:
                d = block.shape[1] if block.ndim == 2 else 0
                dtype = np.dtype(np.float32 if block.dtype == np.float32 else np.float64)
            yield _checked(block, i, place, d, dtype)
            place += len(block)
        if place == 0:
            raise ValueError("X has no blocks: at least one row is needed.")


def _checked(
    block: NDArray[Any], i: int, place: int, d: int, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Block i, which begins at row ``place``, as rows that can be used."""
    if block.ndim != 2 or 0 in block.shape:
        raise ValueError(
            f"Block {i} of X has shape {block.shape}: blocks must be 2-D, with at least one "
            "row and one column."
        )
    if block.shape[1] != d:
        raise ValueError(f"Block {i} of X has {block.shape[1]} columns, but the first has {d}.")
    if block.dtype.kind not in "fiub":
        raise ValueError(f"Block {i} of X holds {block.dtype}: numbers are needed.")
    if dtype == np.float32 and block.dtype != np.float32:
        raise ValueError(
            f"Block {i} of X is {block.dtype}, but the first is float32: make them alike."
        )
    rows: NDArray[Any] = np.ascontiguousarray(block, dtype=dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        surely_finite = np.isfinite(rows.sum())
    if not surely_finite and not np.isfinite(rows).all():
        bad = np.argwhere(~np.isfinite(rows))[0]
        what = "NaN" if np.isnan(rows[tuple(bad)]) else "infinity"
        raise ValueError(
            f"Input X contains {what}: row {place + bad[0]} (in block {i}), column {bad[1]}."
        )
    return rows


def slices(array: NDArray) -> Iterator[NDArray]:
    """An array, or a memory map, in blocks."""
    for start in range(0, len(array), ROWS_AT_ONCE):
        yield array[start : start + ROWS_AT_ONCE]


def recut(blocks: Iterable[NDArray]) -> Iterator[NDArray]:
    """The same rows in blocks of ``ROWS_AT_ONCE``, but for the last."""
    parts: list[NDArray] = []
    n = 0
    for block in blocks:
        start = 0
        while len(block) - start >= ROWS_AT_ONCE - n:
            stop = start + ROWS_AT_ONCE - n
            parts.append(block[start:stop])
            yield parts[0] if len(parts) == 1 else np.concatenate(parts)
            parts, n, start = [], 0, stop
        if start < len(block):
            # A copy: whoever yields the blocks may use the same memory for the next one.
            parts.append(block[start:].copy())
            n += len(parts[-1])
    if parts:
        yield np.concatenate(parts)
