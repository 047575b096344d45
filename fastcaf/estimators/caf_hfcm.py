"""CAF-HFCM: fuzzy c-means that finds the number of clusters by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fastcaf.data.reading import read_training
from fastcaf.data.summary import Summary
from fastcaf.display.report_mixin import ReportMixin
from fastcaf.estimators.answer import store_answer
from fastcaf.estimators.base import fitted_attributes
from fastcaf.estimators.cut import CutMixin
from fastcaf.estimators.search_options import models_for, search_of
from fastcaf.estimators.shape_mixin import ShapeMixin
from fastcaf.estimators.starts import Starts
from fastcaf.fusion.level import Level
from fastcaf.fusion.start import check_enough
from fastcaf.parameters import (
    check_integer,
    check_jobs,
    check_representatives,
    check_time_limit,
)
from fastcaf.runtime.callbacks import CallbackSupportMixin, LevelTasks, calls_back
from fastcaf.runtime.deadline import deadline
from fastcaf.runtime.progress import reporting
from fastcaf.runtime.threads import thread_limit
from fastcaf.storage import storable
from fastcaf.storage.parts import CENTROIDS, ENDING, LABELS, PATHS

__all__ = ["CAFHFCM"]


@storable(LABELS, CENTROIDS, PATHS, ENDING)
class CAFHFCM(CallbackSupportMixin, ReportMixin, ShapeMixin, CutMixin):
    """Centroid auto-fused hierarchical fuzzy c-means.

    Fuzzy c-means from about 2 sqrt(n) centroids that are drawn together, pair by pair:

    1/2 sum_ij mu_ij^m ||x_i - u_j||^2 + gamma sum_{k<l} ||u_k - u_l||

    As gamma grows centroids fuse.  One fit follows that path from many clusters to one and
    gives memberships, a hierarchy, and the number of clusters.  By default several such paths
    are followed, some with clusters that have covariances, and of all partitions they lead to
    the most likely one is reported, as a mixture of Gaussian clusters of the shape found.

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
    membership : {"auto", "fcm", "kernel", "entropy", "gaussian"}, default="auto"
        "fcm" are those of fuzzy c-means, mu ~ d^(-1/(m-1)), which the paper has; "kernel" the
        same for distances that a Gaussian kernel bounds, 2 h^2 (1 - exp(-d / (2 h^2))), so that
        rows far from everything pull at nothing; "entropy"
        have light tails, mu ~ exp(-d / tau) with a temperature tau that scales itself;
        "gaussian" are those of a mixture, mu ~ pi N(x; u, S), with a covariance for each
        cluster: fusion then follows shape.  "auto" follows several paths, with components that
        are merged in the order of the likelihood, and chooses among all (``selection``);
        where ``gamma`` is given, whose meaning differs between them, it is "fcm".
    covariance_type : {"full", "spherical"}, default="full"
        Of "gaussian": clusters of any Gaussian shape, or round ones of unequal spread.
    fuzzifier : float or "auto", default=2.0
        The exponent m of "fcm" and "kernel", 1 < m <= 100.  Near 1 memberships are crisp.
        "auto" takes it from the numbers of rows and features (Schwaemmle and Jensen 2010):
        nearer to 1 the more features there are, and very soft below four.
    bandwidth : float or "auto", default="auto"
        The h of "kernel", a length in the units of X.  "auto" is the root of half the total
        variance, the mean squared distance of the rows to their mean.
    noise : None, "auto" or float, default=None
        A noise cluster, for all memberships.  Rows farther than this distance (in the units of
        X) from every centroid belong to it more than to any cluster: their label is -1, and
        memberships of a row then sum to less than 1.  For clusters with covariances it is a
        background of constant density, that of a typical cluster at this distance.  "auto"
        finds where a uniform background is as dense as the clusters.  Switch it on where some
        rows belong nowhere; None takes every row for a member of some cluster.
    fusion_weights : {"uniform", "mass", "neighbours"}, default="uniform"
        "uniform" is the paper's penalty.  "mass" weighs each pair's distance by
        w_k w_l / (w_k + w_l), w the sums of mu^m when a level begins or centroids fuse: gamma
        is a distance then, and many centroids do not pull a small cluster away.  With
        "neighbours" only centroids near each other pull: the five nearest of each, and the
        edges of the shortest tree that spans all, alike and in sum as strongly as "uniform",
        found anew when a level begins or centroids fuse.  Gamma is the paper's.
    n_start : float or int, default=2.0
        Starting centroids: a float a in [1, 3] means floor(a sqrt(n)), an int that number.
        n counts distinct rows, so that a row of weight 2 is the row twice; representatives
        get at most 150 a.  Not used with an array as ``init``.  Numbers of clusters up to 0.7
        times it can be chosen.
    init : {"auto", "bisection", "k-means++", "random"} or array-like, default="auto"
        Means of parts that are halved again and again, which depend on the rows alone; spread
        rows; random rows (the paper's); or an array (K, d).  "auto" is "bisection" with the
        rule "likelihood", else "k-means++".  Fuzzy c-means forgets its start; entropy
        memberships keep to where they are, and a cluster that gets no centroid is not found.
    selection : str or callable, default="auto"
        How the number of clusters is chosen.  "likelihood": by the likelihood of rows and
        labels together under clusters of several shapes, less the price of their parameters,
        and by the valleys between clusters; what is reported is the mixture of the shape found.
        "persistence": by the life of a number on the logarithmic gamma axis, beyond that of
        structureless data, and by how far apart its clusters stand.  "auto" is "likelihood" for
        the memberships "auto" and "gaussian", and "persistence" for the others and where
        ``gamma`` is given.  "plateau": by the paper's longest stretch on the linear axis, for
        additive grids.  Classic indices, evaluated on the levels: "xie-beni",
        "partition-coefficient", "modified-partition-coefficient", "partition-entropy",
        "fuzzy-silhouette", "calinski-harabasz", "davies-bouldin".  A callable takes a
        ``fastcaf.selection.plateaus.Plateau`` and returns a score, the larger the better.
    prune : bool, default=True
        After each level, drop centroids that no cluster supports (ghosts and twins): those
        that hold less than 0.15 of the median mass or, with "fcm", whose confidence is below
        0.72 of the median one.  ``path_.dropped`` lists them.
    gamma_ratio : float, default=1.15
        Ratio of neighbouring gammas of the automatic series.
    max_iter : int, default=300
        Iterations (passes over the rows) for one gamma.
    tol : float, default=1e-5
        Relative change of the objective at which a level has settled; 30 times that by default.
    random_state : int, RandomState or None, default=None
        Seed of what is drawn: starts but for "bisection", representatives of many rows, and
        the other starts of ``stability_``.  The levels below about half the starting number
        hardly depend on it.
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
        are more rows than that; None is never.  "auto" is, with the rule "likelihood", 2,000 of
        them above 2,000 rows, and one more for every 50 rows up to 4,000; with other rules
        4,000 above 20,000 rows.  The chosen level then settles on all rows.  The law of weights
        (2 is the row twice) and independence of the order of the rows hold approximately only.
    n_restarts : int, default=4
        Other, smaller starts that are asked for the number of clusters once it is found, where
        the rule is "likelihood": ``stability_``.  They take about a quarter of the fit's time;
        above 50 clusters half as many are asked, 0 asks none.  They never change the answer.
    time_limit : float or None, default=None
        Seconds after which no level is begun: those reached are kept, with a warning, as with
        Ctrl-C.  A step in progress is finished, and the rows are read, the number chosen and
        labels found however long that takes.

    Attributes
    ----------
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters_, d)
        The fused, shrunken centroids, largest cluster first; with the rule "likelihood" the
        means of the mixture, which no penalty pulls.
    cluster_means_ : ndarray of shape (n_clusters_, d)
        Means of the rows weighted by mu^m, with "kernel" by mu^m exp(-d / (2 h^2)): the centers
        without the pull of the penalty.
    labels_ : ndarray of shape (n,)
        -1 for rows of the noise.
    memberships_ : ndarray of shape (n, n_clusters_)
        Computed when first asked for.
    noise_membership_ : ndarray of shape (n,)
        What ``memberships_`` leave to the noise cluster.
    noise_distance_ : float
        Its distance, for "fcm" and "entropy"; infinite without ``noise``.
    gamma_ : float
        Gamma of the reported level.
    fuzzifier_ : float
        The exponent m that was used; 1 where the reported memberships have none.
    bandwidth_ : float
        The bandwidth that was used; of "kernel" alone.
    membership_ : str
        The path that the reported clusters come from, a key of ``paths_``.
    covariance_type_ : str
        Shape of the reported clusters: "tied spherical" (round, of equal spread), "spherical",
        "tied" (one matrix for all) or "full".  This and the next two exist where clusters have
        covariances.
    covariances_ : ndarray of shape (n_clusters_, d, d), or (n_clusters_,) for spherical types
    weights_ : ndarray of shape (n_clusters_,)
        Shares of the rows.
    path_ : Path
        Gammas, number of clusters, centroids and diagnostics of every level; the merges; the
        centroids dropped, and why.
    paths_ : dict of str to Path
        All paths that were followed, by the name of their memberships.
    selection_ : list of Candidate
        Numbers of clusters that the paths offer, best first: each with its score, its gamma
        interval, its likelihood, shape and valleys, and a sentence why it stands there.
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
    stability_ : Stability or None
        How many starts lead to ``n_clusters_``; None where no other one was asked.
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

    D.-Q. Zhang and S.-C. Chen, Clustering incomplete data using kernel-based fuzzy c-means
    algorithm, Neural Processing Letters 18 (2003) 155-162.

    V. Schwaemmle and O. N. Jensen, A simple and fast method to determine the parameters for
    fuzzy c-means cluster analysis, Bioinformatics 26 (2010) 2841-2848.

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
        covariance_type: str = "full",
        fuzzifier: float | str = 2.0,
        bandwidth: float | str = "auto",
        noise: float | str | None = None,
        fusion_weights: str = "uniform",
        n_start: float | int = 2.0,
        init: str | ArrayLike = "auto",
        selection: str | Callable[..., float] = "auto",
        prune: bool = True,
        gamma_ratio: float = 1.15,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        store_memberships: bool = True,
        representatives: int | str | None = "auto",
        n_restarts: int = 4,
        time_limit: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.membership = membership
        self.covariance_type = covariance_type
        self.fuzzifier = fuzzifier
        self.bandwidth = bandwidth
        self.noise = noise
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
        self.n_restarts = n_restarts
        self.time_limit = time_limit

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
            A row of weight 2 counts as the row twice, one of weight 0 not at all.  Weights that
            add up to far less than the rows are taken as shares, with a warning.

        Returns
        -------
        CAFHFCM
            The fitted estimator.
        """
        search, kinds = search_of(self)
        representatives = check_representatives(self.representatives)
        summary = Summary.of(representatives, search.rule is None)
        n_restarts = check_integer("n_restarts", self.n_restarts, least=0)
        tasks = LevelTasks(self, X, y, sample_weight)
        time_limit = check_time_limit(self.time_limit)
        with thread_limit(check_jobs(self.n_jobs)), deadline(time_limit):
            generator = check_random_state(self.random_state)
            keep = self.store_memberships
            training = read_training(self, X, sample_weight, summary, generator, keep=keep)
            starts = Starts(self.init, self.n_start, generator, search.rule is None)
            start = starts.first(training)
            check_enough(start, self.n_clusters)
            coordinates = training.coordinates
            models = models_for(self, kinds, training)

            def in_user_units(level: Level) -> Level:
                return level.in_user_units(coordinates)

            with reporting(self.verbose, in_user_units) as report:

                def on_level(level: Level) -> None:
                    report(level)
                    tasks.reached(
                        level.model.name,
                        lambda: fitted_attributes(in_user_units(level), coordinates),
                    )

                draw = partial(starts.on_other_features, start=start)
                answer = search.run(training, models, start, draw, on_level)
            answer = answer.checked(training, n_restarts, generator)
            store_answer(self, training, answer)
        tasks.finish()
        return self
