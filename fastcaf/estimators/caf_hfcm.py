"""CAF-HFCM: fuzzy c-means that finds the number of clusters by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fastcaf._typing import FloatArray
from fastcaf.data.reading import read_training
from fastcaf.data.training_data import TrainingData
from fastcaf.display.report_mixin import ReportMixin
from fastcaf.estimators.base import fitted_attributes
from fastcaf.estimators.cut import CutMixin
from fastcaf.exceptions import warn
from fastcaf.fusion.hierarchy import linkage_matrix
from fastcaf.fusion.level import Level
from fastcaf.fusion.polish import polish
from fastcaf.fusion.start import check_enough, drawn_starts, given_start
from fastcaf.memberships import AUTO, MODELS, MembershipModel
from fastcaf.parameters import (
    FUSION_WEIGHTS,
    check_choice,
    check_flag,
    check_fuzzifier,
    check_gammas,
    check_integer,
    check_jobs,
    check_number,
    check_representatives,
    check_rule,
    check_starting_number,
)
from fastcaf.runtime.callbacks import CallbackSupportMixin, LevelTasks, calls_back
from fastcaf.runtime.progress import reporting
from fastcaf.runtime.threads import thread_limit
from fastcaf.selection.rules import RULES
from fastcaf.selection.search import Answer, Search
from fastcaf.selection.verdict import doubts, verdict
from fastcaf.storage import storable
from fastcaf.storage.parts import CENTROIDS, ENDING, LABELS, PATHS

__all__ = ["CAFHFCM"]


@storable(LABELS, CENTROIDS, PATHS, ENDING)
class CAFHFCM(CallbackSupportMixin, ReportMixin, CutMixin):
    """Centroid auto-fused hierarchical fuzzy c-means.

    Fuzzy c-means from about 2 sqrt(n) centroids that are drawn together, pair by pair:

    1/2 sum_ij mu_ij^m ||x_i - u_j||^2 + gamma sum_{k<l} ||u_k - u_l||

    As gamma grows centroids fuse.  One fit follows that path from many clusters to one and
    gives memberships, a hierarchy, and the number of clusters that persists longest.

    Time: O(n K d) for a pass over the rows, O(K^2 d) for a sweep over the pairs of K centroids.
    Memory beside the data: O(K^2 d); no n x K array is made during the fit.

    Parameters
    ----------
    n_clusters : int or None, default=None
        None finds the number; an int cuts the path there.
    gamma : float, array-like or None, default=None
        Every path begins with fuzzy c-means at gamma = 0 and an automatic geometric series.
        None follows it to one cluster; a number follows it up to there and reports that
        level; an increasing array leaves it at its first gamma and is then visited as it is
        (the paper's additive grids).
    membership : {"auto", "fcm", "entropy"}, default="auto"
        "fcm" are those of fuzzy c-means, mu ~ d^(-1/(m-1)), which the paper has; "entropy"
        have light tails, mu ~ exp(-d / tau) with a temperature tau that scales itself: better
        where sizes are very unequal and in high dimensions, and slower.  "auto" follows both
        paths and chooses among the levels of both; where ``gamma`` is given, whose meaning
        differs between them, it is "fcm".
    fuzzifier : float, default=2.0
        The exponent m of "fcm", 1 < m <= 100.  Near 1 memberships are crisp.
    fusion_weights : {"uniform", "mass"}, default="uniform"
        "uniform" is the paper's penalty.  "mass" weighs each pair's distance by
        w_k w_l / (w_k + w_l), w the sums of mu^m when a level begins or centroids fuse: gamma
        is a distance then, and many centroids do not pull a small cluster away.
    n_start : float or int, default=2.0
        Starting centroids: a float a in [1, 3] means floor(a sqrt(n)), an int that number.
        n counts distinct rows, so that a row of weight 2 is the row twice; representatives
        get at most 150 a.  Not used with an array as ``init``.  Numbers of clusters up to 0.7
        times it can be chosen.
    init : {"k-means++", "random"} or array-like of shape (K, d), default="k-means++"
        Starting centroids: spread rows, random rows (the paper's), or given ones.  Fuzzy
        c-means forgets its start; entropy memberships keep to where they are, and a cluster
        that gets no centroid is not found.
    selection : str or callable, default="persistence"
        How the number of clusters is chosen.  "persistence": by its life on the logarithmic
        gamma axis, beyond that of structureless data, and by how far apart its clusters
        stand, on average and in the weakest one.  "plateau": by the paper's longest stretch
        on the linear axis, for additive grids.  Classic indices, evaluated on the levels:
        "xie-beni", "partition-coefficient", "modified-partition-coefficient",
        "partition-entropy", "fuzzy-silhouette", "calinski-harabasz", "davies-bouldin".  A
        callable takes a ``fastcaf.selection.plateaus.Plateau`` and returns a score, the larger
        the better.
    prune : bool, default=True
        After each level, drop centroids that no cluster supports (ghosts and twins): those
        that hold less than 0.15 of the median mass or, with "fcm", whose confidence is below
        0.72 of the median one.  ``path_.dropped`` lists them.
    gamma_ratio : float, default=1.15
        Ratio of neighbouring gammas of the automatic series.
    max_iter : int, default=300
        Iterations (passes over the rows) for one gamma.
    tol : float, default=1e-5
        Relative change of the objective at which a level counts as settled.
    random_state : int, RandomState or None, default=None
        Seed of the start.  The levels below about half the starting number hardly depend
        on it.
    n_jobs : int or None, default=None
        Threads: None for all that Numba may use, -1 for all, 1 for one.  The result does not
        depend on it.  Fits in several Python threads at once are safe: their parallel parts
        take turns.
    verbose : int, default=0
        1 shows a bar for each path on a terminal and in a notebook (with tqdm,
        ``fastcaf[progress]``), and elsewhere logs every level to the logger "fastcaf"; 2
        always logs.
    store_memberships : bool, default=True
        Keep the training rows, so that ``memberships_`` and the labels of cuts can be computed
        when asked for.  Rows in blocks, and large memory maps, are never kept.
    representatives : "auto", int or None, default="auto"
        An int R follows the path on about R weighted representatives of the rows where there
        are more rows than that; "auto" is 4,000 of them above 20,000 rows; None is never.  The
        chosen level then settles on all rows.  The law of weights (2 is the row twice) and
        independence of the order of the rows hold approximately only.

    Attributes
    ----------
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters_, d)
        The fused, shrunken centroids, largest cluster first.
    cluster_means_ : ndarray of shape (n_clusters_, d)
        Means of the rows weighted by mu^m: the centers without the pull of the penalty.
    labels_ : ndarray of shape (n,)
    memberships_ : ndarray of shape (n, n_clusters_)
        Computed when first asked for.
    gamma_ : float
        Gamma of the reported level.
    membership_ : {"fcm", "entropy"}
        The memberships of the reported path.
    path_ : Path
        Gammas, number of clusters, centroids and diagnostics of every level; the merges; the
        centroids dropped, and why.
    paths_ : dict of str to Path
        All paths that were followed, by the name of their memberships.
    selection_ : list of Candidate
        Numbers of clusters that the paths offer, best first: each with its score, its gamma
        interval, its separation and a sentence why it stands there.  With the default rule, 1
        is among them, with the score that structureless data have.
    linkage_ : ndarray of shape (K - 1, 4)
        The merges of the K starting centroids as scipy's linkage matrix, heights in gamma.
    cluster_masses_ : ndarray of shape (n_clusters_,)
        Sum of the memberships: soft sizes.
    cluster_confidences_ : ndarray of shape (n_clusters_,)
        Mean membership of each cluster's own mass.
    objective_ : float
    representatives_ : Representatives or None
        How a path on representatives compares with the rows: ``path_``, ``selection_``
        and cuts are theirs then, all else is of all rows.
    verdict_ : str
        How sure the number of clusters is, in a sentence.
    doubts_ : list of str
        What the fit warned about.
    converged_ : bool
        Whether the reported level settled.
    n_iter_ : int
        Passes over the rows, all levels together.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only when X has feature names that are all strings.

    See Also
    --------
    FuzzyCMeans : The same without penalty, for a given number of clusters.

    References
    ----------
    Y. Lin and S. Chen, A Centroid Auto-Fused Hierarchical Fuzzy c-Means Clustering,
    arXiv:2004.12756.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import CAFHFCM
    >>> X, _ = make_blobs(600, centers=5, cluster_std=0.6, random_state=1)
    >>> model = CAFHFCM(random_state=0).fit(X)
    >>> model.n_clusters_
    5
    >>> model.cut(n_clusters=3).cluster_centers.shape
    (3, 2)
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        gamma: float | ArrayLike | None = None,
        *,
        membership: str = "auto",
        fuzzifier: float = 2.0,
        fusion_weights: str = "uniform",
        n_start: float | int = 2.0,
        init: str | ArrayLike = "k-means++",
        selection: str | Callable[..., float] = "persistence",
        prune: bool = True,
        gamma_ratio: float = 1.15,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        store_memberships: bool = True,
        representatives: int | str | None = "auto",
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.membership = membership
        self.fuzzifier = fuzzifier
        self.fusion_weights = fusion_weights
        self.n_start = n_start
        self.init = init
        self.selection = selection
        self.prune = prune
        self.gamma_ratio = gamma_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.store_memberships = store_memberships
        self.representatives = representatives

    @calls_back
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> CAFHFCM:
        """Cluster the rows of ``X``.

        Ctrl-C ends the path early: the levels reached are kept, with a warning.  Callbacks
        (``set_callbacks``, with scikit-learn 1.9 or newer) hear of every level, and end
        the path in the same way where they ask to stop.

        Parameters
        ----------
        X : array-like of shape (n, d), or RowBlocks
            float32 stays float32; everything else becomes float64.  Large memory maps, like
            ``RowBlocks``, are read a block at a time.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight 2 counts as the row twice, one of weight 0 not at all.

        Returns
        -------
        CAFHFCM
            The fitted estimator.
        """
        search, models = self._check_parameters()
        representatives = check_representatives(self.representatives)
        tasks = LevelTasks(self, X, y, sample_weight)
        with thread_limit(check_jobs(self.n_jobs)):
            generator = check_random_state(self.random_state)
            keep = self.store_memberships
            training = read_training(
                self, X, sample_weight, representatives, generator, keep=keep
            )
            start = self._start(training, generator)
            coordinates = training.coordinates

            def in_user_units(level: Level) -> Level:
                return level.in_user_units(coordinates)

            with reporting(self.verbose, in_user_units) as report:

                def on_level(level: Level) -> None:
                    report(level)
                    tasks.reached(
                        level.model.name,
                        lambda: fitted_attributes(in_user_units(level), coordinates),
                    )

                answer = search.run(training, models, start, on_level)
            self._store(training, answer)
        tasks.finish()
        return self

    def _check_parameters(self) -> tuple[Search, dict[str, MembershipModel]]:
        """Check what needs no data."""
        gammas = check_gammas(self.gamma)
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters, least=1)
            if isinstance(gammas, float):
                raise ValueError(
                    f"n_clusters={self.n_clusters} and gamma={gammas} both name a level: "
                    "give one of them, or an array of gammas."
                )
        check_starting_number(self.n_start)
        check_flag("store_memberships", self.store_memberships)
        check_integer("verbose", self.verbose, least=0)
        name = check_choice("membership", self.membership, [*MODELS, "auto"])
        names = AUTO if name == "auto" else (name,)
        if name == "auto" and gammas is not None:
            names = ("fcm",)  # gamma has another meaning for each model: the paper's is meant
        options = self.get_params()
        check_fuzzifier(self.fuzzifier)
        weights = check_choice("fusion_weights", self.fusion_weights, FUSION_WEIGHTS)
        search = Search(
            gammas,
            self.n_clusters,
            rule=check_rule(self.selection, RULES),
            ratio=check_number("gamma_ratio", self.gamma_ratio, above=1.0),
            prune=check_flag("prune", self.prune),
            tol=check_number("tol", self.tol, least=0.0),
            max_iter=check_integer("max_iter", self.max_iter, least=1),
            by_mass=weights == "mass",
        )
        return search, {one: MODELS[one].from_options(options) for one in names}

    def _start(self, training: TrainingData, generator: np.random.RandomState) -> FloatArray:
        if not isinstance(self.init, str):
            start = given_start("init", self.init, training.coordinates)
        else:
            (start,) = drawn_starts(self.init, training, self.n_start, generator)
        check_enough(start, self.n_clusters)
        return start

    def _store(self, training: TrainingData, answer: Answer) -> None:
        """Store the answer in the user's units, and warn of what is doubtful about it."""
        polished = polish(answer.chosen, training, self.tol, self.max_iter)
        self._keep(training, polished, all_of=False)
        self.representatives_ = polished.record(answer.chosen, training)
        answer = answer.reported(polished, training)
        path = answer.path
        self.membership_ = answer.membership
        self.path_ = path
        self.paths_ = answer.paths
        self.linkage_ = linkage_matrix(path.merges)
        self.selection_ = answer.candidates
        self.gamma_ = answer.chosen.gamma
        self.converged_ = answer.chosen.converged
        self.n_iter_ = sum(
            level.n_iter for one in answer.paths.values() for level in one.levels
        )
        self.verdict_ = verdict(answer)
        found = list(doubts(answer, self.n_clusters_, self.n_clusters, self.tol, self.max_iter))
        self.doubts_ = [message for message, _ in found]
        for message, category in found:
            warn(message, category)
