"""What the rest of the method knows of a membership model: additive statistics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.kernels.pairs.centroid_update import lifted_means
from fastcaf.memberships.facts import RowFacts
from fastcaf.memberships.nearest import nearest
from fastcaf.memberships.noise import OFF, Noise, label_noise
from fastcaf.runtime.threads import PARALLEL_WORK, launch

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MembershipModel", "Statistics"]

# Weight, sums, mass, squares, data term and nearest (see ``Statistics``), for compiled code.
Sums = tuple[FloatArray, FloatArray, FloatArray, FloatArray, float, float]

Kernels = tuple[Callable[..., Any], Callable[..., Any]]

# Weights below this share of the mean one are lifted to it: a centroid that no row holds
# keeps its place until a neighbour takes it in.
LEAST_WEIGHT = 1e-9


@dataclass(slots=True)
class Statistics:
    """Sums over rows, for given centroids.  Those of two sets of rows add up.

    Attributes
    ----------
    weight : ndarray of shape (K,)
        How strongly the rows hold each centroid: sum of mu^m in fuzzy c-means.
    sums : ndarray of shape (K, d)
        Sum of the rows with those weights; ``sums / weight`` is where they pull to.
    mass : ndarray of shape (K,)
        Sum of the memberships: the soft size of each cluster.
    data_term : float
        The rows' part of the objective.
    squares : ndarray of shape (K,)
        Sum of mu times itself (in fuzzy c-means, mu^m): high where rows belong to one
        cluster alone.
    nearest : float
        Sum of squared distances to the nearest centroid, where the model uses it.
    offsets, moments : ndarrays of shape (K, d) and (K, m)
        Sums of x - u and of its products, around the centroids; of models with covariances.
    """

    weight: FloatArray
    sums: FloatArray
    mass: FloatArray
    data_term: float
    squares: FloatArray
    nearest: float = 0.0
    offsets: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    moments: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    def __add__(self, other: Statistics) -> Statistics:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Statistics(*(one + another for one, another in pairs))

    def ordered(self, order: NDArray[np.intp]) -> Statistics:
        """The same for the centroids in another order."""
        return Statistics(
            self.weight[order],
            self.sums[order],
            self.mass[order],
            self.data_term,
            self.squares[order],
            self.nearest,
            self.offsets[order] if len(self.offsets) else self.offsets,
            self.moments[order] if len(self.moments) else self.moments,
        )

    @classmethod
    def of(cls, sums: Sums) -> Statistics:
        """From what kernels return."""
        weight, totals, mass, squares, data_term, nearest = sums
        return cls(weight, totals, mass, data_term, squares, nearest)

    def as_tuple(self) -> Sums:
        """For the compiled iteration."""
        return self.weight, self.sums, self.mass, self.squares, self.data_term, self.nearest

    def held_means(self, centroids: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights and means of the centroid problem; none of the weights is 0.

        A centroid that no row holds stays at its place in ``centroids``.
        """
        return lifted_means(self.weight, self.sums, centroids, LEAST_WEIGHT)

    @property
    def confidence(self) -> FloatArray:
        """Mean membership of a cluster's own mass, 1 where it is crisp, 0 without mass."""
        mass = np.maximum(self.mass, np.finfo(np.float64).tiny)
        return self.squares / mass


