"""The command line: ``fastcaf demo`` and ``fastcaf cluster data.csv``."""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fastcaf import CAFHFCM, __version__
from fastcaf.table import TableError, read_csv

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code: 0, or 2 where the input cannot be used.
    """
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        try:
            code: int = options.run(options)
        except (TableError, ValueError, OSError) as error:
            print(f"fastcaf: {error}", file=sys.stderr)
            return 2
    return code


def _show_warning(message: Warning | str, *details: object) -> None:
    print(f"fastcaf: warning: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fastcaf",
        description="Fuzzy clustering that finds the number of clusters by itself.",
    )
    parser.add_argument("--version", action="version", version=f"fastcaf {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="cluster Iris and a generated mixture")
    demo.set_defaults(run=_demo)
    cluster = commands.add_parser("cluster", help="cluster the rows of a CSV file")
    cluster.add_argument("file", type=Path, help="CSV of numbers, with or without header")
    level = cluster.add_mutually_exclusive_group()
    level.add_argument("--n-clusters", type=int, help="default: found automatically")
    level.add_argument("--gamma", type=float, help="follow the path up to this gamma")
    cluster.add_argument(
        "--membership", default="auto", choices=["auto", "fcm", "entropy"], help="default auto"
    )
    cluster.add_argument("--fuzzifier", type=float, default=2.0, help="m > 1, default 2")
    cluster.add_argument("--seed", type=int, default=0, help="seed of the start, default 0")
    cluster.add_argument("--jobs", type=int, help="threads, default all")
    cluster.add_argument(
        "--out", type=Path, help="labels and memberships, default data.clusters.csv"
    )
    cluster.set_defaults(run=_cluster)
    return parser


def _demo(options: argparse.Namespace) -> int:
    from sklearn.datasets import load_iris, make_blobs

    print("Iris (three species, two of them overlapping)")
    print(CAFHFCM(random_state=0).fit(load_iris().data).summary())
    print()
    print("A mixture of 12 Gaussians in the plane")
    mixture, _ = make_blobs(3000, centers=12, cluster_std=0.5, random_state=4)
    print(CAFHFCM(random_state=0).fit(mixture).summary())
    return 0


def _cluster(options: argparse.Namespace) -> int:
    table = read_csv(options.file)
    model = CAFHFCM(
        n_clusters=options.n_clusters,
        gamma=options.gamma,
        membership=options.membership,
        fuzzifier=options.fuzzifier,
        random_state=options.seed,
        n_jobs=options.jobs,
    ).fit(table.values)
    out = options.out or _default_out(options.file)
    _write(out, model)
    print(model.summary())
    print(f"  written: {out}")
    return 0


def _default_out(file: Path) -> Path:
    """data.csv goes to data.clusters.csv, any other name keeps its ending."""
    stem = file.with_suffix("") if file.suffix == ".csv" else file
    return stem.with_name(stem.name + ".clusters.csv")


def _write(out: Path, model: CAFHFCM) -> None:
    """One line a row: its label, then its membership in every cluster."""
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["label", *(f"membership_{j}" for j in range(model.n_clusters_))])
        for label, row in zip(model.labels_, np.asarray(model.memberships_), strict=True):
            writer.writerow([int(label), *(f"{value:.6g}" for value in row)])
