"""Fuzzy c-means as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.data.training_data import TrainingData
from fastcaf.estimators.base import CentroidEstimator
from fastcaf.estimators.search_options import check_softness, models_for
from fastcaf.exceptions import (
    ConvergenceWarning,
    EmptyClustersWarning,
    InterruptedFitWarning,
    warn,
)
from fastcaf.fusion.fixed_gamma import Settled, Solver, State, StoppedError
from fastcaf.fusion.level import Level
from fastcaf.fusion.noise_distance import noise_cost, noise_mass, noise_rule
from fastcaf.fusion.polish import Polished
from fastcaf.fusion.start import drawn_starts, given_start
from fastcaf.memberships import MODELS
from fastcaf.memberships.noise import Noise
from fastcaf.parameters import (
    check_choice,
    check_integer,
    check_jobs,
    check_noise,
    check_number,
    check_time_limit,
)
from fastcaf.runtime.deadline import check_time, deadline, time_is_up
from fastcaf.runtime.progress import report_start
from fastcaf.runtime.threads import thread_limit
from fastcaf.storage import storable
from fastcaf.storage.parts import CENTROIDS, ENDING, LABELS

__all__ = ["FuzzyCMeans"]

NOISE_ROUNDS = 20  # in which the noise cluster's distance may settle


@storable(LABELS, CENTROIDS, ENDING)
class FuzzyCMeans(CentroidEstimator):
    """Fuzzy c-means clustering with a given number of clusters.

    Minimises 1/2 sum_ij mu_ij^m ||x_i - u_j||^2 over memberships mu and centroids u.  One
    iteration costs O(n c d) time; no n x c array is made during the fit.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    membership : {"fcm", "kernel"}, default="fcm"
        "kernel" bounds squared distances by a Gaussian kernel, 2 h^2 (1 - exp(-d / (2 h^2))),
        so that rows far from everything pull at nothing (Gaussian kernel fuzzy c-means).
    fuzzifier : float or "auto", default=2.0
        The exponent m > 1.  Near 1 memberships are crisp; the larger, the softer.  "auto" takes
        it from the numbers of rows and features (Schwaemmle and Jensen 2010): nearer to 1 the
        more features there are, and very soft below four.
    bandwidth : float or "auto", default="auto"
        The h of "kernel", a length in the units of X.  "auto" is the root of half the total
        variance, the mean squared distance of the rows to their mean.
    noise : None, "auto" or float, default=None
        Davé's noise cluster.  Rows farther than this distance (in the units of X) from every
        centroid belong to it more than to any cluster: their label is -1, and memberships of a
        row then sum to less than 1.  "auto" finds where a uniform background is as dense as the
        clusters.  Switch it on where some rows belong nowhere; starts "random" or "bisection"
        are better then, because "k-means++" prefers rows far out.
    init : {"k-means++", "random", "bisection"} or array-like, default="k-means++"
        Starting centroids: spread rows, random rows, means of parts that are halved again and
        again, or an array (n_clusters, d).
    n_init : int, default=1
        Starts to try; the one with the lowest objective is kept.  "bisection" has one.
    max_iter : int, default=300
        Iterations (passes over the rows) of one start.
    tol : float, default=1e-6
        Relative change of the objective at which it counts as settled.
    random_state : int, RandomState or None, default=None
        Seed of the starts.
    n_jobs : int or None, default=None
        Threads: None for all that Numba may use, -1 for all, 1 for one.  The result does not
        depend on it.  Fits in several Python threads at once are safe: their parallel parts
        take turns.
    verbose : int, default=0
        1 logs how each start ended to the logger "fastcaf".
    store_memberships : bool, default=True
        Keep the training rows, so that ``memberships_`` can be computed when asked for.
    time_limit : float or None, default=None
        Seconds after which the fit ends with the centroids reached and a warning, as with
        Ctrl-C.  A pass over the rows in progress is finished.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, d)
        Largest cluster first.
    labels_ : ndarray of shape (n,)
        -1 for rows of the noise.
    memberships_ : ndarray of shape (n, n_clusters)
        Computed when first asked for.
    noise_membership_ : ndarray of shape (n,)
        What ``memberships_`` leave to the noise cluster.
    noise_distance_ : float
        Its distance; infinite without ``noise``.
    cluster_means_ : ndarray of shape (n_clusters, d)
        Means of the rows weighted by mu^m, with "kernel" by mu^m exp(-d / (2 h^2)); equal to
        the centers once settled.
    cluster_masses_ : ndarray of shape (n_clusters,)
        Sum of the memberships: soft sizes.
    cluster_confidences_ : ndarray of shape (n_clusters,)
        Mean membership of each cluster's own mass.
    n_clusters_ : int
        ``n_clusters``, or the number of distinct rows if that is smaller.
    fuzzifier_ : float
        The exponent m that was used.
    bandwidth_ : float
        The bandwidth that was used; of "kernel" alone.
    objective_ : float
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only when X has feature names that are all strings.

    See Also
    --------
    CAFHFCM : Finds the number of clusters by itself.

    References
    ----------
    J. C. Bezdek, Pattern Recognition with Fuzzy Objective Function Algorithms, 1981.

    D.-Q. Zhang and S.-C. Chen, Clustering incomplete data using kernel-based fuzzy c-means
    algorithm, Neural Processing Letters 18 (2003) 155-162.

    V. Schwaemmle and O. N. Jensen, A simple and fast method to determine the parameters for
    fuzzy c-means cluster analysis, Bioinformatics 26 (2010) 2841-2848.

    Examples
    --------
    >>> import numpy as np
    >>> from fastcaf import FuzzyCMeans
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0], [9.0, 7.0]])
    >>> model = FuzzyCMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([1, 1, 0, 0, 0], dtype=int32)
    >>> model.predict_proba([[4.5, 4.5]]).round(1)
    array([[0.5, 0.5]])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        membership: str = "fcm",
        fuzzifier: float | str = 2.0,
        bandwidth: float | str = "auto",
        noise: float | str | None = None,
        init: str | ArrayLike = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        store_memberships: bool = True,
        time_limit: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.membership = membership
        self.fuzzifier = fuzzifier
        self.bandwidth = bandwidth
        self.noise = noise
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.store_memberships = store_memberships
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FuzzyCMeans:
        """Cluster the rows of ``X``.

        Ctrl-C ends it early: the centroids reached are kept, with a warning.

        Parameters
        ----------
        X : array-like of shape (n, d)
            float32 stays float32; everything else becomes float64.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight 2 counts as the row twice, one of weight 0 not at all.

        Returns
        -------
        FuzzyCMeans
            The fitted estimator.
        """
        check_integer("n_clusters", self.n_clusters, least=1)
        check_integer("n_init", self.n_init, least=1)
        max_iter = check_integer("max_iter", self.max_iter, least=1)
        tol = check_number("tol", self.tol, least=0.0)
        kind = MODELS[check_choice("membership", self.membership, ("fcm", "kernel"))]
        check_softness(self)
        noise = check_noise(self.noise)
        training = self._read_training(X, sample_weight)
        model = models_for(self, {kind.name: kind}, training)[kind.name]
        rule = noise_rule(noise, training)
        solver = Solver(training.rows, model, tol=tol, max_iter=max_iter)
        time_limit = check_time_limit(self.time_limit)
        with thread_limit(check_jobs(self.n_jobs)), deadline(time_limit):
            runs, interrupted = self._runs(solver, training, rule)
            ended = f"Stopped by time_limit={time_limit:g}" if time_is_up() else "Interrupted"
            state, settled = min(runs, key=lambda run: _cost(run[0], solver.rows))
            held = noise_mass(state.model, state.statistics, training.rows.total_weight)
            level = Level.of(0.0, state, settled, list(range(len(state.centroids))), held)
            self._keep(training, Polished(level, state.statistics), all_of=True)
        self._report(settled, ended if interrupted else "")
        return self

    def _runs(
        self, solver: Solver, training: TrainingData, rule: Noise | None
    ) -> tuple[list[tuple[State, Settled]], bool]:
        """How every start ended, and whether Ctrl-C or the time limit ended the last one."""
        runs: list[tuple[State, Settled]] = []
        for start in self._starts(training):
            try:
                if runs:
                    check_time()
                state, settled = _settled(solver, start, rule)
                runs.append((state, settled))
                value = state.objective(0.0) * training.coordinates.objective_unit
                report_start(self.verbose, value, len(settled.history), settled.converged)
                if time_is_up() and not settled.converged:
                    return runs, True
            except StoppedError as stop:
                return [*runs, (stop.state, stop.settled)], True
            except KeyboardInterrupt:
                if not runs:
                    raise
                return runs, True
        return runs, False

    def _starts(self, training: TrainingData) -> list[FloatArray]:
        if not isinstance(self.init, str):
            start = given_start("init", self.init, training.coordinates)
            if len(start) != self.n_clusters:
                raise ValueError(
                    f"init holds {len(start)} centroids, but n_clusters is "
                    f"{self.n_clusters}: make them equal."
                )
            return [start]
        n_init = 1 if self.init == "bisection" else self.n_init
        return drawn_starts(self.init, training, self.n_clusters, self.random_state, n_init)

    def _report(self, settled: Settled, interrupted: str) -> None:
        self.n_iter_ = len(settled.history)
        self.converged_ = settled.converged
        if interrupted:
            warn(
                f"{interrupted}: the centroids are those reached so far"
                f"{', and settled' if settled.converged else ', and had not settled'}.",
                InterruptedFitWarning,
            )
        used = len(np.unique(self.labels_[self.labels_ >= 0]))
        if used < self.n_clusters_:
            warn(
                f"{self.n_clusters_ - used} of the {self.n_clusters_} clusters are nearest to "
                "no row: their centroids nearly coincide with others. Ask for fewer clusters.",
                EmptyClustersWarning,
            )
        if not settled.converged and not interrupted:
            warn(
                f"The objective had not settled to tol={self.tol} after "
                f"max_iter={self.max_iter} iterations. Raise max_iter or tol.",
                ConvergenceWarning,
            )


