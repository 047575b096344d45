"""The folder that ``fastcaf cluster`` writes and the other commands read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fastcaf.commands.errors import CommandError
from fastcaf.commands.output import write_centroids, write_rows
from fastcaf.commands.preparation import Preparation
from fastcaf.commands.records import path_record, summary_record, write_json
from fastcaf.storage import load
from fastcaf.tables import Table

__all__ = ["MODEL", "PREPARATION", "load_model", "preparation_of", "write_results"]

MODEL, PREPARATION = "model.fcaf", "preparation.json"
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
    if table.names and len(set(table.names)) == len(table.names):
        # As a fit to a data frame has them; from Python, predict then checks the columns.
        model.feature_names_in_ = np.array(table.names, dtype=object)
    model.save(folder / MODEL)
    return short


def load_model(path: Path) -> Any:
    """The model of a folder of results, or of a file that ``model.save`` wrote."""
    if path.is_dir() and not (path / MODEL).is_file():
        raise CommandError(
            f"the folder {path} holds no {MODEL}: give one that fastcaf cluster wrote"
        )
    return load(path / MODEL if path.is_dir() else path)


def preparation_of(path: Path, model: Any, identifier: str | None) -> Preparation:
    """How rows are prepared for a model; one that is not from a folder takes them as they are.

    The columns' names are then the model's, if it has some.
    """
    if path.is_dir():
        return Preparation.read(path / PREPARATION, identifier)
    if path.name == MODEL and (path.parent / PREPARATION).exists():
        return Preparation.read(path.parent / PREPARATION, identifier)
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    d = int(model.n_features_in_)
    return Preparation(names, list(range(d)), d, [], [], identifier)
