"""Which level of a clusterpath to report: its partitions before the judge of the default rule.

Every number of clusters on the path is a partition of the rows, and the judge
(``judge.py``) asks of each how likely rows and labels are together, and whether there are
valleys between its clusters; ``decided`` weighs one cluster against several.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.convex_path import leaf_labels
from fastcaf.fusion.level import Path
from fastcaf.selection.groupings import grouping_of
from fastcaf.selection.judge import Judge
from fastcaf.selection.likelihood_search import Weighing, decided
from fastcaf.selection.plateaus import Plateau

__all__ = ["CONVEX", "weigh_levels"]

CONVEX = "convex"  # the name of the path
# Numbers of clusters up to so many times sqrt(n) are judged, n the distinct rows, as on paths
# of CAFHFCM.
MOST_A_ROOT = 2.0


def weigh_levels(
    path: Path, leaves: NDArray[np.int64], training: TrainingData
) -> Weighing | None:
    """Judge the partitions of a path, and choose one.

    Parameters
    ----------
    path : Path
        In the user's units.
    leaves : ndarray
        The leaf of the tree for every row that counts.
    training : TrainingData
        The rows.

    Returns
    -------
    Weighing or None
        ``chosen.grouping.level`` is the level to report; None where the path has no number of
        clusters that can be judged.
    """
    judge, rows, seen = Judge(training), training.rows.in_memory(), set[bytes]()
    plateaus = _plateaus(path, training)
    n_distinct = training.n_distinct
    most = min(max(2.0, MOST_A_ROOT * np.sqrt(n_distinct)), n_distinct)
    few = [one for one in plateaus if one.n_clusters <= most]
    judged = []
    for plateau in few:
        labels = leaf_labels(path.tree, plateau.internal_level)[leaves]
        grouping = grouping_of(CONVEX, plateau, labels.astype(np.int32), rows, seen)
        if grouping is not None:
            judged.append(judge.judge(grouping))
    return decided(judge, judged) if judged else None


def _plateaus(path: Path, training: TrainingData) -> list[Plateau]:
    """Runs of levels with one number of clusters; the last one goes on if nothing can fuse."""
    counts, gammas = path.n_clusters, path.gammas
    borders = [0, *(np.flatnonzero(np.diff(counts)) + 1).tolist(), len(counts)]
    ends = np.append(gammas, np.inf if counts[-1] == 1 else gammas[-1])
    return [
        Plateau(
            n_clusters=int(counts[start]),
            n_before=int(counts[max(0, start - 1)]),
            first=start,
            last=stop - 1,
            gamma_start=float(gammas[start]),
            gamma_end=float(ends[stop]),
            internal_level=path.levels[(start + stop - 1) // 2],
            training=training,
        )
        for start, stop in pairwise(borders)
    ]
