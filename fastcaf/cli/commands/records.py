"""The path and the summary of a fit as JSON."""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fastcaf import __version__
from fastcaf.display.report.findings import Findings, plain
from fastcaf.display.words import axis_words
from fastcaf.fusion.level import Path as FusionPath
from fastcaf.fusion.polish import INTERRUPTED
from fastcaf.storage.writing import new_text

__all__ = ["path_record", "summary_record", "versions", "was_interrupted", "write_json"]

PACKAGES = ("numpy", "numba", "scipy", "scikit-learn")


def versions() -> dict[str, str]:
    """Of Python, of fastcaf, and of the packages that it uses."""
    found = {"fastcaf": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - imported, but not installed as such
            found[name] = "unknown"
    return found


def path_record(model: Any) -> dict[str, Any]:
    """Levels and merges of every path, and which of them the answer is on."""
    return {
        "membership": model.membership_,
        "gamma": model.gamma_,
        "n_clusters": model.n_clusters_,
        "paths": {name: _one_path(path) for name, path in model.paths_.items()},
    }


def _one_path(path: FusionPath) -> dict[str, Any]:
    return {
        "n_start": len(path.start),
        "gamma_is": axis_words(path),
        "interrupted": path.interrupted,
        "levels": [
            {
                "gamma": level.gamma,
                "n_clusters": level.n_clusters,
                "objective": level.objective,
                "passes": level.n_iter,
                "converged": level.converged,
            }
            for level in path.levels
        ],
        "merges": [
            {
                "gamma": merge.gamma,
                "first": merge.first,
                "second": merge.second,
                "distance": merge.distance,
                "kind": merge.kind,
            }
            for merge in path.merges
        ],
    }


def was_interrupted(model: Any) -> bool:
    """Whether Ctrl-C ended a path, or the last passes over all rows."""
    record = model.representatives_
    return (
        any(path.interrupted for path in model.paths_.values())
        or any(doubt.startswith("Interrupted") for doubt in model.doubts_)
        or (record is not None and record.note == INTERRUPTED)
    )


def summary_record(model: Any, file: Path, options: dict[str, Any]) -> dict[str, Any]:
    """What was found, in which file, with which options and versions."""
    return {
        "file": str(file),
        **Findings.of(model).as_dict(),
        "n_clusters": model.n_clusters_,
        "gamma": model.gamma_,
        "gamma_is": axis_words(model.path_),
        "membership": model.membership_,
        "covariance_type": getattr(model, "covariance_type_", None),
        "interrupted": was_interrupted(model),
        "options": options,
        "versions": versions(),
    }


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write a record; numbers that are not finite become null, which JSON has."""
    with new_text(path) as file:
        file.write(json.dumps(plain(record), indent=1) + "\n")
