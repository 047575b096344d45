"""What is doubtful about a fit of ``ConvexClustering``, as warnings."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastcaf.exceptions import (
    BeyondPathWarning,
    ConvergenceWarning,
    DisconnectedWeightsWarning,
    InterruptedFitWarning,
    warn,
)
from fastcaf.fusion.cuts import past_end

__all__ = ["warn_of_doubts"]


def warn_of_doubts(model: Any, ended: str) -> None:
    """Warn of a graph in parts, of a path that ended early, of a gap above the tolerance.

    ``ended`` says what ended the path, if anything did.
    """
    path, last = model.path_, model.path_.levels[-1]
    if model.n_components_ > 1:
        way_out = "Raise n_neighbors" if isinstance(model.weights, str) else "Add weights"
        warn(
            f"The graph of weights has {model.n_components_} components without an edge "
            f"between them: the path ends with {model.n_components_} clusters, and cuts with "
            f"fewer join those by average linkage. {way_out} to connect them.",
            DisconnectedWeightsWarning,
        )
    if path.interrupted:
        warn(
            f"The path was {ended} at gamma = {last.gamma:.6g} with {last.n_clusters} "
            "clusters: the answer rests on the levels reached.",
            InterruptedFitWarning,
        )
    if model.gamma is not None and np.ndim(model.gamma) == 0:
        if message := past_end(path, float(model.gamma)):
            warn(message, BeyondPathWarning)
    if not model.converged_:
        warn(
            f"The duality gap is {model.duality_gap_:.2g} after max_iter={model.max_iter} "
            f"sweeps, above tol={model.tol}. Raise max_iter or tol.",
            ConvergenceWarning,
        )
