"""fastcaf: fast fuzzy clustering on CPUs that finds the number of clusters by itself."""

from typing import Any

from fastcaf import objective
from fastcaf.blocks import RowBlocks
from fastcaf.estimators import CAFHFCM, RLFCM, Cut, FuzzyCMeans
from fastcaf.exceptions import (
    BeyondPathWarning,
    CloseCandidatesWarning,
    DegenerateDataWarning,
    FastcafWarning,
    InterruptedFitWarning,
    ModelFileError,
    NoClearStructureWarning,
    UnstoredParameterWarning,
)
from fastcaf.polish import Representatives
from fastcaf.scoring import separation_score
from fastcaf.solve import GammaSolution, solve_gamma
from fastcaf.storage import load
from fastcaf.warming import warm_up

__version__ = "0.1.0"

__all__ = [
    "CAFHFCM",
    "RLFCM",
    "BeyondPathWarning",
    "CloseCandidatesWarning",
    "Cut",
    "DegenerateDataWarning",
    "FastcafWarning",
    "FuzzyCMeans",
    "GammaSolution",
    "InterruptedFitWarning",
    "ModelFileError",
    "NoClearStructureWarning",
    "Representatives",
    "RowBlocks",
    "UnstoredParameterWarning",
    "load",
    "objective",
    "plot",
    "separation_score",
    "solve_gamma",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    """The plots, imported when first asked for."""
    if name == "plot":
        import fastcaf.plot as plot

        return plot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
