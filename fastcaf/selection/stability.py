"""How many other starts lead to the same number of clusters.

A fit has one start.  Each check takes another one, of few components: somewhat more than the
clusters found, drawn by k-means++, and where there are many rows, on a sample of them.  They
are merged in the order of the likelihood as in the fit, and the same judge chooses the number.
That costs a small part of the fit, because what a fit spends on is many components, several
paths and all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import RandomState

from fastcaf._typing import FloatArray
from fastcaf.data.distinct_rows import DistinctRows
from fastcaf.data.kmeans import lloyd_steps
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.agglomeration import merge_components
from fastcaf.fusion.component_start import BEGIN_SHARE, components_around, knows_matrices
from fastcaf.fusion.level import Path
from fastcaf.fusion.noise_distance import with_noise_around
from fastcaf.fusion.standardised import in_plain_features, spreads_of, standardised_training
from fastcaf.fusion.start import kmeans_plusplus_rows
from fastcaf.memberships import FullGaussian, SphericalGaussian
from fastcaf.memberships.noise import Noise
from fastcaf.runtime.deadline import check_time
from fastcaf.selection.groupings import (
    Grouping,
    grouping_of,
    groupings_of_path,
)
from fastcaf.selection.judge import Judge, Judgement
from fastcaf.selection.likelihood_search import Weighing, decided
from fastcaf.selection.plateaus import plateaus_of
from fastcaf.selection.shapes import FULL

__all__ = ["Stability", "stability_of"]

# Components of a check: a share more than the clusters found, and some more; but no more than
# so many more.
MORE, SOME, MOST_MORE = 1.5, 5, 25
# Rows of a check: so many, or so many for each cluster found.
MOST_ROWS, ROWS_A_CLUSTER = 2000, 20
MANY = 50  # more clusters: half as many checks, since each costs much
KMEANS_STEPS = 5
NEAR = 0.03  # share of the number that another start may be away from it
# Numbers below the one found by more than this factor, or by more than MOST_MORE, are not
# judged, but for one.
FEWER = 2
NONE: FloatArray = np.empty(0)


@dataclass(frozen=True)
class Stability:
    """What other starts find.

    Attributes
    ----------
    n_clusters : int
        The number that is reported.
    others : tuple of int
        Numbers that the other starts lead to, in their order.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import CAFHFCM
    >>> X, _ = make_blobs(600, centers=5, cluster_std=0.6, random_state=1)
    >>> print(CAFHFCM(random_state=0).fit(X).stability_)
    found by 5 of 5 starts
    """

    n_clusters: int
    others: tuple[int, ...]

    @property
    def n_starts(self) -> int:
        """Starts in all: that of the fit, and the others."""
        return 1 + len(self.others)

    @property
    def confirmed(self) -> int:
        """How many of them lead to the number that is reported."""
        return 1 + self.others.count(self.n_clusters)

    def __str__(self) -> str:
        said = f"found by {self.confirmed} of {self.n_starts} starts"
        if self.confirmed == self.n_starts:
            return said
        others = " or ".join(map(str, sorted(set(self.others) - {self.n_clusters})))
        return f"{said}, the others find {others}"

    @property
    def is_doubtful(self) -> bool:
        """Whether two of five starts, or as large a share, lead to other numbers.

        99 and 101 do not speak against 100: numbers within 3 % do not count.
        """
        far = sum(abs(one - self.n_clusters) > NEAR * self.n_clusters for one in self.others)
        return far >= 0.4 * self.n_starts


def stability_of(
    weighing: Weighing,
    training: TrainingData,
    n_checks: int,
    most: int,
    random_state: RandomState,
) -> Stability:
    """Ask other starts for the number of clusters; none has more than ``most`` centroids."""
    if weighing.chosen.n_clusters > MANY:
        n_checks = (n_checks + 1) // 2
    found = tuple(_checked(weighing, training, most, random_state) for _ in range(n_checks))
    return Stability(weighing.chosen.n_clusters, found)


def _checked(
    weighing: Weighing, training: TrainingData, most: int, random_state: RandomState
) -> int:
    """The number of clusters that another start leads to."""
    check_time()
    chosen = weighing.chosen
    n_rows = max(MOST_ROWS, ROWS_A_CLUSTER * chosen.n_clusters)
    sample = training.sample(n_rows, random_state)
    scales, noise = NONE, weighing.judge.noise
    if chosen.grouping.path.startswith("standardised"):
        scales = spreads_of(training)
        if noise is not None and noise.squared is not None:
            noise = replace(noise, squared=noise.squared * float(np.mean(scales**-2.0)))
    path = _merged_path(sample, chosen, scales, most, random_state, noise)
    judge = Judge(sample, noise)
    least = max(chosen.n_clusters // FEWER, chosen.n_clusters - MOST_MORE)
    near = [one for one in path.levels if one.n_clusters == 1 or one.n_clusters >= least]
    path = replace(path, levels=near)
    judged = [judge.judge(one) for one in _groupings(path, sample, judge, chosen, scales)]
    return decided(judge, judged).chosen.n_clusters


def _merged_path(
    sample: TrainingData,
    chosen: Judgement,
    scales: FloatArray,
    most: int,
    random_state: RandomState,
    noise: Noise | None,
) -> Path:
    """Components at drawn rows, merged one pair after the other."""
    view, blur = sample, sample.variance_of_rounding
    if len(scales):
        view, blur = standardised_training(sample, scales), blur / scales**2
    rows = view.rows.in_memory()
    distinct = DistinctRows.of(rows.rows, rows.row_weights)
    few = max(int(BEGIN_SHARE * 2.0 * np.sqrt(len(rows.rows))), chosen.n_clusters + SOME // 2)
    more = min(int((MORE - 1.0) * chosen.n_clusters) + SOME, MOST_MORE)
    n = min(chosen.n_clusters + more, len(distinct), few, most)
    start = lloyd_steps(view.rows, kmeans_plusplus_rows(distinct, n, random_state), 2)
    name = chosen.grouping.path
    is_full = name.endswith("full") or (chosen.shape == FULL and not name.endswith("spherical"))
    with_matrices = is_full and knows_matrices(*rows.rows.shape)
    model = FullGaussian() if with_matrices else SphericalGaussian()
    kind = replace(model, noise_rule=noise)
    path = merge_components(view.rows, components_around(start, rows, kind, blur), start)
    return in_plain_features(path, scales) if len(scales) else path


def _groupings(
    path: Path, sample: TrainingData, judge: Judge, chosen: Judgement, scales: FloatArray
) -> Iterator[Grouping]:
    """Partitions on the path, released as the chosen one was: by k-means, or not at all."""
    seen = set[bytes]()
    if chosen.shape == FULL or chosen.grouping.path not in ("entropy", "standardised"):
        yield from groupings_of_path("check", path, sample, seen, NONE)
        return
    rows = sample.rows.in_memory()
    view = rows
    if len(scales):
        view = replace(rows, rows=rows.rows / scales.astype(rows.rows.dtype))
    for plateau in plateaus_of(path, sample):
        places = plateau.internal_level.centroids
        places = places / scales if len(scales) else places
        hard = with_noise_around(view, places, judge.noise)
        places = lloyd_steps(view, places, KMEANS_STEPS, hard)
        labels = hard.labels(view.rows, places)
        grouping = grouping_of("check", plateau, labels, rows, seen)
        if grouping is not None:
            yield grouping
