"""What a page knows about a fit: plain lists, numbers and strings, ready for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.display.colours import cluster_colours
from fastcaf.display.explorer.branches import branch_colours
from fastcaf.display.explorer.packing import packed, short
from fastcaf.display.explorer.rows import PageRows, rows_for_page
from fastcaf.display.explorer.scene import Scene
from fastcaf.display.explorer.stops import BUTTONS, Stop, nearest_stop, reported_stop, stops_of
from fastcaf.display.report import Findings, text_report
from fastcaf.display.words import axis_words
from fastcaf.memberships.noise import rest_of

__all__ = ["page_content"]

STRENGTHS = 63  # steps from the least to the largest membership: more than eyes tell apart


def page_content(model: Any, X: Any = None) -> dict[str, Any]:
    """Everything that the page of a fitted model shows.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), data frame, RowBlocks or None
        Rows to show; None: those of the fit.

    Returns
    -------
    dict
    """
    rows = rows_for_page(model, X)
    names = [model.membership_, *(name for name in model.paths_ if name != model.membership_)]
    stops = {name: stops_of(model, name) for name in names}
    scene = Scene.of(
        model, rows, [one.level.centroids for name in names for one in stops[name]]
    )
    reported = reported_stop(model, stops[model.membership_])
    found = Findings.of(model)
    return {
        "headline": found.headline,
        "shape": found.shape,
        "doubts": found.doubts,
        "summary": text_report(model),
        "notes": _notes(model, rows, stops, X is None),
        "rows": {
            "total": rows.total,
            "numbers": packed(np.diff(rows.numbers, prepend=0)),
            "shown": packed(np.diff(rows.shown, prepend=0)),
            "allLabelled": rows.all_labelled,
        },
        "axes": scene.as_dict(),
        "points": packed(scene.points.T),
        "palette": cluster_colours(len(model.path_.start)),
        "paths": [_path(model, name, stops[name], rows, scene) for name in names],
        "buttons": _buttons(model, names, stops, reported),
        "start": reported,
    }


def _path(
    model: Any, name: str, stops: list[Stop], rows: PageRows, scene: Scene
) -> dict[str, Any]:
    """One path: its levels, its stops, its tree, and the rows at every stop."""
    path = model.paths_[name]
    labels = np.array(
        [model._labels(rows.inside, stop.level.centroids, stop.level.model) for stop in stops]
    )
    strengths = np.empty((len(stops), len(rows.shown)), dtype=np.int64)
    shown = []
    for i, stop in enumerate(stops):
        memberships = model._row_memberships(
            rows.inside[rows.shown], stop.level.centroids, stop.level.model
        )
        every = np.column_stack([memberships, rest_of(memberships)])  # the last is noise: -1
        own = every[np.arange(len(rows.shown)), labels[i, rows.shown]]
        strengths[i] = np.rint(STRENGTHS * own)
        shown.append(_stop(stop, memberships, scene))
    noise = int((labels < 0).any())
    anchor = stops[_anchor(model, name, stops)].level.nodes
    return {
        "name": name,
        "axis": axis_words(path),
        "gammas": short(path.gammas, 8),
        "numbers": path.n_clusters.tolist(),
        "stops": shown,
        "starts": len(path.start),
        "merges": [
            [one.first, one.second, float(one.gamma), one.kind, one.survivor]
            for one in path.merges
        ],
        "colours": branch_colours(path, anchor),
        "noise": noise,  # labels are one more then, and 0 is noise
        "labels": packed(labels.T + noise),  # the stops of a row together: that packs better
        "strengths": packed(strengths.T),
        "finest": STRENGTHS,
    }


def _anchor(model: Any, name: str, stops: list[Stop]) -> int:
    """The stop whose clusters get the first colours: the reported one, or the most alike."""
    if name == model.membership_:
        return reported_stop(model, stops)
    return int(np.argmin([abs(stop.level.n_clusters - model.n_clusters_) for stop in stops]))


def _stop(stop: Stop, memberships: NDArray, scene: Scene) -> dict[str, Any]:
    level = stop.level
    return {
        "level": stop.position,
        "gamma": float(level.gamma),
        "nodes": level.nodes.tolist(),
        "mass": short(level.mass),
        "confidence": short(_confidence(memberships), 3),
        "places": scene.places(level.centroids).T.tolist(),
    }


def _confidence(memberships: NDArray) -> FloatArray:
    """Mean membership of each cluster's own mass."""
    mass = memberships.sum(axis=0, dtype=np.float64)
    squares = np.square(memberships, dtype=np.float64).sum(axis=0)
    return squares / np.maximum(mass, np.finfo(np.float64).tiny)


def _buttons(
    model: Any, names: list[str], stops: dict[str, list[Stop]], reported: int
) -> list[dict[str, Any]]:
    """Candidates to jump to, best first, and the reported level where it is none of them."""
    buttons = []
    for i, one in enumerate(model.selection_[:BUTTONS]):
        buttons.append(
            {
                "clusters": one.n_clusters,
                "note": "best" if i == 0 else "",
                "path": names.index(one.membership),
                "stop": nearest_stop(stops[one.membership], one.level),
                "reason": one.reason,
            }
        )
    for button in buttons:
        if button["path"] == 0 and button["stop"] == reported:
            button["note"] = button["note"] or "reported"
            return buttons
    own = {
        "clusters": stops[names[0]][reported].level.n_clusters,
        "note": "reported",
        "path": 0,
        "stop": reported,
        "reason": "The level that the fit was asked for.",
    }
    return [own, *buttons]


def _notes(model: Any, rows: PageRows, stops: dict[str, list[Stop]], of_fit: bool) -> list[str]:
    """What the page leaves out, and what its numbers rest on."""
    notes = []
    if len(rows.shown) < rows.total:
        notes.append(f"{len(rows.shown):,} of {rows.total:,} rows shown, drawn at random.")
    if not of_fit:
        notes.append("The rows were given to explore(); masses are those of the fit.")
    for name, chosen in stops.items():
        n_levels = len(model.paths_[name].levels)
        sent = sum(stop.level.exact for stop in chosen)
        if sent < n_levels:
            notes.append(f"{sent} of the {n_levels} levels of the {name} path can be chosen.")
    if model.representatives_ is not None:
        notes.append(
            "Levels are those of the representatives. The reported clusters then settled on "
            "all rows, so that labels_ may differ from this page in some rows."
        )
    if any(not stop.level.exact for stop in stops[model.membership_]):
        notes.append(
            f"The path skips {model.n_clusters_} clusters: that stop lies between two levels."
        )
    return notes
