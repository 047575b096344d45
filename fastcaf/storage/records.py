"""Coordinates, membership models, candidates and other records as plain values, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from fastcaf.data.coordinates import Coordinates
from fastcaf.fusion.level import Path
from fastcaf.fusion.polish import Representatives
from fastcaf.memberships import MODELS, MembershipModel
from fastcaf.selection.candidate import Candidate
from fastcaf.selection.stability import Stability
from fastcaf.storage.archive import DamagedError, Reader, Writer
from fastcaf.storage.fields import Fields, as_json

__all__ = [
    "checked",
    "read_candidates",
    "read_coordinates",
    "read_model",
    "read_models",
    "read_representatives",
    "read_stability",
    "shapes_of",
    "write_coordinates",
    "write_model",
    "write_models",
    "write_record",
]


def checked(good: Any, what: str) -> None:
    """Complain unless ``good`` is true, for all of an array."""
    if not np.all(good):
        raise DamagedError(what)


def write_coordinates(coordinates: Coordinates, out: Writer) -> dict[str, Any]:
    """Scale and unit; the centre is an array."""
    out.add("coordinates_centre", coordinates.centre)
    return {"scale": coordinates.scale, "unit": coordinates.unit}


def read_coordinates(fields: Fields, reader: Reader, d: int) -> Coordinates:
    """The coordinates of d features."""
    centre = reader.array("coordinates_centre", (d,))
    scale, unit = fields.positive("scale"), fields.positive("unit")
    checked(
        np.frexp([scale, unit])[0] == 0.5, "the scales of the coordinates are no powers of two"
    )
    return Coordinates(centre, scale, unit)


def write_model(model: MembershipModel, out: Writer) -> dict[str, Any]:
    """The name of a membership model; its parameters are an array."""
    write_models("model", [model], out)
    return {"name": model.name, **shapes_of(model)}


def read_model(fields: Fields, reader: Reader, n_clusters: int) -> MembershipModel:
    """The model of that name with those parameters."""
    name = fields.choice("name", tuple(MODELS))
    (model,) = read_models(name, "model", fields, reader, [n_clusters])
    return model


def shapes_of(model: MembershipModel) -> dict[str, Any]:
    """How many parameters a model has, and the shape of its arrays for each cluster."""
    arrays = {name: list(one.shape[1:]) for name, one in model.arrays.items()}
    return {"n_parameters": len(model.parameters), "arrays": arrays}


def write_models(prefix: str, models: list[MembershipModel], out: Writer) -> None:
    """Models of one kind, one under the other: parameters, and arrays by cluster."""
    out.add(f"{prefix}_parameters", np.stack([one.parameters for one in models]))
    for array in models[0].arrays:
        whole = np.concatenate([one.arrays[array] for one in models])
        out.add(f"{prefix}_array_{array}", whole)


def read_models(
    name: str, prefix: str, fields: Fields, reader: Reader, sizes: list[int]
) -> list[MembershipModel]:
    """The models of that name, for so many clusters each."""
    shape = (len(sizes), fields.integer("n_parameters"))
    parameters = reader.array(f"{prefix}_parameters", shape)
    try:
        models = [MODELS[name].from_parameters(one) for one in parameters]
    except ValueError as problem:
        raise DamagedError(f"{name} memberships: {problem}") from None
    shapes = fields.within("arrays")
    borders = np.cumsum(sizes)[:-1]
    for array in shapes.record:
        whole = reader.array(f"{prefix}_array_{array}", (sum(sizes), *shapes.integers(array)))
        parts = np.split(whole, borders)
        models = [
            one.with_arrays({**one.arrays, array: part})
            for one, part in zip(models, parts, strict=True)
        ]
    return models


# What null means in a record: nothing there, unless this says more.
NONE = {
    "score": -np.inf,  # the rule says nothing
    "gamma_end": np.inf,  # the range has no end: one cluster
    "cluster_gap": np.inf,  # no second cluster
    "objective": np.inf,  # beyond the range of floats, as are the others of the fit
    "objective_on_rows": np.inf,
}


def write_record(record: Any) -> dict[str, Any]:
    """A record without arrays."""
    return {
        name: as_json(value, NONE.get(name, np.nan), f"{type(record).__name__}.{name}")
        if isinstance(value, float)
        else value
        for name, value in asdict(record).items()
    }


def _number(fields: Fields, name: str) -> float:
    return fields.number(name, none=NONE.get(name, np.nan))


def read_candidates(records: list[Fields], paths: dict[str, Path]) -> list[Candidate]:
    """Candidates, each on a level of one of the paths."""
    return [_candidate(one, paths) for one in records]


def _candidate(fields: Fields, paths: dict[str, Path]) -> Candidate:
    membership = fields.choice("membership", tuple(paths))
    levels = paths[membership].levels
    level = fields.integer("level", 0, len(levels) - 1)
    n = levels[level].n_clusters
    return Candidate(
        fields.integer("n_clusters", 1, n),
        _number(fields, "score"),
        fields.number("gamma_start"),
        _number(fields, "gamma_end"),
        level,
        membership,
        _number(fields, "separation"),
        _number(fields, "weakest_separation"),
        _number(fields, "cluster_gap"),
        fields.text("reason"),
        _number(fields, "likelihood"),
        _number(fields, "n_parameters"),
        fields.text("covariance_type"),
        fields.flag("heavy_tails"),
        _number(fields, "valley"),
    )


def read_representatives(fields: Fields, n_rows: int) -> Representatives:
    """What is known of the representatives of so many rows."""
    return Representatives(
        fields.integer("n_representatives", 1, n_rows),
        fields.integer("n_rows", n_rows, n_rows),
        fields.number("within_share"),
        _number(fields, "objective"),
        _number(fields, "objective_on_rows"),
        fields.integer("n_iter"),
        fields.flag("polished"),
        fields.text("note"),
    )


def read_stability(fields: Fields) -> Stability:
    """What other starts said."""
    return Stability(fields.integer("n_clusters", 1), tuple(fields.integers("others")))
