"""The folder that ``fastcaf cluster`` writes and the other commands read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fastcaf.cli.commands.errors import CommandError
from fastcaf.cli.commands.output import (
    CENTROIDS,
    LABELS,
    MEANS,
    MEMBERSHIPS,
    write_places,
    write_rows,
)
from fastcaf.cli.commands.preparation import Preparation
from fastcaf.cli.commands.records import path_record, summary_record, write_json
from fastcaf.cli.tables import Table
from fastcaf.storage import load

__all__ = ["MODEL", "PREPARATION", "RESULTS", "load_model", "preparation_of", "write_results"]

MODEL, PREPARATION = "model.fcaf", "preparation.json"
PATH, SUMMARY = "path.json", "summary.json"
RESULTS = (LABELS, MEMBERSHIPS, MEANS, CENTROIDS, PATH, SUMMARY, PREPARATION, MODEL)
# Ends the names of a model's features where it takes scaled rows: the file alone says so, and
# pictures are labelled with what they show.
STANDARDISED = " (standardised)"


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
    raw = bool(options.get("raw"))
    short = write_rows(folder, model, table, preparation, model.labels_, raw=raw)
    for name, places in ((CENTROIDS, model.cluster_centers_), (MEANS, model.cluster_means_)):
        here = preparation.in_units_of_the_file(places)
        write_places(folder / name, here, table.labels, raw=raw)
    write_json(folder / PATH, path_record(model))
    write_json(folder / SUMMARY, summary_record(model, file, options))
    preparation.write(folder / PREPARATION)
    names = _feature_names(table, standardised=bool(preparation.mean))
    if names:
        # As a fit to a data frame has them; from Python, predict then checks the columns.
        model.feature_names_in_ = np.array(names, dtype=object)
    (folder / MODEL).touch(0o600)  # its mode stays
    model.save(folder / MODEL)
    return short


def _feature_names(table: Table, *, standardised: bool) -> list[str]:
    """What the model calls its features; nothing where the table has no names."""
    names = table.names if len(set(table.names)) == len(table.names) else []
    if not standardised:
        return names
    known = names or [f"column {column + 1}" for column in table.columns]
    return [name + STANDARDISED for name in known]


def load_model(path: Path) -> Any:
    """The model of a folder of results, or of a file that ``model.save`` wrote."""
    if path.is_dir() and not (path / MODEL).is_file():
        raise CommandError(
            f"the folder {path} holds no {MODEL}: give one that fastcaf cluster wrote"
        )
    return load(path / MODEL if path.is_dir() else path)


def preparation_of(path: Path, model: Any, identifier: str | None) -> Preparation:
    """How rows are prepared for a model; one that is not from a folder takes them as they are.

    The columns' names are then the model's, if it has some.  A model of standardised rows is
    refused without its scaling: raw rows would get labels, and wrong ones.
    """
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    folder = path if path.is_dir() else path.parent
    if path.is_dir() or (path.name == MODEL and (folder / PREPARATION).exists()):
        found = Preparation.read(folder / PREPARATION, identifier)
    else:
        d = int(model.n_features_in_)
        found = Preparation(names, list(range(d)), d, [], [], identifier)
    if not found.mean and any(name.endswith(STANDARDISED) for name in names):
        raise CommandError(
            f"{path} was fitted to standardised rows, and the {PREPARATION} with their scaling "
            f"is not beside it: give the folder that fastcaf cluster wrote"
        )
    return found
