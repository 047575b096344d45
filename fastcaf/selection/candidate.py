"""A number of clusters that the paths offer, with what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Candidate"]


@dataclass(frozen=True)
class Candidate:
    """One number of clusters that the paths offer.

    Attributes
    ----------
    n_clusters : int
    score : float
        The rule's; comparable within one fit only.
    gamma_start, gamma_end : float
        The range of gamma on its path that has this number; on paths of merged components, of
        the likelihood lost by merges.
    level : int
        Index in the path's levels of the one that it comes from.
    membership : str
        The path it is on, a key of ``paths_``.
    separation : float
        Mean over the rows of 1 - d1/d2, the distances to the own cluster and to the next; not a
        number with the rule "likelihood", which does not use it.
    weakest_separation : float
        The same for the least separated of its clusters.
    cluster_gap : float
        The narrowest between two of its clusters, in standard deviations.
    reason : str
        Why it stands where it does in the ranking.
    likelihood : float
        Of rows and labels together, less the price of the parameters: the completed likelihood,
        in nats.  This and all that follows belong to the rule "likelihood".
    n_parameters : float
        Of the model with that likelihood.
    covariance_type : str
        Of that model: "tied spherical", "spherical", "tied" or "full".
    heavy_tails : bool
        Whether its clusters have heavier tails than Gaussians.
    valley : float
        Depth of the shallowest valley between two of its clusters: rows between them, over rows
        in the poorer of both; 0 is a clear one, 1 is none.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from fastcaf import CAFHFCM
    >>> X, _ = make_blobs(600, centers=5, cluster_std=0.6, random_state=1)
    >>> best, second, *_ = CAFHFCM(random_state=0).fit(X).selection_
    >>> best.n_clusters, best.covariance_type
    (5, 'tied spherical')
    >>> bool(best.score > second.score and best.valley < 0.5)
    True
    """

    n_clusters: int
    score: float
    gamma_start: float
    gamma_end: float
    level: int
    membership: str
    separation: float
    weakest_separation: float
    cluster_gap: float
    reason: str
    likelihood: float = np.nan
    n_parameters: float = np.nan
    covariance_type: str = ""
    heavy_tails: bool = False
    valley: float = np.nan
