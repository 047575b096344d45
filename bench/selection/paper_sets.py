"""The paper's sets.  What it does not print is chosen here, and said."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from bench.selection.sets import NOISE, LabelledSet

# Not printed; those of the sibling U-k-means example.
MIXTURE_MEANS = np.array([[5, 2], [3, 4], [8, 4], [6, 6], [10, 8], [7, 10]], dtype=float)
MIXTURE_VARIANCE = 0.4
SEED = 0


def blobs(means: np.ndarray, variance: float, each: int) -> tuple[np.ndarray, np.ndarray]:
    """Spherical clusters of one size around the means."""
    labels = np.repeat(np.arange(len(means)), each)
    noise = np.random.default_rng(SEED).normal(size=(len(labels), means.shape[1]))
    return means[labels] + np.sqrt(variance) * noise, labels


def gaussian_mixture() -> tuple[np.ndarray, np.ndarray]:
    """300 x 2, six components."""
    return blobs(MIXTURE_MEANS, MIXTURE_VARIANCE, 50)


def gaussian_mixture_hd() -> tuple[np.ndarray, np.ndarray]:
    """300 x 20, six components; means uniform in [0, 10]^20, unit variance (our choice)."""
    means = np.random.default_rng(20).uniform(0, 10, size=(6, 20))
    return blobs(means, 1.0, 50)


def gaussian_grid() -> tuple[np.ndarray, np.ndarray]:
    """500 x 2: 5 x 5 means with step 10, covariance 0.25 I, 20 rows each."""
    grid = 10.0 * np.array([(i, j) for i in range(5) for j in range(5)])
    return blobs(grid, 0.25, 20)


def noisy_uniform() -> tuple[np.ndarray, np.ndarray]:
    """13 square blocks of 50 rows in a quincunx, and 100 rows of noise over all of it.

    The places are not printed: a 3 x 3 grid of step 2 and the 2 x 2 gaps between, blocks of
    side 0.8 (our choice).
    """
    rng = np.random.default_rng(SEED)
    corners = [(2.0 * i, 2.0 * j) for i in range(3) for j in range(3)]
    gaps = [(2.0 * i + 1, 2.0 * j + 1) for i in range(2) for j in range(2)]
    places = np.array(corners + gaps)
    labels = np.repeat(np.arange(13), 50)
    rows = places[labels] + rng.uniform(-0.4, 0.4, size=(650, 2))
    noise = rng.uniform(-0.6, 4.6, size=(100, 2))
    return np.vstack([rows, noise]), np.append(labels, np.full(100, NOISE))


def iris() -> tuple[np.ndarray, np.ndarray]:
    """150 x 4, raw."""
    return load_iris(return_X_y=True)


def seeds(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """210 x 7, raw."""
    table = np.genfromtxt(folder / "seeds.csv", delimiter=",", skip_header=1)
    return table[:, :-1], table[:, -1].astype(int)


def breast(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """699 x 8, raw, without bare nuclei (the column with missing values)."""
    table = np.genfromtxt(
        folder / "breast_cancer_wisconsin_original.csv", delimiter=",", skip_header=1
    )
    return table[:, [1, 2, 3, 4, 5, 7, 8, 9]], table[:, -1].astype(int)


def paper_sets(folder: Path | None) -> Iterator[LabelledSet]:
    """The six sets of Table 1 and the noisy Uniform one; Seeds and Breast need the folder."""
    makers = [
        ("GaussianMixture", 6, gaussian_mixture),
        ("GaussianMixture-HD", 6, gaussian_mixture_hd),
        ("Gaussian", 25, gaussian_grid),
        ("Iris", 3, iris),
        ("noisy Uniform", 13, noisy_uniform),
    ]
    if folder is not None:
        makers += [("Seeds", 3, partial(seeds, folder)), ("Breast", 2, partial(breast, folder))]
    for name, k, maker in makers:
        yield LabelledSet(f"paper-{name}", "paper", SEED, k, maker)
