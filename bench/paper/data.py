"""The paper's data sets.  What the print does not give is chosen here, and said in the notes.

Iris comes with scikit-learn.  Seeds and Breast are read from the folder that the environment
variable FASTCAF_DATA names (seeds.csv, breast_cancer_wisconsin_original.csv), or fetched from
OpenML; where neither is there, they are left out with a message.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_openml, load_iris

SEED = 0  # of the generated sets: runs differ in their starts only, but for draws.py
NOISE = -1
Labelled = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class PaperSet:
    """A data set, its true number of clusters, and the gamma that the paper reports for it."""

    name: str
    X: np.ndarray
    y: np.ndarray
    n_clusters: int
    gamma: float
    note: str

    @property
    def grid(self) -> np.ndarray:
        """100 equal steps up to twice the paper's gamma (the print does not give its grids)."""
        return np.linspace(0.0, 2.0 * self.gamma, 101)[1:]


def around(means: np.ndarray, variance: float, each: int, seed: int) -> Labelled:
    """Spherical Gaussian clusters of one size."""
    y = np.repeat(np.arange(len(means)), each)
    steps = np.random.default_rng(seed).normal(size=(len(y), means.shape[1]))
    return means[y] + np.sqrt(variance) * steps, y


def gaussian_mixture(seed: int = SEED) -> Labelled:
    means = np.array([[5, 2], [3, 4], [8, 4], [6, 6], [10, 8], [7, 10]], dtype=float)
    return around(means, 0.4, 50, seed)


def gaussian_mixture_hd(seed: int = SEED) -> Labelled:
    return around(np.random.default_rng(20).uniform(0, 10, size=(6, 20)), 1.0, 50, seed)


def gaussian(seed: int = SEED) -> Labelled:
    means = 10.0 * np.array([(i, j) for i in range(5) for j in range(5)])
    return around(means, 0.25, 20, seed)


def noisy_uniform(seed: int = SEED) -> Labelled:
    """13 blocks of 50 rows, a 3 x 3 grid and the 2 x 2 gaps in it, and 100 rows of noise."""
    rng = np.random.default_rng(seed)
    places = [(2.0 * i, 2.0 * j) for i in range(3) for j in range(3)]
    places += [(2.0 * i + 1, 2.0 * j + 1) for i in range(2) for j in range(2)]
    y = np.repeat(np.arange(13), 50)
    blocks = np.array(places)[y] + rng.uniform(-0.4, 0.4, size=(650, 2))
    noise = rng.uniform(-0.6, 4.6, size=(100, 2))
    return np.vstack([blocks, noise]), np.append(y, np.full(100, NOISE))


def read_table(file: str, openml_name: str) -> np.ndarray | None:
    """Columns of numbers, the class last; None, with a message, where the set is not there."""
    folder = os.environ.get("FASTCAF_DATA")
    if folder and (Path(folder) / file).exists():
        return np.genfromtxt(Path(folder) / file, delimiter=",", skip_header=1)
    try:
        bunch = fetch_openml(openml_name, version=1, as_frame=True, parser="auto")
    except Exception as error:  # no network, no such set, a broken download: all the same here
        message = f"{file}: not in FASTCAF_DATA, and OpenML did not answer ({error})"
        print(f"{message}; the set is left out.", file=sys.stderr)
        return None
    numbers = bunch.data.apply(lambda column: column.astype(float)).to_numpy()
    classes = np.unique(bunch.target.to_numpy(), return_inverse=True)[1]
    return np.column_stack([numbers, classes])


@cache
def breast_table() -> np.ndarray | None:
    """699 rows: nine attributes, bare nuclei (sixth) with 16 missing values, and the class."""
    table = read_table("breast_cancer_wisconsin_original.csv", "breast-w")
    return None if table is None else table[:, -10:]  # without the id, where there is one


def breast() -> Labelled | None:
    table = breast_table()
    if table is None:
        return None
    X = table[:, :-1]
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X), table[:, -1]


def seeds() -> Labelled | None:
    table = read_table("seeds.csv", "seeds")
    return None if table is None else (table[:, :-1], table[:, -1])


def iris() -> Labelled:
    return load_iris(return_X_y=True)


SETS: list[tuple[str, Callable[[], Labelled | None], int, float, str]] = [
    (
        "GaussianMixture",
        gaussian_mixture,
        6,
        2.18,
        "300 x 2. Means and covariance are not printed: those of the sibling U-k-means "
        "example, (5,2) (3,4) (8,4) (6,6) (10,8) (7,10) and 0.4 I, 50 rows each.",
    ),
    (
        "GaussianMixture-HD",
        gaussian_mixture_hd,
        6,
        9.25,
        "300 x 20. Parameters are not printed: means uniform in [0, 10]^20, covariance I, "
        "50 rows each; our choice.",
    ),
    (
        "Gaussian",
        gaussian,
        25,
        0.25,
        "500 x 2, covariance 0.25 I. The print says 25 means but indexes 5 x 4: 5 x 5 means "
        "with step 10, 20 rows each.",
    ),
    ("Iris", iris, 3, 4.3, "150 x 4, raw."),
    (
        "Breast",
        breast,
        2,
        100.0,
        "699 x 9, raw; the 16 missing values of bare nuclei set to the median (1). The print "
        "discards the attribute and names 9 all the same; its figures are nearer with it.",
    ),
    ("Seeds", seeds, 3, 14.5, "210 x 7, raw."),
]


def paper_sets() -> Iterator[PaperSet]:
    """The six sets of Table 1, as far as they are at hand."""
    for name, load, n_clusters, gamma, note in SETS:
        labelled = load()
        if labelled is not None:
            yield PaperSet(name, *labelled, n_clusters, gamma, note)


def paper_set(name: str) -> PaperSet | None:
    """One of them, None where it is not at hand."""
    return next((one for one in paper_sets() if one.name == name), None)


def uniform_set() -> PaperSet:
    """The set of Table 2."""
    note = (
        "750 x 2. Places of the blocks are not printed: a 3 x 3 grid of step 2 and the 2 x 2 "
        "gaps in it, squares of side 0.8, 50 rows each; 100 rows of noise over all of it."
    )
    return PaperSet("noisy Uniform", *noisy_uniform(), 13, 0.55, note)
