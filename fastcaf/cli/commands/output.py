"""Labels, memberships, centroids and means as CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.cli.commands.errors import CommandError
from fastcaf.cli.commands.preparation import Preparation
from fastcaf.cli.commands.signals import held
from fastcaf.cli.tables import Table
from fastcaf.cli.tables.cells import cell
from fastcaf.data.row_blocks import slices
from fastcaf.memberships.noise import rest_of
from fastcaf.storage.writing import destination, new_text, private_folder, publish

__all__ = [
    "CENTROIDS",
    "LABELS",
    "MEANS",
    "MEMBERSHIPS",
    "result_folder",
    "write_places",
    "write_rows",
]

LABELS, MEMBERSHIPS = "labels.csv", "memberships.csv"
CENTROIDS, MEANS = "centroids.csv", "means.csv"
# Rows x clusters above which only the largest memberships of a row are written, and how many:
# each with its cluster, so that twice as many columns say it all.
MANY, LARGEST = 2_000_000, 3


@contextmanager
def result_folder(path: Path, names: Iterable[str]) -> Iterator[Path]:
    """A folder for the results, made before the fit, so that no result is lost.

    What is yielded is a private folder inside it.  The files of these names move from there to
    their places once all of them are complete; where something goes wrong before, all is as it
    was.
    """
    if path.suffix.lower() in (".csv", ".tsv", ".txt", ".json"):
        raise CommandError(f"--out names a folder for several files, not a file: {path}")
    new = [one for one in (path, *path.parents) if not one.exists()]
    with ExitStack() as stack:
        stack.callback(_remove_empty, new)
        try:
            path.mkdir(parents=True, exist_ok=True)
            part = stack.enter_context(private_folder(path))
        except OSError as error:
            raise CommandError(
                f"cannot write to the folder {path}: {error.strerror}"
            ) from error
        for name in names:
            destination(path / name)  # what cannot be written is refused before the work
        yield part
        with held():
            publish([part / name for name in names], path)


def _remove_empty(folders: Iterable[Path]) -> None:
    """Folders that we made and that stayed empty, the innermost first."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def write_rows(
    folder: Path,
    model: Any,
    table: Table,
    preparation: Preparation,
    labels: NDArray | None,
    *,
    raw: bool = False,
) -> str:
    """Write labels and memberships, a block of rows at a time.

    Parameters
    ----------
    folder : Path
    model : CAFHFCM
    table : Table
    preparation : Preparation
    labels : ndarray of shape (n,), optional
        Where they are known already.
    raw : bool
        Write identifiers as they are, even if spreadsheets would run them.

    Returns
    -------
    str
        What was left out, or nothing.
    """
    c = model.n_clusters_
    short = len(table.values) * c > MANY and c > 2 * LARGEST
    columns = [f"membership_{j}" for j in range(c)]
    if short:
        pairs = ((f"cluster_{i}", f"membership_{i}") for i in range(1, LARGEST + 1))
        columns = [name for pair in pairs for name in pair]
    beginning = ["id"] if table.identifiers else []
    with ExitStack() as stack:
        label_file, membership_file = (
            stack.enter_context(new_text(folder / name)) for name in (LABELS, MEMBERSHIPS)
        )
        label_file.write(",".join([*beginning, "label", "membership"]) + "\n")
        membership_file.write(",".join([*beginning, *columns]) + "\n")
        n = 0
        for block in slices(table.values):
            rows = preparation.apply(block)
            memberships = model.predict_proba(rows)
            here = slice(n, n + len(rows))
            own = model.predict(rows) if labels is None else labels[here]
            start = [cell(one, raw=raw) + "," for one in table.identifiers[here]] or [""] * len(
                rows
            )
            label_file.writelines(_labels(start, own, memberships))
            lines = _largest(start, memberships) if short else _all(start, memberships)
            membership_file.writelines(lines)
            n += len(rows)
    return f"the {LARGEST} largest memberships of each row" if short else ""


def _labels(start: list[str], labels: NDArray, memberships: NDArray) -> Iterator[str]:
    every = np.column_stack([memberships, rest_of(memberships)])  # the last is noise: -1
    own = every[np.arange(len(labels)), labels]
    for before, label, sure in zip(start, labels.tolist(), own.tolist(), strict=True):
        yield f"{before}{label},{sure:.6g}\n"


def _all(start: list[str], memberships: NDArray) -> Iterator[str]:
    line = ",".join(["%.6g"] * memberships.shape[1]) + "\n"
    for before, row in zip(start, memberships.tolist(), strict=True):
        yield before + line % tuple(row)


def _largest(start: list[str], memberships: NDArray) -> Iterator[str]:
    order = np.argsort(-memberships, axis=1, kind="stable")[:, :LARGEST]
    values = np.take_along_axis(memberships, order, axis=1)
    for before, clusters, row in zip(start, order.tolist(), values.tolist(), strict=True):
        pairs = (f"{j},{value:.6g}" for j, value in zip(clusters, row, strict=True))
        yield before + ",".join(pairs) + "\n"


def write_places(
    path: Path, places: NDArray, names: Iterable[str], *, raw: bool = False
) -> None:
    """Centroids or means: one line a cluster, in the units of the table."""
    with new_text(path) as file:
        file.write(",".join(["cluster", *(cell(name, raw=raw) for name in names)]) + "\n")
        for label, row in enumerate(places.tolist()):
            file.write(",".join([str(label), *map(repr, row)]) + "\n")
