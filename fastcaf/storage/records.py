"""Coordinates, membership models, candidates and other records as plain values, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from fastcaf._typing import FloatArray
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
    "model_from",
    "model_parameters",
    "read_candidates",
    "read_coordinates",
    "read_model",
    "read_representatives",
    "write_coordinates",
    "write_model",
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
    checked(np.isfinite(centre), "the centre of the coordinates is not finite")
    scale, unit = fields.positive("scale"), fields.positive("unit")
    checked(
        np.frexp([scale, unit])[0] == 0.5, "the scales of the coordinates are no powers of two"
    )
    return Coordinates(centre, scale, unit)


def write_model(model: MembershipModel, out: Writer) -> dict[str, Any]:
    """The name of a membership model; its parameters are an array."""
    parameters = model_parameters(model)
    out.add("model_parameters", parameters)
    return {"name": model.name, "n_parameters": len(parameters)}


def read_model(fields: Fields, reader: Reader) -> MembershipModel:
    """The model of that name with those parameters."""
    name = fields.choice("name", tuple(MODELS))
    n_parameters = fields.integer("n_parameters")
    return model_from(name, reader.array("model_parameters", (n_parameters,)))


def model_parameters(model: MembershipModel) -> FloatArray:
    """All numbers that a membership model is made of."""
    if isinstance(model, EntropyMemberships):
        return np.array([model.temperature, float(model.n_features)])
    return np.array([model.fuzzifier])


def model_from(name: str, parameters: FloatArray) -> MembershipModel:
    """The model of that name with these parameters, which must be possible."""
    try:
        return MODELS[name](parameters)
    except ValueError as problem:
        raise DamagedError(f"{name} memberships: {problem}") from None


def _fuzzy(parameters: FloatArray) -> MembershipModel:
    (fuzzifier,) = parameters.tolist()
    if not 1.0 < fuzzifier <= 100.0:
        raise ValueError(f"a fuzzifier of {fuzzifier} cannot be")
    return FuzzyMemberships(fuzzifier)


def _entropy(parameters: FloatArray) -> MembershipModel:
    temperature, n_features = parameters.tolist()
    if not 0.0 <= temperature < np.inf:
        raise ValueError(f"a temperature of {temperature} cannot be")
    if not (n_features >= 1.0 and n_features.is_integer()):
        raise ValueError(f"{n_features} features cannot be")
    return EntropyMemberships(temperature, int(n_features))


MODELS = {"fcm": _fuzzy, "entropy": _entropy}  # how each is made of its parameters


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
    """What is known of the representatives of so many rows."""
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
