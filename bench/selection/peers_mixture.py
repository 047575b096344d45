"""Mixtures: four covariance types with BIC or ICL, and a Dirichlet process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from scipy.special import entr
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from bench.selection.answer import Answer, Method, counted

TYPES = ("full", "tied", "diag", "spherical")
MOST_COMPONENTS = 40
PATIENCE = 8  # a covariance type is given up when its BIC has not improved for so many k
DIRICHLET_COMPONENTS = 30
DIRICHLET_ITERATIONS = 500  # the default of 100 ends most fits before they have converged


@dataclass(frozen=True)
class Fitted:
    """One mixture: its labels and criteria, small is good."""

    labels: np.ndarray
    n_components: int
    kind: str
    bic: float
    icl: float


def most_components(n: int, d: int, kind: str) -> int:
    """min(40, 1.4 sqrt(n)); also n / (d + 1), or n / 2 where covariances are diagonal."""
    needed = d + 1 if kind in ("full", "tied") else 2
    return max(1, int(min(MOST_COMPONENTS, 1.4 * np.sqrt(n), n // needed)))


def fitted(X: np.ndarray, k: int, kind: str, seed: int, starts: int = 1) -> Fitted | None:
    """One mixture with its criteria; None where a covariance collapses."""
    try:
        model = GaussianMixture(k, covariance_type=kind, n_init=starts, random_state=seed).fit(
            X
        )
    except ValueError:
        return None
    shares = model.predict_proba(X)
    bic = model.bic(X)
    labels = shares.argmax(axis=1)
    return Fitted(labels, k, kind, bic, bic + 2 * float(entr(shares).sum()))


def sweep(X: np.ndarray, kind: str, seed: int) -> Iterator[Fitted]:
    """Mixtures of one type, k = 1, 2, ..., until BIC has not improved for 8 numbers."""
    best, waited = np.inf, 0
    for k in range(1, most_components(*X.shape, kind) + 1):
        found = fitted(X, k, kind, seed)
        if found is not None:
            yield found
        waited = 0 if found is not None and found.bic < best else waited + 1
        best = min(best, found.bic if found is not None else np.inf)
        if waited == PATIENCE:
            return


@lru_cache(maxsize=1)
def all_fits(rows: bytes, d: int, seed: int) -> tuple[list[Fitted], float]:
    """The four sweeps, fitted once for both criteria, and the CPU seconds that they took."""
    began = time.process_time()
    X = np.frombuffer(rows).reshape(-1, d)
    fits = [found for kind in TYPES for found in sweep(X, kind, seed)]
    return fits, time.process_time() - began


def best_mixture(criterion: str, X: np.ndarray, seed: int) -> Answer:
    """The type and the k = 1..40 whose mixture has the smallest BIC, or ICL.

    ICL is BIC plus twice the entropy of the responsibilities: overlapping components cost.
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    fits, seconds = all_fits(rows.tobytes(), rows.shape[1], seed)
    best = min(fits, key=lambda found: getattr(found, criterion))
    return Answer(best.labels, best.n_components, note=best.kind, seconds=seconds)


def dirichlet(X: np.ndarray, seed: int) -> Answer:
    """A Dirichlet process of at most 30 components; as many clusters as there are labels."""
    n, d = X.shape
    model = BayesianGaussianMixture(
        n_components=max(1, min(DIRICHLET_COMPONENTS, n // (d + 1))),
        max_iter=DIRICHLET_ITERATIONS,
        random_state=seed,
    )
    labels = model.fit_predict(X)
    return Answer(labels, counted(labels))


MIXTURES = (
    *(
        Method(
            f"mixture4+{criterion}",
            partial(best_mixture, criterion),
            structureless_seeds=4,
            structureless_rows=3000,
        )
        for criterion in ("bic", "icl")
    ),
    Method("dirichlet mixture", dirichlet, structureless_seeds=4, structureless_rows=3000),
)
