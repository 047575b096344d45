"""What fitted estimators hold, in parts that several of them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.fusion.hierarchy import linkage_matrix
from fastcaf.memberships import PATHS as PATH_NAMES
from fastcaf.storage.archive import Reader, Writer
from fastcaf.storage.fields import Fields, as_json
from fastcaf.storage.paths import read_path, write_path
from fastcaf.storage.records import (
    checked,
    read_candidates,
    read_coordinates,
    read_model,
    read_representatives,
    read_stability,
    write_coordinates,
    write_model,
    write_record,
)

__all__ = [
    "CENTROIDS",
    "CLUSTERPATH",
    "COMPETITION",
    "ENDING",
    "LABELS",
    "PATHS",
    "Part",
    "Size",
]


@dataclass(frozen=True)
class Size:
    """Rows, features and clusters of a fit."""

    n: int
    d: int
    c: int


@dataclass(frozen=True)
class Part:
    """How some attributes are written, and read into a model that has none yet."""

    write: Callable[[Any, Writer], dict[str, Any]]
    read: Callable[[Any, Fields, Reader, Size], None]


def positive(reader: Reader, name: str, shape: tuple[int, ...]) -> NDArray:
    """An array without numbers below 0."""
    values = reader.array(name, shape)
    checked(values >= 0.0, f"{name} has numbers below 0")
    return values


# Labels, in the least bytes that hold them


def _label_type(n_clusters: int, least: int) -> np.dtype:
    """The shortest whole numbers for labels that begin at 0, or at -1."""
    return np.min_scalar_type(n_clusters - 1 if least == 0 else -n_clusters)


def _write_labels(model: Any, out: Writer) -> dict[str, Any]:
    least = min(int(model.labels_.min(initial=0)), 0)
    out.add("labels", model.labels_, _label_type(model.n_clusters_, least))
    return {"least_label": least} if least else {}


def _read_labels(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    least = 0
    if "least_label" in fields.record:  # rows that belong to the noise
        least = fields.integer("least_label", -1, -1)
    labels = reader.array("labels", (size.n,), _label_type(size.c, least))
    checked((labels < size.c) & (labels >= least), f"labels beyond the {size.c} clusters")
    model.labels_ = labels.astype(np.int32)
    model.n_clusters_ = model._n_features_out = size.c


LABELS = Part(_write_labels, _read_labels)


# Centroids with fuzzy memberships, and the coordinates in which predictions are made


def _write_centroids(model: Any, out: Writer) -> dict[str, Any]:
    out.add("centers", model.cluster_centers_)
    out.add("means", model.cluster_means_)
    out.add("masses", model.cluster_masses_)
    out.add("confidences", model.cluster_confidences_)
    return {
        "objective": as_json(model.objective_, np.inf, "objective_"),
        "coordinates": write_coordinates(model._coordinates, out),
        "model": write_model(model._fitted_model, out),
    }


def _read_centroids(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    model.cluster_centers_ = reader.array("centers", (size.c, size.d))
    model.cluster_means_ = reader.array("means", (size.c, size.d))
    model.cluster_masses_ = positive(reader, "masses", (size.c,))
    model.cluster_confidences_ = positive(reader, "confidences", (size.c,))
    model.objective_ = fields.number(
        "objective", none=np.inf
    )  # null: beyond the range of floats
    model._coordinates = read_coordinates(fields.within("coordinates"), reader, size.d)
    model._fitted_model = read_model(fields.within("model"), reader, size.c)
    model._memberships = None
    model._training_rows = None
    model._training_weights = np.empty(0)


CENTROIDS = Part(_write_centroids, _read_centroids)


# How an iteration ended


def _write_ending(model: Any, out: Writer) -> dict[str, Any]:
    return {"n_iter": int(model.n_iter_), "converged": bool(model.converged_)}


def _read_ending(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    model.n_iter_ = fields.integer("n_iter")
    model.converged_ = fields.flag("converged")


ENDING = Part(_write_ending, _read_ending)


# Paths, and what was chosen on them


def _write_paths(model: Any, out: Writer) -> dict[str, Any]:
    representatives = model.representatives_
    return {
        "paths": {name: write_path(path, name, out) for name, path in model.paths_.items()},
        "membership": model.membership_,
        "gamma": float(model.gamma_),
        "selection": [write_record(one) for one in model.selection_],
        "representatives": representatives and write_record(representatives),
        "stability": model.stability_ and write_record(model.stability_),
        "verdict": model.verdict_,
        "doubts": list(model.doubts_),
    }


def _read_paths(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    paths = fields.within("paths")
    checked(paths.record.keys() <= set(PATH_NAMES), "a path has the name of no path")
    model.paths_ = {
        name: read_path(paths.within(name), name, reader, size.d) for name in paths.record
    }
    model.membership_ = fields.choice("membership", tuple(model.paths_))
    model.path_ = model.paths_[model.membership_]
    model.linkage_ = linkage_matrix(model.path_.merges)
    model.selection_ = read_candidates(fields.records("selection"), model.paths_)
    model.gamma_ = fields.number("gamma")
    model.stability_ = None
    if fields.raw("stability") is not None:
        model.stability_ = read_stability(fields.within("stability"))
    model.verdict_ = fields.text("verdict")
    model.doubts_ = fields.texts("doubts")
    model.representatives_ = None
    if fields.raw("representatives") is not None:
        record = fields.within("representatives")
        model.representatives_ = read_representatives(record, size.n)


PATHS = Part(_write_paths, _read_paths)


# The path of convex clustering

CONVEX = "convex"


def _write_clusterpath(model: Any, out: Writer) -> dict[str, Any]:
    out.add("leaves", model._leaves, np.int64)
    return {
        "path": write_path(model.path_, CONVEX, out),
        "gamma": float(model.gamma_),
        "duality_gap": as_json(model.duality_gap_, np.inf, "duality_gap_"),
        "n_components": int(model.n_components_),
        "selection": [write_record(one) for one in model.selection_],
    }


def _read_clusterpath(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    path = read_path(fields.within("path"), CONVEX, reader, size.d)
    leaves = reader.array("leaves", (size.n,), np.int64)
    checked((leaves >= 0) & (leaves < len(path.start)), "a row begins as no centroid")
    model.path_, model._leaves = path, leaves
    model.linkage_ = linkage_matrix(path.merges)
    model.selection_ = read_candidates(fields.records("selection"), {CONVEX: path})
    model.gamma_ = fields.number("gamma")
    model.duality_gap_ = fields.number("duality_gap", none=np.inf)
    model.n_components_ = fields.integer("n_components", 1)


CLUSTERPATH = Part(_write_clusterpath, _read_clusterpath)


# The competition of RLFCM


def _write_competition(model: Any, out: Writer) -> dict[str, Any]:
    out.add("centers", model.cluster_centers_)
    out.add("proportions", model.proportions_)
    return {"r1": float(model.r1_), "r2": float(model.r2_)}


def _read_competition(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    model.cluster_centers_ = reader.array("centers", (size.c, size.d))
    proportions = positive(reader, "proportions", (size.c,))
    checked(abs(proportions.sum() - 1.0) < 1e-6, "the proportions do not sum to 1")
    model.proportions_ = proportions
    model.r1_, model.r2_ = fields.number("r1"), fields.number("r2")
    checked(
        0.0 <= model.r1_ <= 1.0 and 0.0 <= model.r2_ <= 1.0, "the rates are not between 0 and 1"
    )


COMPETITION = Part(_write_competition, _read_competition)
