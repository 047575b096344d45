"""The judge of partitions: the likelihood of rows and labels together, and valleys.

For a partition into c clusters, n rows of d features, and a model M of the clusters
(``shapes.py``, with Gaussian or heavy tails), the completed likelihood is

    ICL = max over M of   sum_i log( pi_{z_i} f_M(x_i; cluster z_i) ) - price_M

with log(n) / 2 for each parameter, n the rows that it is known from.  It asks for clusters
that explain the rows *and* can be told apart.  It trusts its models too much where clusters are
none of these: a skewed or square cluster is then cut into pieces.  Pieces have no valley
between them (``kernels/shapes/valleys.py``), and so:

    the best partition is the one with the largest completed likelihood among those in which
    every cluster has a valley to its nearest neighbour.

A valley has a depth below 0.9 (0 is a clear one, 1 is none).  For a ranking that goes on behind
these partitions, and for those that the likelihood can hardly tell apart,

    score = ICL / n - 20 log(max(depth, 0.9) / 0.9) - 1/2 sqrt(d / (2 n)) depth,

depth that of the shallowest valley.  The second term outweighs what cutting a cluster into
pieces gains.  The third is half a standard error: the log density of a row in a Gaussian
cluster has the variance d / 2, so a mean over n rows is known to sqrt(d / (2 n)).  Of two
partitions that are nearer than this the one with the clearer valleys is preferred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.component_start import knows_matrices
from fastcaf.kernels.shapes.completed_likelihood import completed_likelihoods
from fastcaf.kernels.shapes.heavy_tails import FREEDOM, heavy_tailed_likelihood
from fastcaf.kernels.shapes.scatter import moments_around_means
from fastcaf.kernels.shapes.valleys import valleys
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.memberships.noise import Noise
from fastcaf.runtime.threads import before_first_kernel
from fastcaf.selection.groupings import Grouping
from fastcaf.selection.shapes import SHAPES, mixture_of

__all__ = ["Judge", "Judgement"]

SHALLOW = 0.9  # between this and 1 a depth is no valley
NO_VALLEY = 20.0  # nats a row; from 15 on the same, below 15 thin shells come out in pieces
UNKNOWN = 0.5  # standard errors of the likelihood that a clear valley outweighs; to 1 the same
# Parameters of covariances, as a share of the numbers in the table, beyond which they are not
# asked for: so many cannot be known.
MOST_PARAMETERS = 0.25
MOST_FEATURES_TIED = 100  # with one matrix for all clusters
MOST_COPIES = 1e30  # that a row counts for: single precision holds them


@dataclass(frozen=True)
class Judgement:
    """What the judge says of a partition.

    Attributes
    ----------
    grouping : Grouping
    shape : int
        Index in ``SHAPES`` of the model with the largest completed likelihood.
    heavy_tails : bool
        Whether clusters with heavy tails explain the rows better.
    likelihood : float
        ICL, the completed likelihood less the price of its parameters, in nats.
    plain_likelihood : float
        The same with Gaussian tails.
    n_parameters : float
    depths, gaps : ndarrays of shape (c,)
        Of the valley to the nearest cluster, and the distance to it in deviations.
    score : float
    """

    grouping: Grouping
    shape: int
    heavy_tails: bool
    likelihood: float
    plain_likelihood: float
    n_parameters: float
    depths: FloatArray
    gaps: FloatArray
    score: float

    @property
    def n_clusters(self) -> int:
        """Of the partition."""
        return self.grouping.n_clusters

    @property
    def depth(self) -> float:
        """Of the shallowest valley; 0 for one cluster."""
        return float(self.depths.max(initial=0.0))

    @property
    def gap(self) -> float:
        """The narrowest, in deviations; infinite for one cluster."""
        return float(self.gaps.min(initial=np.inf))


class Judge:
    """Judges partitions of the rows that paths were followed on.

    Parameters
    ----------
    training : TrainingData
    noise : Noise, optional
        The rule of a noise cluster, where there is one.
    """

    def __init__(self, training: TrainingData, noise: Noise | None = None) -> None:
        before_first_kernel()
        self.training, self.rows = training, training.rows.in_memory()
        self.blur = training.variance_of_rounding
        self.d = len(self.blur)
        self.n_features = max(1, int((self.blur > 0.0).sum()))
        self.one_row = self.rows.one_row
        self.n = self.rows.total_weight / self.one_row
        counted = self.rows.row_weights.astype(np.float64) / self.one_row
        self.row_weights = np.minimum(counted, MOST_COPIES).astype(self.rows.rows.dtype)
        self.moments, self.noise = np.empty(0), noise
        n_rows = len(self.rows.rows)
        if self.d <= MOST_FEATURES_TIED and not knows_matrices(n_rows, self.d):
            whole = training.second_moments
            self.moments = whole[np.tril_indices(self.d)] / self.one_row

    @property
    def density_unit(self) -> float:
        """What likelihoods are less by in the user's coordinates."""
        return float(self.n * self.n_features * np.log(self.training.coordinates.scale))

    def judge(self, grouping: Grouping) -> Judgement:
        """Score a partition."""
        plain, prices, variance = self._likelihoods(grouping)
        shape = int(np.argmax(plain))
        best, heavy = float(plain[shape]), False
        if not (shape == 2 and grouping.sums.shape[1] == 3 + self.d and self.d > 1):
            tailed = self._heavy(grouping, shape, *_moments(grouping)) - prices[shape]
            tailed += self._background(grouping, variance) - 0.5 * np.log(self.n)
            heavy = tailed > best
        depths, gaps = self._valleys(grouping, variance)
        likelihood = tailed if heavy else best
        return Judgement(
            grouping,
            shape,
            heavy,
            likelihood,
            best,
            SHAPES[shape].n_parameters(grouping.n_clusters, self.n_features) + heavy,
            depths,
            gaps,
            likelihood / self.n - self._shallowness(float(depths.max(initial=0.0))),
        )

    def _shallowness(self, depth: float) -> float:
        """What the shallowest valley takes from the score."""
        error = float(np.sqrt(0.5 * self.n_features / self.n))
        missing = NO_VALLEY * float(np.log(max(depth, SHALLOW) / SHALLOW))
        return missing + UNKNOWN * error * min(depth, 1.0)

    def _likelihoods(self, grouping: Grouping) -> tuple[FloatArray, FloatArray, float]:
        """ICL under each model with Gaussian tails, prices of parameters, pooled variance."""
        found = np.empty(len(SHAPES))
        variance = completed_likelihoods(
            grouping.sums,
            grouping.centroids,
            self.blur,
            float(self.n_features),
            self._moments_held(grouping),
            found,
        )
        weight = grouping.sums[:, 0]
        prices = np.array([one.price(weight, self.n_features) for one in SHAPES])
        triangle = self.n_features * (self.n_features + 1) / 2
        most = MOST_PARAMETERS * self.n * self.n_features
        if triangle > most:
            found[2] = -np.inf
        if triangle * grouping.n_clusters > most:
            found[3] = -np.inf
        found = found - prices + self._background(grouping, variance)
        return np.where(np.isfinite(found), found, -np.inf), prices, variance

    def _background(self, grouping: Grouping, variance: float) -> float:
        """What the noise adds to ICL: a share of the rows with one density, and its price.

        The density is that of the rule: uniform in the rows' box.
        """
        noise = grouping.noise
        if noise == 0.0 or self.noise is None:
            return 0.0
        log_volume = self.noise.log_volume(variance)
        held = self.n - noise
        shares = held * np.log(held / self.n) + noise * np.log(noise / self.n)
        return float(shares - noise * log_volume - 0.5 * np.log(self.n))

    def _moments_held(self, grouping: Grouping) -> FloatArray:
        """Second moments of the rows in clusters, where those of each are not known."""
        if grouping.noise == 0.0 or len(self.moments) == 0:
            return self.moments
        moments = self.rows.chosen(grouping.labels >= 0).second_moments()
        return moments[np.tril_indices(self.d)] / self.one_row

    def _heavy(
        self,
        grouping: Grouping,
        shape: int,
        weight: FloatArray,
        means: FloatArray,
        scatter: FloatArray,
    ) -> float:
        """The likelihood with heavy tails; OUT means, scatter: of rows weighted for it."""
        rows = self.rows
        value = heavy_tailed_likelihood(
            rows.rows,
            self.row_weights,
            rows.scatter if len(rows.scatter) else self.row_weights[:0],
            grouping.labels,
            weight,
            means,
            scatter,
            self.blur,
            float(self.n_features),
            shape,
        )
        return float(value)

    def _valleys(self, grouping: Grouping, variance: float) -> tuple[FloatArray, FloatArray]:
        if grouping.n_clusters == 1:
            return np.empty(0), np.empty(0)
        seen = self.rows.rows, self.row_weights, grouping.labels
        if (sampled := self.training.sampled) is not None:
            seen = sampled.rows, sampled.weights, grouping.labels[sampled.cell]
        depths, gaps = valleys(
            *seen,
            grouping.sums,
            grouping.centroids,
            self.blur,
            float(self.n_features),
            variance,
            1.0,
        )
        return depths, gaps

    def mixture(
        self, judgement: Judgement, *, heavy_tails: bool = False
    ) -> tuple[GaussianMemberships, FloatArray]:
        """The mixture of the shape found for a partition, and the means of its clusters.

        With heavy tails, means and covariances are those that rows far out move little.
        """
        grouping = judgement.grouping
        weight, means, scatter = _moments(grouping)
        if heavy_tails:
            self._heavy(grouping, judgement.shape, weight, means, scatter)
            scatter *= FREEDOM / (
                FREEDOM - 2.0
            )  # from the scale of Student's t to its variance
        model = mixture_of(
            judgement.shape,
            weight,
            means,
            scatter,
            self.blur,
            self.n_features,
            self._moments_held(grouping),
            self.one_row,
        )
        model = replace(model, noise_rule=self.noise).with_background(grouping.noise / self.n)
        return model, means

    def mixture_likelihood(self, judgement: Judgement) -> float:
        """The likelihood of the mixture, labels aside, at the price of Hannan and Quinn.

        A parameter costs log(log(n)), the least that finds the right model in the end; the
        completed likelihood's log(n) / 2 outweighs overlapping clusters in many features.
        """
        plain = judgement.n_parameters - judgement.heavy_tails
        price = plain * np.log(np.log(max(self.n, 3.0)))
        if judgement.n_clusters == 1:
            return judgement.plain_likelihood + 0.5 * plain * np.log(self.n) - price
        model, means = self.mixture(judgement)
        found = self.training.rows.statistics(model, means)
        held = self.n - judgement.grouping.noise
        rest = held * float(np.log(held / self.n))  # the mixture's share, beside the noise
        return -found.data_term / self.one_row + rest - price


def _moments(grouping: Grouping) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, means, and second moments around them, of the clusters."""
    return moments_around_means(grouping.sums, grouping.centroids)
