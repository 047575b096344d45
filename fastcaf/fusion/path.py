"""The path: raise gamma, start each level from the last one, record levels and merges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from fastcaf._typing import FloatArray
from fastcaf.fusion.centroid_problem import fusion_gamma_of_two
from fastcaf.fusion.fixed_gamma import Settled, Solver, State
from fastcaf.fusion.hierarchy import Tree
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.noise_distance import noise_mass
from fastcaf.fusion.pair_weights import pair_weights
from fastcaf.fusion.pruning import Dropped, weakest_unsupported
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.runtime.deadline import check_time

__all__ = ["follow_path"]

# Most centroids fuse at once where fewer than 1 in this many are left.
COLLAPSE = 3
LOWER_STARTS = 3  # how often the first gamma is divided by 10 to avoid that
SMALLER_STEPS = 3  # how often a step is halved to avoid that
# With Gaussian components: at most this share of the centroids, or one, fuses in one step, or
# it is halved; where none fuses the next step is longer, up to twice the usual one.
FUSED_SHARE = 0.1
LONGER_STEP = 2.0


@dataclass
class _Walk:
    """A path in the making."""

    solver: Solver
    prune: bool
    on_level: Callable[[Level], None]
    tree: Tree
    state: State
    until: int = 1
    levels: list[Level] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """Whether one centroid is left, or as few as were wanted."""
        return len(self.state.centroids) <= self.until

    def begin(self, end: float) -> float:
        """Visit gamma = 0 and a first gamma below ``end`` that does not fuse most centroids.

        Returns that gamma, or ``end`` where there is none below it.
        """
        self.visit(0.0)
        gamma = first_gamma(self.state)
        if self.finished or gamma >= end:
            return end
        for _ in range(LOWER_STARTS):
            if self.visit(gamma, all_at_once=False):
                return gamma
            gamma /= 10.0
        self.visit(gamma)
        return gamma

    def climb(self, gamma: float, ratio: float, end: float) -> None:
        """A geometric series from ``gamma`` to one cluster, or to below ``end``.

        Where most centroids fuse at once the step is halved, a few times at the most: smaller
        steps may draw the fusions apart, or they are one event.
        """
        if self.state.model.is_likelihood:
            self._climb_finely(gamma, ratio, end)
            return
        while not self.finished and gamma * ratio < end:
            step = ratio
            for _ in range(SMALLER_STEPS):
                if self.visit(gamma * step, all_at_once=False):
                    break
                step = np.sqrt(step)
            else:
                self.visit(gamma * step)
            gamma *= step

    def _climb_finely(self, gamma: float, ratio: float, end: float) -> None:
        """The same with steps that suit the fusions: few fuse in one of them."""
        shortest, longest = ratio ** (0.5**SMALLER_STEPS), ratio**LONGER_STEP
        step = ratio
        while not self.finished and gamma * step < end:
            before = len(self.state.centroids)
            most = max(1, int(FUSED_SHARE * before))
            if not self.visit(gamma * step, most_fused=most if step > shortest else before):
                step = max(np.sqrt(step), shortest)
                continue
            gamma *= step
            if len(self.state.centroids) == before:
                step = min(step**1.5, longest)

    def visit(
        self, gamma: float, *, all_at_once: bool = True, most_fused: int | None = None
    ) -> bool:
        """Settle at one gamma and record the level.

        With ``all_at_once=False`` a level that loses most of the centroids is not taken, and
        the answer is False; so it is where more than ``most_fused`` are lost.  An interrupted
        level leaves no trace.
        """
        before = self.state, self.tree.copy(), list(self.dropped)
        try:
            level = self._solve(gamma)
            if self.levels:  # of the first one, what was reached has to do
                check_time()
        except KeyboardInterrupt:
            self.state, self.tree, self.dropped = before
            raise
        lost = len(before[0].centroids) - level.n_clusters
        collapsed = not all_at_once and level.n_clusters * COLLAPSE < len(before[0].centroids)
        if collapsed or (most_fused is not None and lost > most_fused):
            self.state, self.tree, self.dropped = before
            return False
        self.levels.append(level)
        self.on_level(level)
        return True

    def _solve(self, gamma: float) -> Level:
        """Settle, drop what has no support, and settle again."""
        settled = self._settle(gamma)
        if self.prune and gamma > 0.0:
            while self._drop_unsupported(gamma):
                again = self._settle(gamma)
                again.n_sweeps += settled.n_sweeps
                again.history = settled.history + again.history
                settled = again
        held = noise_mass(
            self.state.model, self.state.statistics, self.solver.rows.total_weight
        )
        level = Level.of(gamma, self.state, settled, self.tree.alive, held)
        return level if level.model.is_likelihood else level.with_rows(self.solver.rows)

    def _settle(self, gamma: float) -> Settled:
        def record(places: FloatArray, labels: NDArray[np.int64]) -> None:
            self.tree.fuse(gamma, places, labels)

        self.state, settled = self.solver.settle(self.state, gamma, record, True)
        return settled

    def _drop_unsupported(self, gamma: float) -> bool:
        """Drop the weakest centroid, and again, while it lacks support."""
        found = len(self.dropped)
        while True:
            state = self.state
            weakest = weakest_unsupported(
                state.centroids,
                state.statistics,
                state.model.least_confidence,
                state.model.least_rows * self.solver.rows.one_row,
            )
            if weakest is None:
                return len(self.dropped) > found
            which = weakest.index
            self.dropped.append(
                Dropped(
                    gamma,
                    self.tree.alive[which],
                    state.centroids[which],
                    float(state.statistics.mass[which]),
                    weakest.kind,
                    weakest.reason,
                )
            )
            self.tree.drop(gamma, state.centroids, which)
            self.state = self.solver.drop(state, which)


def first_gamma(state: State) -> float:
    """A gamma at which hardly any two centroids fuse, from the solution at gamma = 0.

    The K - 1 others move a centroid by at most gamma (K - 1) / w, so a pair cannot fuse below
    1 / (K - 1) of the gamma that it would need alone; where pairs have weights, w is divided by
    the mean weight of the centroid's pairs.  The lower decile of that bound over the nearest
    pairs is taken: fuzzy c-means lets some centroids coincide by itself.
    """
    n = len(state.centroids)
    if n == 1:
        return np.inf
    weight = state.statistics.held_means(state.centroids)[0]
    if len(state.pair_mass):
        weight = weight / (pair_weights(state.pair_mass, n).sum(axis=1) / (n - 1))
    if isinstance(state.model, GaussianMemberships):
        bound = _fusion_gammas_of_pairs(state.centroids, weight, state.model)
    else:
        bound = fusion_gamma_of_two(squareform(pdist(state.centroids)), weight[:, None], weight)
    np.fill_diagonal(bound, np.inf)
    nearest = bound.min(axis=1) / (n - 1)
    coincide = nearest <= 1e-9 * nearest.max()
    # Where all coincide any gamma fuses them; a small share of the weight will do.
    return float(np.quantile(nearest[~coincide], 0.1)) if not coincide.all() else 1e-9 / n


def _fusion_gammas_of_pairs(
    centroids: FloatArray, weight: FloatArray, model: GaussianMemberships
) -> FloatArray:
    """||(A_k^-1 + A_l^-1)^-1 (m_k - m_l)||: ``fusion_gamma_of_two`` with matrices."""
    if model.is_round:
        held = weight / model.covariances[:, 0]
        return fusion_gamma_of_two(squareform(pdist(centroids)), held[:, None], held)
    yields = model.matrices / weight[:, None, None]
    bound = np.zeros((len(centroids),) * 2)
    for k in range(len(centroids) - 1):
        apart = (centroids[k + 1 :] - centroids[k])[:, :, None]
        solved = np.linalg.solve(yields[k] + yields[k + 1 :], apart)[:, :, 0]
        bound[k, k + 1 :] = bound[k + 1 :, k] = np.linalg.norm(solved, axis=1)
    return bound


def follow_path(
    solver: Solver,
    start: FloatArray,
    *,
    gammas: FloatArray,
    ratio: float = 1.15,
    prune: bool = True,
    on_level: Callable[[Level], None] = lambda level: None,
    until: int = 1,
) -> Path:
    """Follow the solution from many centroids towards one.

    The first level has gamma = 0: plain fuzzy c-means from all starting centroids.

    Parameters
    ----------
    solver : Solver
    start : ndarray of shape (K, d)
        Starting centroids, all distinct.
    gammas : ndarray
        Increasing gammas to visit; may be empty.  The automatic series leads up to the first
        of them, and where there are none, to one cluster.  Starting at a large gamma instead
        would fuse all centroids at once: each holds too little weight against so many pulls.
    ratio : float
        Between two gammas of the automatic series.
    prune : bool
        Drop spurious centroids (``pruning.py``) after each level.
    on_level : callable
        Told every level when it is reached.
    until : int
        It ends where so few centroids are left.

    Returns
    -------
    Path
        It ends when one centroid is left.  Ctrl-C and a time limit end it too: levels reached
        are kept.
    """
    walk = _Walk(solver, prune, on_level, Tree(len(start)), solver.start(start), until)
    given = gammas[gammas > 0.0].tolist()
    end = given[0] if given else (0.0 if len(gammas) else np.inf)
    interrupted = False
    try:
        walk.climb(walk.begin(end), ratio, end)
        for gamma in given:
            if not walk.finished:
                walk.visit(gamma)
    except KeyboardInterrupt:
        if not walk.levels:
            raise
        interrupted = True
    last = walk.levels[-1]
    by_mass = solver.fusion_weights == "mass"
    walk.tree.complete(last.gamma, last.centroids, last.weight, by_mass)
    return Path(start, walk.levels, walk.tree, walk.dropped, interrupted)
