"""fastcaf: fast fuzzy clustering on CPUs that finds the number of clusters by itself."""

from typing import Any

from fastcaf import convex_objective, objective
from fastcaf.data.row_blocks import RowBlocks
from fastcaf.estimators import CAFHFCM, RLFCM, ConvexClustering, Cut, FuzzyCMeans
from fastcaf.estimators.warm_up import warm_up
from fastcaf.exceptions import (
    BeyondPathWarning,
    CloseCandidatesWarning,
    DegenerateDataWarning,
    DisconnectedWeightsWarning,
    EmptyClustersWarning,
    FastcafWarning,
    FractionalWeightsWarning,
    InterruptedFitWarning,
    KernelCacheWarning,
    ModelFileError,
    NoClearStructureWarning,
    UnstableNumberWarning,
    UnstoredParameterWarning,
)
from fastcaf.fusion.polish import Representatives
from fastcaf.fusion.solve_gamma import solve_gamma
from fastcaf.selection.scorer import separation_score
from fastcaf.selection.stability import Stability
from fastcaf.storage import load

__version__ = "0.1.0"

__all__ = [
    "CAFHFCM",
    "RLFCM",
    "BeyondPathWarning",
    "CloseCandidatesWarning",
    "ConvexClustering",
    "Cut",
    "DegenerateDataWarning",
    "DisconnectedWeightsWarning",
    "EmptyClustersWarning",
    "FastcafWarning",
    "FractionalWeightsWarning",
    "FuzzyCMeans",
    "InterruptedFitWarning",
    "KernelCacheWarning",
    "ModelFileError",
    "NoClearStructureWarning",
    "Representatives",
    "RowBlocks",
    "Stability",
    "UnstableNumberWarning",
    "UnstoredParameterWarning",
    "convex_objective",
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
        import fastcaf.display.plot as plot

        return plot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
