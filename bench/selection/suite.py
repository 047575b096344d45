"""Labelled sets of the folder FASTCAF_DATA, and the paper's sets."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bench.selection.paper_sets import paper_sets
from bench.selection.sets import NOISE, LabelledSet


def data_folder() -> Path | None:
    """The folder named by FASTCAF_DATA, or None with a message."""
    named = os.environ.get("FASTCAF_DATA")
    if named and Path(named).is_dir():
        return Path(named)
    print("FASTCAF_DATA names no folder: the suite, Seeds and Breast are left out.")
    return None


def read(folder: Path, name: str, has_noise: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of one set; label 0 is noise where the index says so."""
    rows = np.loadtxt(folder / f"{name}.data.gz", ndmin=2)
    labels = np.loadtxt(folder / f"{name}.labels.gz", dtype=int)
    return rows, np.where(labels == 0, NOISE, labels) if has_noise else labels


def folder_sets(folder: Path) -> Iterator[LabelledSet]:
    """What INDEX.csv lists; a set's family is the first part of its name."""
    with open(folder / "INDEX.csv", newline="") as file:
        for row in csv.DictReader(file):
            yield LabelledSet(
                name=row["name"],
                family=row["name"].split("-")[0],
                seed=0,
                n_clusters=int(row["k"]),
                make=partial(read, folder, row["name"], int(row["n_noise"]) > 0),
            )


def suite_sets(quick: bool = False) -> Iterator[LabelledSet]:
    """The paper's sets, then the folder's; in quick runs the paper's alone."""
    folder = data_folder()
    yield from paper_sets(folder)
    if folder is not None and not quick:
        if (folder / "suite" / "INDEX.csv").exists():
            yield from folder_sets(folder / "suite")
        else:
            print(f"{folder} holds no suite/INDEX.csv: the suite is left out.")
