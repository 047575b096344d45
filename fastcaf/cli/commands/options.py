"""Options that several commands share, and what they lead to."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastcaf.cli.commands.kernel_cache import announce_compilation
from fastcaf.cli.tables import ChosenColumns, Table, is_piped, read_table
from fastcaf.estimators import CAFHFCM
from fastcaf.memberships import MEMBERSHIPS
from fastcaf.parameters import COVARIANCE_TYPES
from fastcaf.selection.rules import RULES

__all__ = [
    "add_fit_options",
    "add_raw",
    "add_table_options",
    "beside",
    "read_chosen",
    "unfitted",
]

RULE_NAMES = ["auto", "likelihood", *RULES]


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """How the file is read."""
    group = parser.add_argument_group("the table")
    group.add_argument(
        "--columns",
        metavar="A,B,...",
        help="names of the columns to use, or numbers from 1 where there is no header",
    )
    group.add_argument("--id", metavar="NAME", help="the column that names the rows")
    group.add_argument(
        "--header",
        action="store_true",
        help="the first line holds names, even if some are numbers",
    )


def add_fit_options(parser: argparse.ArgumentParser) -> None:
    """How clusters are looked for."""
    group = parser.add_argument_group("the fit")
    group.add_argument(
        "--standardize",
        action="store_true",
        help="mean 0 and deviation 1 for every column: for units that differ",
    )
    level = group.add_mutually_exclusive_group()
    level.add_argument("--n-clusters", type=int, help="default: found automatically")
    level.add_argument("--gamma", type=float, help="follow the path up to this gamma")
    group.add_argument(
        "--rule",
        default="auto",
        choices=RULE_NAMES,
        metavar="RULE",
        help=f"how the number is chosen: {', '.join(RULE_NAMES)}; default auto",
    )
    group.add_argument(
        "--membership", default="auto", choices=list(MEMBERSHIPS), help="default auto"
    )
    group.add_argument(
        "--covariance-type",
        default="full",
        choices=list(COVARIANCE_TYPES),
        help="of --membership gaussian: clusters of any shape, or round ones; default full",
    )
    group.add_argument(
        "--noise",
        type=_noise,
        metavar="D",
        help="rows farther than this from all clusters get the label -1: a distance (in "
        "deviations with --standardize), or auto; default none",
    )
    group.add_argument(
        "--fuzzifier",
        type=_number_or_auto,
        default=2.0,
        metavar="M",
        help="of fcm and kernel: m > 1, or auto; default 2",
    )
    group.add_argument(
        "--bandwidth",
        type=_number_or_auto,
        default="auto",
        metavar="H",
        help="of --membership kernel: a length, or auto; default auto",
    )
    group.add_argument("--seed", type=int, default=0, help="seed of the start, default 0")
    group.add_argument("--jobs", type=int, help="threads, default all")
    group.add_argument(
        "--representatives",
        type=_representatives,
        default="auto",
        metavar="R",
        help="of large data: a number, none or auto; default auto",
    )


def add_raw(parser: Any) -> None:
    """Whether cells that spreadsheets would run are written as they are."""
    parser.add_argument(
        "--raw",
        action="store_true",
        help="write names and ids that begin with = + - @ as they are; spreadsheets run them",
    )


def _number_or_auto(text: str) -> float | str:
    return text if text == "auto" else float(text)


def _noise(text: str) -> float | str | None:
    return None if text == "none" else _number_or_auto(text)


def _representatives(text: str) -> int | str | None:
    if text in ("auto", "none"):
        return None if text == "none" else text
    return int(text)


def read_chosen(options: argparse.Namespace) -> Table:
    """The table that the options name."""
    columns = ChosenColumns.of(options.columns, options.id)
    return read_table(options.file, columns, first_line_is_header=options.header)


def unfitted(options: argparse.Namespace) -> Any:
    """The estimator that the options describe; on a terminal it shows its progress."""
    announce_compilation(only_on_terminal=True)
    watched = sys.stderr.isatty() and find_spec("tqdm") is not None
    return CAFHFCM(
        n_clusters=options.n_clusters,
        gamma=options.gamma,
        membership=options.membership,
        covariance_type=options.covariance_type,
        noise=options.noise,
        fuzzifier=options.fuzzifier,
        bandwidth=options.bandwidth,
        selection=options.rule,
        random_state=options.seed,
        n_jobs=options.jobs,
        representatives=options.representatives,
        verbose=int(watched),
    )


def beside(file: Path, ending: str) -> Path:
    """data.csv and "clusters" give data.clusters; a pipe has no place of its own."""
    if is_piped(file):
        return Path(f"piped.{ending}")
    return file.with_name(f"{file.stem}.{ending}")