class MembershipModel(ABC):
    """Memberships of rows in clusters, given the centroids.

    A model has parameters, which are stored with every level, and may have arrays with one
    entry for each cluster (a covariance each, say), which are reordered and merged with the
    centroids.

    Attributes
    ----------
    name : str
        As users call it; its key in ``registry.py``.
    least_confidence : float
        Share of the median confidence below which a centroid is pruned.
    adapts : bool
        Whether it scales itself after every pass over the rows.
    is_likelihood : bool
        Whether the objective is a logarithm of densities, and not a sum of squares.
    has_noise : bool
        Whether the model can have a noise cluster (``noise.py``).
    noise : float
        Where it has one, its squared distance from all rows, or its energy; else infinite.
    noise_rule : Noise or None
        How that is chosen when a level begins.
    """

    name: ClassVar[str]
    least_confidence: ClassVar[float] = 0.0
    adapts: ClassVar[bool] = False
    is_likelihood: ClassVar[bool] = False
    has_noise: ClassVar[bool] = False
    noise: float = OFF
    noise_rule: Noise | None = None

    @property
    @abstractmethod
    def fuzzifier(self) -> float:
        """The power m of the memberships in sums over the rows, sum_i mu_ij^m x_i."""

    @property
    @abstractmethod
    def parameters(self) -> FloatArray:
        """All that makes the model, but for the arrays below."""

    @classmethod
    @abstractmethod
    def from_parameters(cls, parameters: FloatArray) -> Self:
        """The model with these parameters; ``ValueError`` for impossible ones."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any], rows: RowFacts) -> Self:
        """The model that an estimator with these constructor parameters starts from."""
        return cls()

    @property
    def arrays(self) -> dict[str, FloatArray]:
        """Arrays with one entry for each cluster, by name."""
        return {}

    def with_arrays(self, arrays: Mapping[str, FloatArray]) -> Self:
        """The model with other arrays of these names."""
        return self

    def ordered(self, order: NDArray[np.intp]) -> Self:
        """The model for the clusters in another order, or for some of them."""
        return self.with_arrays({name: one[order] for name, one in self.arrays.items()})

    def merged(
        self, labels: NDArray[np.int64], weight: FloatArray, centroids: FloatArray
    ) -> Self:
        """The model where clusters of equal label are one; negative labels are dropped.

        Arrays become means weighted by ``weight``; a model for which that is wrong has its own.
        """
        if not self.arrays:
            return self
        shares = labels == np.arange(labels.max() + 1)[:, None]
        shares = shares * np.maximum(weight, np.finfo(np.float64).tiny)
        shares /= shares.sum(axis=1, keepdims=True)
        return self.with_arrays(
            {name: np.tensordot(shares, one, 1) for name, one in self.arrays.items()}
        )

    def adapted(self, statistics: Statistics) -> Self:
        """The model for the next pass, from the sums of the last one."""
        return self

    def at_level(self, statistics: Statistics) -> Self:
        """The model for a new level, from the sums at its start."""
        return self

    @property
    def least_rows(self) -> float:
        """How many rows a cluster must have; 0: a share of what others have."""
        return 0.0

    @property
    def own_term(self) -> float:
        """What the model adds to the objective whatever the rows are: a prior, say."""
        return 0.0

    def with_noise(self, rule: Noise) -> Self:
        """The model with a noise cluster by this rule; components have one from a level on."""
        if not self.has_noise:
            raise ValueError(f"{self.name} memberships have no noise cluster: take noise=None.")
        given = rule.squared is not None and not self.is_likelihood
        return self.changed(noise=rule.squared if given else OFF, noise_rule=rule)

    def changed(self, **values: Any) -> Self:
        """The model with other values of some fields: models are frozen dataclasses."""
        return replace(self, **values)  # type: ignore[type-var]

    def as_found(self) -> Self:
        """The model without the rule for its noise cluster: its distance is what stays."""
        return self if self.noise_rule is None else self.changed(noise_rule=None)

    def suited_to(self, extent: NDArray) -> Self:
        """The model for rows whose columns have this extent, before the first pass."""
        return self

    def check_reach(self, n_centroids: int, dtype: np.dtype[Any]) -> None:
        """An error where memberships in so many centroids vanish in this precision."""
        return

    def in_user_units(
        self, objective: Any, n_clusters: Any, weight: float, scale: float, unit: float
    ) -> Any:
        """Objectives in the user's units, for rows of this weight; numbers or arrays.

        ``scale`` and ``unit`` are those of ``data/coordinates.py``.
        """
        with np.errstate(over="ignore", under="ignore"):
            return objective * (np.square(scale) * unit)

    @property
    def compiled(self) -> tuple[int, FloatArray] | None:
        """Kind and parameters for ``kernels/loop/compiled_loop.py``; None: not known there."""
        return None

    def with_compiled(self, parameters: FloatArray) -> Self:
        """The model with the parameters that the compiled loop returned."""
        return self

    # Serial and parallel kernels for sums over the rows and for memberships.  A model without
    # them has methods of its own in place of the next three.
    sum_kernels: ClassVar[Kernels]
    membership_kernels: ClassVar[Kernels]

    @property
    def kernel_parameter(self) -> float | FloatArray:
        """The number, or the numbers, that these kernels get."""
        raise NotImplementedError

    @property
    def kernel_parameters(self) -> tuple[float | FloatArray, ...]:
        """All that these kernels get behind the centroids."""
        noise = (self.noise,) if self.has_noise else ()
        return self.kernel_parameter, *noise

    def statistics(
        self,
        rows: NDArray,
        row_weights: NDArray,
        centroids: FloatArray,
        scatter: NDArray | None = None,
    ) -> Statistics:
        """Sums over ``rows``; an empty ``row_weights`` means 1 for every row.

        A row may be the mean of a cell of rows; ``scatter`` is then the mean of their squared
        distances to it (none, or empty: 0), and a part of the squared distances to all
        centroids.  It has the precision of the rows.
        """
        scatter = row_weights[:0] if scatter is None else scatter
        sums = self._launch(self.sum_kernels, rows, row_weights, scatter, centroids)
        return Statistics.of(sums)

    def memberships(self, rows: NDArray, centroids: FloatArray) -> NDArray:
        """The memberships themselves, n x K, in the precision of the rows."""
        result: NDArray = self._launch(self.membership_kernels, rows, centroids)
        return result

    def labels(self, rows: NDArray, centroids: FloatArray) -> NDArray[np.int32]:
        """The cluster of the largest membership of every row: that of the nearest centroid.

        -1 where the noise cluster is nearer.
        """
        labels, squared, _ = self.nearest(rows, centroids)
        return label_noise(labels, squared, self.noise)

    def nearest(
        self, rows: NDArray, centroids: FloatArray
    ) -> tuple[NDArray[np.int32], NDArray, NDArray]:
        """Nearest centroid of every row, and squared distances to the nearest two."""
        return nearest(rows, centroids)

    def _launch(self, kernels: Kernels, rows: NDArray, *arguments: NDArray) -> Any:
        """Run the kernel that suits the size; the last of the arguments are the centroids."""
        is_large = rows.size * len(arguments[-1]) > PARALLEL_WORK
        rows = np.ascontiguousarray(rows)  # kernels load from memory as it lies
        return launch(*kernels, is_large, rows, *arguments, *self.kernel_parameters)
