"""Compile, or load from the cache, whatever a fit needs, before the clock runs."""

from __future__ import annotations

import warnings

import numpy as np

from fastcaf.estimators import CAFHFCM, ConvexClustering, FuzzyCMeans
from fastcaf.exceptions import InterruptedFitWarning, KernelCacheWarning
from fastcaf.kernels.pairs.admm import PARALLEL_CENTROIDS
from fastcaf.parameters import COVARIANCE_TYPES

__all__ = ["warm_up"]

# Rows and starting centroids: kernels for few rows; for many; for many rows and centroids.
SIZES = ((60, 6), (2600, 100), (1000, PARALLEL_CENTROIDS + 4))


def warm_up(*, float32: bool = False) -> None:
    """Compile every kernel that fitting and predicting use, or load it from the cache.

    But for those of ``membership="kernel"``, which the first fit with it compiles.

    Nothing compiles at import; without this call, the first fit of a process pays for it.
    With an empty cache that takes most of a minute, with a filled one a fraction of a second.
    Worth a line in the start-up of a service, or in the build of a container image.

    Parameters
    ----------
    float32 : bool, default=False
        Those for float32 data, too.

    Examples
    --------
    >>> import fastcaf
    >>> fastcaf.warm_up()
    """
    for dtype in (np.float64, np.float32) if float32 else (np.float64,):
        for n, n_start in SIZES:
            rows = np.random.default_rng(0).normal(size=(n, 2)).astype(dtype)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("always", KernelCacheWarning)
                warnings.simplefilter("error", InterruptedFitWarning)
                try:
                    _fit(rows, n_start)
                except InterruptedFitWarning:  # Ctrl-C, of which a fit keeps what it has
                    raise KeyboardInterrupt from None


def _fit(rows: np.ndarray, n_start: int) -> None:
    """Few passes of everything: two levels for each membership, the judge, fuzzy c-means."""
    models = [CAFHFCM(gamma=[1e-12], membership=one) for one in ("fcm", "entropy")]
    models += [
        CAFHFCM(gamma=[1e-12], membership="gaussian", covariance_type=one)
        for one in COVARIANCE_TYPES
    ]
    for model in [*models, CAFHFCM()]:
        model.set_params(n_start=n_start, init="random", max_iter=2, random_state=0)
        model.fit(rows)
        model.predict(rows)
        model.predict_proba(rows)
    FuzzyCMeans(2, max_iter=2, random_state=0).fit(rows)
    ConvexClustering().fit(rows[:60])  # its kernels are the same for any number