def _settled(solver: Solver, start: FloatArray, rule: Noise | None) -> tuple[State, Settled]:
    """Settle; with a noise cluster twice, and the better one is taken.

    Centroids that begin among the noise stay there, so it settles without noise first; and
    where that leaves one between two clusters, the other way is better.
    """
    plain = solver.settle(solver.start(start), 0.0, _never)
    if rule is None:
        return plain
    runs = [_with_noise(solver, one, rule) for one in (plain[0].centroids, start)]
    state, settled = min(runs, key=lambda run: _cost(run[0], solver.rows))
    settled.history = plain[1].history + settled.history
    return state, settled


def _with_noise(solver: Solver, start: FloatArray, rule: Noise) -> tuple[State, Settled]:
    """Settle with a noise cluster; a distance that is found from the rows, until it stays."""
    model, history = solver.model.with_noise(rule), list[tuple[float, int]]()
    state, before = solver.start(start, model), np.inf
    for _ in range(NOISE_ROUNDS):
        state, settled = solver.settle(state, 0.0, _never)
        history += settled.history
        if abs(state.model.noise - before) <= 0.01 * before or time_is_up():
            break
        before = state.model.noise
    settled.history = history
    return state, settled


def _cost(state: State, rows: RowSource) -> float:
    """What the best start has least of: the objective, if it is the same for all of them."""
    rule = state.model.noise_rule
    if rule is None or rule.squared is not None:
        return state.objective(0.0)
    return noise_cost(state.model, rows, state.centroids)


def _never(places: FloatArray, labels: Any) -> None:
    raise AssertionError("centroids cannot fuse at gamma = 0")
