"""Random cases: a table, row weights, and one of the estimators with its parameters."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from fastcaf import CAFHFCM, RLFCM, FuzzyCMeans
from tests.fuzz.tables import Table, Weights, common_or, seeds, tables, weightings

__all__ = ["Case", "Grid", "Own", "RowsOf", "cases"]


@dataclass(frozen=True)
class Own:
    """A rule of a user's own."""

    def __call__(self, plateau):
        return float(plateau.level.n_clusters > 1)


@dataclass(frozen=True)
class RowsOf:
    """Some different rows of the table, for ``init``: what ``of`` draws."""

    n: int
    seed: int

    def of(self, X):
        distinct = np.unique(X, axis=0)
        rng = np.random.default_rng(self.seed)
        return distinct[rng.permutation(len(distinct))[: self.n]].astype(np.float64)


@dataclass(frozen=True)
class Grid:
    """An increasing array of gammas."""

    first: float
    last: float
    n: int

    def of(self, X):
        return np.unique(np.geomspace(self.first, self.last, self.n))


@dataclass(frozen=True)
class Case:
    """One fit.  Its ``repr`` is the expression that makes it again."""

    table: Table
    weights: Weights
    estimator: str
    parameters: dict = field(default_factory=dict)
    seed: int = 0  # of the cuts that are looked at

    def model(self, X):
        classes = {"CAFHFCM": CAFHFCM, "FuzzyCMeans": FuzzyCMeans, "RLFCM": RLFCM}
        return classes[self.estimator](**self.options(X))

    def options(self, X):
        """The parameters, with arrays that depend on the rows."""
        return {
            name: value.of(X) if isinstance(value, RowsOf | Grid) else value
            for name, value in self.parameters.items()
        }


def gammas(positive):
    grids = st.builds(Grid, positive, st.floats(1.0, 100.0), st.integers(1, 12))
    return st.one_of(st.just(0.0), positive, positive, grids)


positive = st.floats(-6, 6).map(lambda exponent: 10.0**exponent)
numbers = st.integers(1, 12)
fuzzifiers = st.sampled_from([1.001, 1.1, 1.5, 2.0, 2.5, 4.0, 10.0, 30.0, 100.0])
max_iters = st.sampled_from([1, 2, 5, 30, 300])
tols = st.sampled_from([0.0, 1e-12, 1e-5, 1e-2])
limits = st.sampled_from([1e-9, 1e-3, 0.02])
RULES = [
    "auto", "likelihood", "persistence", "plateau", "xie-beni", "partition-coefficient",
    "modified-partition-coefficient", "partition-entropy", "fuzzy-silhouette",
    "calinski-harabasz", "davies-bouldin",
]  # fmt: skip

fusing = st.fixed_dictionaries(
    {"random_state": st.integers(0, 3)},
    optional={
        "n_clusters": common_or(None, numbers),
        "gamma": common_or(None, gammas(positive)),
        "membership": st.sampled_from(["auto", "auto", "fcm", "entropy", "gaussian"]),
        "covariance_type": st.sampled_from(["full", "spherical"]),
        "fuzzifier": fuzzifiers,
        "fusion_weights": st.sampled_from(["uniform", "mass", "neighbours"]),
        "n_start": st.one_of(numbers, st.floats(1.0, 3.0)),
        "init": st.one_of(
            st.sampled_from(["auto", "bisection", "k-means++", "random"]),
            st.builds(RowsOf, st.integers(1, 30), seeds),
        ),
        "selection": st.one_of(st.sampled_from(RULES), st.just(Own())),
        "prune": st.booleans(),
        "gamma_ratio": st.sampled_from([1.05, 1.5, 10.0]),
        "max_iter": max_iters,
        "tol": tols,
        "n_jobs": st.sampled_from([None, 1]),
        "store_memberships": st.booleans(),
        "representatives": st.sampled_from(["auto", None, 5, 40]),
        "n_restarts": st.sampled_from([0, 2]),
        "time_limit": common_or(None, limits),
    },
)
plain = st.fixed_dictionaries(
    {"n_clusters": numbers, "random_state": st.integers(0, 3)},
    optional={
        "fuzzifier": fuzzifiers,
        "init": st.one_of(
            st.sampled_from(["bisection", "k-means++", "random"]),
            st.builds(RowsOf, st.integers(1, 12), seeds),
        ),
        "n_init": st.sampled_from([1, 3]),
        "max_iter": max_iters,
        "tol": tols,
        "time_limit": limits,
    },
)
robust = st.fixed_dictionaries(
    {},
    optional={
        "r1_time": st.sampled_from([0.1, 10.0, 100.0]),
        "r2_time": st.sampled_from([0.1, 10.0, 100.0]),
        "max_iter": max_iters,
        "tol": tols,
    },
)
one_gamma = st.fixed_dictionaries(
    {"start": st.builds(RowsOf, st.integers(1, 30), seeds), "gamma": st.just(0.0) | positive},
    optional={
        "fuzzifier": fuzzifiers,
        "fusion_weights": st.sampled_from(["uniform", "mass", "neighbours"]),
        "max_iter": max_iters,
        "tol": tols,
    },
)


def _of(name, parameters):
    return st.builds(Case, tables, weightings, st.just(name), parameters, seeds)


cases = st.one_of(
    _of("CAFHFCM", fusing),
    _of("CAFHFCM", fusing),
    _of("CAFHFCM", fusing),
    _of("FuzzyCMeans", plain),
    _of("RLFCM", robust),
    _of("solve_gamma", one_gamma),
)
