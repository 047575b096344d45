"""Words for what plots, pages and reports say about shapes of clusters and axes of paths."""

from __future__ import annotations

import math
from typing import Any

from fastcaf.fusion.level import Path
from fastcaf.selection.shapes import SHAPES

__all__ = ["NATS_LOST", "axis_words", "by_loss", "number", "path_words", "shape_words"]

NATS_LOST = "likelihood lost by merging (nats)"
BY_TYPE = {shape.covariance_type: shape for shape in SHAPES}


def by_loss(path: Path) -> bool:
    """Whether a path is one of merges, whose levels have a loss in the place of gamma."""
    return path.levels[0].by_loss


def axis_words(path: Path, gamma: str = "gamma") -> str:
    """The name of the axis along a path: ``gamma``, or what merges lose."""
    return NATS_LOST if by_loss(path) else gamma


def path_words(model: Any, name: str) -> str:
    """What a path of a fitted model is called, as in "fcm memberships" and "full path".

    Where a mixture is reported its memberships are not those of the path.
    """
    mixed = by_loss(model.paths_[name]) or math.isfinite(model.selection_[0].likelihood)
    return f"{name} path" if mixed else f"{name} memberships"


def shape_words(covariance_type: str, n_clusters: int, n_features: int) -> str:
    """The shape of clusters for people, as in "round, of equal spread".

    One cluster is like no other, and one feature has no directions.  Nothing where clusters
    have no shapes.
    """
    if covariance_type not in BY_TYPE:
        return ""
    shape = BY_TYPE[covariance_type]
    if n_clusters == 1:
        return "round" if shape.is_round or n_features == 1 else "elongated"
    if n_features == 1:
        return "of equal spread" if shape.is_tied else "of unequal spread"
    return shape.words


def number(value: float, how: str) -> str:
    """A number as ``how`` formats it; a dash, as wide, where there is none."""
    if not math.isnan(value):
        return format(value, how)
    width = how.partition(".")[0].rstrip(",")
    return format("-", f">{width}") if width else "-"
