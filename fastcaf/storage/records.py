"""Frames, membership models, candidates and other records as plain values, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from fastcaf.data.coordinates import Coordinates
from fastcaf.fusion.level import Path
from fastcaf.fusion.polish import Representatives
from fastcaf.memberships import EntropyMemberships, FuzzyMemberships, MembershipModel
from fastcaf.selection.rules import Candidate
from fastcaf.storage.archive import DamagedError, Reader, Writer
from fastcaf.storage.fields import Fields, as_json

__all__ = [
    "MODELS",
    "checked",
    "model_numbers",
    "model_of",
    "read_candidates",
    "read_coordinates",
    "read_model",
    "read_representatives",
    "write_coordinates",
    "write_model",
    "write_record",
]

MODELS = ("fcm", "entropy")


def checked(good: Any, what: str) -> None:
    """Complain unless ``good`` holds, for all of an array."""
    if not np.all(good):
        raise DamagedError(what)


def write_coordinates(coordinates: Coordinates, out: Writer) -> dict[str, Any]:
    """The coordinates's numbers; its centre is an array."""
    out.add("coordinates_centre", coordinates.centre)
    return {"scale": coordinates.scale, "unit": coordinates.unit}


def read_coordinates(fields: Fields, reader: Reader, d: int) -> Coordinates:
    """The coordinates of d features."""
    centre = reader.array("coordinates_centre", (d,))
    checked(np.isfinite(centre), "the centre of the coordinates is not finite")
    scale, unit = fields.positive("scale"), fields.positive("unit")
    checked(
        np.frexp([scale, unit])[0] == 0.5, "the scales of the coordinates are no powers of two"
    )
    return Coordinates(centre, scale, unit)


def write_model(model: MembershipModel) -> dict[str, Any]:
    """Name, parameter and features."""
    parameter, features = model_numbers(model)
    return {"name": model.name, "parameter": parameter, "n_features": features}


def read_model(fields: Fields) -> MembershipModel:
    """The model of that name."""
    name = fields.choice("name", MODELS)
    return model_of(name, fields.number("parameter"), fields.integer("n_features", 1))


def model_numbers(model: MembershipModel) -> tuple[float, int]:
    """Parameter (fuzzifier or temperature) and number of features."""
    if isinstance(model, EntropyMemberships):
        return float(model.temperature), int(model.n_features)
    return float(model.fuzzifier), 1


def model_of(name: str, parameter: float, n_features: int) -> MembershipModel:
    """The model of that name with these numbers."""
    if name == "entropy":
        checked(0.0 <= parameter < np.inf, f"a temperature of {parameter} cannot be")
        return EntropyMemberships(parameter, n_features)
    checked(1.0 < parameter <= 100.0, f"a fuzzifier of {parameter} cannot be")
    return FuzzyMemberships(parameter)


def write_record(record: Any) -> dict[str, Any]:
    """A record without arrays."""
    return {
        name: as_json(value) if isinstance(value, float) else value
        for name, value in asdict(record).items()
    }


def read_candidates(records: list[Fields], paths: dict[str, Path]) -> list[Candidate]:
    """Candidates, each on a level of one of the paths."""
    return [_candidate(one, paths) for one in records]


def _candidate(fields: Fields, paths: dict[str, Path]) -> Candidate:
    membership = fields.choice("membership", tuple(paths))
    levels = paths[membership].levels
    level = fields.integer("level", 0, len(levels) - 1)
    n = levels[level].n_clusters
    return Candidate(
        fields.integer("n_clusters", n, n),
        fields.number("score", finite=False),
        fields.number("gamma_start", finite=False),
        fields.number("gamma_end", finite=False),
        level,
        membership,
        fields.number("separation", finite=False),
        fields.number("weakest_separation", finite=False),
        fields.number("cluster_gap", finite=False),
        fields.text("reason"),
    )


def read_representatives(fields: Fields, n_rows: int) -> Representatives:
    """How representatives stood in for the rows."""
    return Representatives(
        fields.integer("n_representatives", 1, n_rows),
        fields.integer("n_rows", n_rows, n_rows),
        fields.number("within_share"),
        fields.number("objective", finite=False),
        fields.number("objective_on_rows", finite=False),
        fields.integer("n_iter"),
        fields.flag("polished"),
        fields.text("note"),
    )
