"""What users would pick instead, one small file each.

A peer may offer, always with the preparation outside the returned call:

``fit(rows, start)``        a call ``run(n_iter)`` that does exactly that many iterations
                            from the same start and returns a ``Fit``
``predict(rows, centers)``  a call that returns memberships or labels of new rows
``choose(rows)``            a call that returns labels, the number of clusters found by itself
``fuse(weight, means, gamma)``   a call that solves the centroid problem
"""

from __future__ import annotations

import importlib
import importlib.resources
import warnings
from dataclasses import dataclass
from types import ModuleType

import numpy as np

# file in this folder -> name to install
PACKAGES = {
    "fastcaf_": "fastcaf",
    "scikit_fuzzy": "scikit-fuzzy",
    "scikit_fuzzy_c_means": "scikit-fuzzy-c-means",
    "fuzzy_c_means": "fuzzy-c-means",
    "kmeans": "scikit-learn",
    "mixture": "scikit-learn",
    "hdbscan": "scikit-learn",
    "scs": "cvxpy scs",
}


class NotInstalled(Exception):
    """The peer cannot be measured here; the message says what to install."""


@dataclass(frozen=True)
class Fit:
    """Centres after so many iterations."""

    centers: np.ndarray
    n_iter: int


def load(name: str) -> ModuleType:
    """The peer's file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(f"bench.peers.{name}")
    except ImportError as error:
        raise NotInstalled(f"pip install {PACKAGES[name]} ({error})") from error


def offering(what: str) -> list[str]:
    """Peers that offer this, by what their files say (also where they are not installed)."""
    folder = importlib.resources.files("bench.peers")
    return [
        name
        for name in PACKAGES
        if f"\ndef {what}(" in (folder / f"{name}.py").read_text(encoding="utf-8")
    ]
