"""``fastcaf cluster FILE``: cluster the rows of a table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastcaf.commands.errors import DONE, KEPT, CommandError, tell
from fastcaf.commands.options import (
    add_fit_options,
    add_table_options,
    beside,
    read_chosen,
    unfitted,
)
from fastcaf.commands.output import result_folder
from fastcaf.commands.preparation import Preparation
from fastcaf.commands.results import write_results
from fastcaf.plot import overview

__all__ = ["add_to", "run"]


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to a parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cluster",
        help="cluster the rows of a table",
        description="Cluster the rows of a table: CSV or TSV with or without header, .npy or "
        ".parquet.",
    )
    parser.add_argument("file", type=Path, help="the table")
    add_table_options(parser)
    add_fit_options(parser)
    group = parser.add_argument_group("what is written")
    group.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="labels, memberships, centroids, path, summary and model; default data.clusters",
    )
    group.add_argument("--plot", type=Path, metavar="FILE.png", help="a picture of the fit")
    group.add_argument("--html", type=Path, metavar="FILE.html", help="a page to explore it")
    return parser


def run(options: argparse.Namespace) -> int:
    """Read, fit, write, and say what was found."""
    table = read_chosen(options)
    _check_pictures(options)
    folder = options.out or beside(options.file, "clusters")
    preparation = Preparation.of(table, standardize=options.standardize)
    chosen = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in vars(options).items()
        if name not in ("run", "debug", "file")
    }
    with result_folder(folder):
        model = unfitted(options).fit(preparation.training(table.values))
        short = write_results(folder, model, table, preparation, options.file, chosen)
    print(model.summary())
    print(f"  written: {folder}" + (f" ({short})" if short else ""))
    for picture in _pictures(options, model, lambda: preparation.apply(table.values)):
        print(f"  written: {picture}")
    if _was_interrupted(model):
        tell("interrupted: the files hold the levels reached")
        return KEPT
    return DONE


def _was_interrupted(model: Any) -> bool:
    stopped = any(path.interrupted for path in model.paths_.values())
    record = model.representatives_
    return stopped or (record is not None and "interrupted" in record.note)


def _check_pictures(options: argparse.Namespace) -> None:
    """Before the fit, so that none is in vain."""
    if options.plot is not None and find_spec("matplotlib") is None:
        raise CommandError('--plot needs matplotlib: pip install "fastcaf[plot]"')
    for path in (options.plot, options.html):
        if path is not None and not path.absolute().parent.is_dir():
            raise CommandError(f"there is no folder {path.parent} for {path}")


def _pictures(options: argparse.Namespace, model: Any, rows: Callable[[], Any]) -> list[Path]:
    """Make what was asked for."""
    try:
        if options.plot is not None:
            overview(model, rows()).figure.savefig(options.plot)
        if options.html is not None:
            model.explore(options.html, rows())
    except ImportError as error:
        raise CommandError(f'{error}: pip install "fastcaf[plot]"') from error
    return [path for path in (options.plot, options.html) if path is not None]
