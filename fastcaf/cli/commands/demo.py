"""``fastcaf demo``: two fits to look at."""

from __future__ import annotations

import argparse
from typing import Any

from sklearn.datasets import load_iris, make_blobs

from fastcaf.cli.commands.errors import DONE
from fastcaf.cli.commands.kernel_cache import announce_compilation
from fastcaf.estimators import CAFHFCM

__all__ = ["add_to", "run"]

NEXT = """\
Next:
  fastcaf cluster data.csv                 labels, memberships, centroids: data.clusters/
  fastcaf cluster data.csv --standardize   where the units of the columns differ
  fastcaf tree data.csv                    how the clusters fuse
  fastcaf predict data.clusters new.csv    labels of new rows
  python: from fastcaf import CAFHFCM; print(CAFHFCM(random_state=0).fit(X).summary())"""


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to a parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo", help="cluster Iris and a generated mixture"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Fit, print, and say what to do next."""
    announce_compilation()
    print("Iris (three species, two of which overlap: 2 clusters are clear, 3 come second)")
    print(CAFHFCM(random_state=0).fit(load_iris().data).summary())
    print()
    print("A mixture of 12 Gaussians in the plane")
    mixture, _ = make_blobs(3000, centers=12, cluster_std=0.5, random_state=4)
    print(CAFHFCM(random_state=0).fit(mixture).summary())
    print()
    print(NEXT)
    return DONE
