"""Random tables and row weights: hypothesis draws a few words and numbers, NumPy the rest.

Drawn entry by entry, a table of some hundred rows would take hypothesis longer than its fit.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

__all__ = ["Table", "Weights", "tables", "weightings"]


def _blobs(rng, n, d):
    centers = rng.normal(size=(rng.integers(1, 7), d)) * rng.choice([2.0, 6.0, 20.0])
    spreads = rng.choice([0.0, 0.3, 1.0], len(centers)) + 1e-3
    which = rng.integers(len(centers), size=n)
    return centers[which] + spreads[which, None] * rng.normal(size=(n, d))


def _few_values(rng, n, d):
    return rng.integers(0, rng.integers(1, 8), size=(n, d)).astype(float)


def _copies(rng, n, d):
    return _blobs(rng, n, d)[rng.integers(0, max(1, n // rng.integers(1, 10)), size=n)]


def _constant_columns(rng, n, d):
    rows = _blobs(rng, n, d)
    rows[:, rng.random(d) < 0.5] = rng.choice([0.0, 3.7, -1e3])
    return rows


def _outliers(rng, n, d):
    rows = _blobs(rng, n, d)
    rows[rng.integers(n, size=rng.integers(1, 4))] *= 10.0 ** rng.uniform(1, 12)
    return rows


def _collinear(rng, n, d):
    along = rng.normal(size=(n, 1)) * rng.normal(size=(1, d))
    return along + rng.choice([0.0, 1e-12, 1e-3]) * rng.normal(size=(n, d))


def _nearly_equal(rng, n, d):
    return rng.choice([0.0, 1.0]) + 10.0 ** rng.uniform(-17, -10) * rng.normal(size=(n, d))


def _unequal_columns(rng, n, d):
    return _blobs(rng, n, d) * 10.0 ** (rng.choice([3, 12, 150]) * rng.uniform(-1, 1, d))


def _skewed(rng, n, d):
    return np.exp(rng.choice([1.0, 5.0]) * rng.normal(size=(n, d)))


KINDS = {
    "blobs": _blobs,
    "noise": lambda rng, n, d: rng.normal(size=(n, d)),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy(size=(n, d)),
    "skewed": _skewed,
    "few values": _few_values,
    "coin flips": lambda rng, n, d: rng.integers(0, 2, size=(n, d)).astype(float),
    "copies": _copies,
    "constant columns": _constant_columns,
    "outliers": _outliers,
    "collinear": _collinear,
    "nearly equal": _nearly_equal,
    "unequal columns": _unequal_columns,
}


@dataclass(frozen=True)
class Table:
    """A table of rows, as it is drawn again from its words and numbers."""

    kind: str
    n: int
    d: int
    seed: int
    exponent: float = 0.0  # of the scale
    offset: float = 0.0  # in units of the scale
    dtype: str = "float64"

    def rows(self):
        rng = np.random.default_rng(self.seed)
        with np.errstate(over="ignore", under="ignore"):
            rows = (KINDS[self.kind](rng, self.n, self.d) + self.offset) * 10.0**self.exponent
            return rows.astype(self.dtype)


def _decades(rng, n):
    return 10.0 ** (rng.choice([3, 12, 30, 150]) * rng.uniform(-1, 1, n))


def _decades_and_zeros(rng, n):
    return _decades(rng, n) * (rng.random(n) < 0.7) + np.eye(1, n)[0]


def _one_alone(rng, n):
    weights = np.zeros(n)
    weights[rng.integers(n)] = 2.0
    return weights


WEIGHTS = {
    "none": lambda rng, n: None,
    "ones": lambda rng, n: np.ones(n),
    "counts": lambda rng, n: rng.integers(0, 4, n) + np.eye(1, n)[0],
    "fractions": lambda rng, n: rng.uniform(0.1, 1.0, n),
    "shares": lambda rng, n: np.full(n, 1.0 / n),
    "decades": _decades,
    "decades and zeros": lambda rng, n: (
        _decades(rng, n) * (rng.random(n) < 0.7) + np.eye(1, n)[0]
    ),
    "one alone": _one_alone,
    "tiny": lambda rng, n: np.full(n, 1e-300),
    "huge": lambda rng, n: np.full(n, 1e200),
    "a number": lambda rng, n: 3.0,
}


@dataclass(frozen=True)
class Weights:
    """Row weights, as they are drawn again."""

    kind: str
    seed: int

    def of(self, n):
        return WEIGHTS[self.kind](np.random.default_rng(self.seed), n)


seeds = st.integers(0, 2**32 - 1)


def common_or(common, other):
    """Two times in three what is common."""
    return st.one_of(st.just(common), st.just(common), other)


tables = st.builds(
    Table,
    kind=st.sampled_from(list(KINDS)),
    n=st.one_of(st.integers(1, 12), st.integers(10, 100), st.integers(10, 300)),
    d=st.one_of(st.integers(1, 4), st.integers(1, 30)),
    seed=seeds,
    exponent=common_or(
        0.0,
        st.one_of(
            st.floats(-12, 12), st.floats(-165, 165), st.sampled_from([-300, -200, 150, 300])
        ),
    ),
    offset=common_or(0.0, st.sampled_from([1.0, -1e3, 1e6, 1e12])),
    dtype=common_or("float64", st.just("float32")),
)
weightings = st.builds(
    Weights, kind=common_or("none", st.sampled_from(list(WEIGHTS))), seed=seeds
)
