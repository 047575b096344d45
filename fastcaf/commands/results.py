"""The folder that ``fastcaf cluster`` writes and the other commands read."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from fastcaf.commands.errors import CommandError
from fastcaf.commands.output import write_centroids, write_rows
from fastcaf.commands.preparation import Preparation
from fastcaf.commands.records import path_record, summary_record, write_json
from fastcaf.tables import Table

__all__ = ["MODEL", "PREPARATION", "load_model", "preparation_of", "write_results"]

MODEL, PREPARATION = "model.fastcaf", "preparation.json"
PATH, SUMMARY = "path.json", "summary.json"


def write_results(
    folder: Path,
    model: Any,
    table: Table,
    preparation: Preparation,
    file: Path,
    options: dict[str, Any],
) -> str:
    """Write all there is to say about a fit.

    Parameters
    ----------
    folder : Path
    model : CAFHFCM
        Fitted.
    table : Table
    preparation : Preparation
    file : Path
        Where the table came from.
    options : dict
        Of the command line.

    Returns
    -------
    str
        What was left out of the memberships, or nothing.
    """
    short = write_rows(folder, model, table, preparation, model.labels_)
    centroids = preparation.in_units_of_the_file(model.cluster_centers_)
    write_centroids(folder, centroids, table.labels)
    write_json(folder / PATH, path_record(model))
    write_json(folder / SUMMARY, summary_record(model, file, options))
    preparation.write(folder / PREPARATION)
    model.save(folder / MODEL)
    return short


def load_model(path: Path) -> Any:
    """The model of a folder of results, or of a file that ``model.save`` wrote."""
    if path.is_dir() and not (path / MODEL).is_file():
        raise CommandError(
            f"the folder {path} holds no {MODEL}: give one that fastcaf cluster wrote"
        )
    return import_module("fastcaf").load(path / MODEL if path.is_dir() else path)


def preparation_of(path: Path, identifier: str | None) -> Preparation | None:
    """How rows were prepared for a model; None for a model that is not from a folder."""
    folder = path if path.is_dir() else path.parent
    if not path.is_dir() and path.name != MODEL:
        return None
    file = folder / PREPARATION
    if file.exists() or path.is_dir():
        return Preparation.read(file, identifier)
    return None
