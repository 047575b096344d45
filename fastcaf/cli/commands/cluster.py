"""``fastcaf cluster FILE``: cluster the rows of a table."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.cli.commands.errors import DONE, KEPT, CommandError
from fastcaf.cli.commands.means import means_table
from fastcaf.cli.commands.options import (
    add_fit_options,
    add_raw,
    add_table_options,
    beside,
    read_chosen,
    unfitted,
)
from fastcaf.cli.commands.output import result_folder
from fastcaf.cli.commands.preparation import Preparation
from fastcaf.cli.commands.records import was_interrupted
from fastcaf.cli.commands.results import RESULTS, write_results
from fastcaf.cli.commands.terminal import say, tell
from fastcaf.display.plot import overview
from fastcaf.display.report import text_report
from fastcaf.storage.writing import destination, replacing

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
        help="labels, memberships, centroids, means, path, summary and model; default "
        "data.clusters",
    )
    add_raw(group)
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
    rows = preparation.training(table.values)
    with result_folder(folder, RESULTS) as part:
        model = unfitted(options).fit(rows)
        short = write_results(part, model, table, preparation, options.file, chosen)
    try:
        say(text_report(model, doubts=False))  # they were shown as warnings
        say("\n".join(means_table(model, table, preparation)))
        say(f"  written: {folder}" + (f" ({short})" if short else ""))
        if options.plot is not None or options.html is not None:
            if not isinstance(rows, np.ndarray):  # blocks, which cannot be drawn
                rows = preparation.apply(table.values)
            _draw(options, model, rows)
    except KeyboardInterrupt:
        tell(f"interrupted: the results are in {folder}; pictures may be missing")
        return KEPT
    if was_interrupted(model):
        tell("interrupted: the files hold the levels reached")
        return KEPT
    return DONE


def _check_pictures(options: argparse.Namespace) -> None:
    """Before the fit, so that no result is lost."""
    for option, path in (("--plot", options.plot), ("--html", options.html)):
        if path is None:
            continue
        try:
            destination(path)
        except OSError as error:
            raise CommandError(f"{option} names a file to write: {error}") from error
    if options.plot is None:
        return
    if find_spec("matplotlib") is None:
        raise CommandError('--plot needs matplotlib: pip install "fastcaf[plot]"')
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if options.plot.suffix.lower().removeprefix(".") not in known:
        endings = ", ".join(sorted(known))
        raise CommandError(f"--plot {options.plot}: the ending must be one of {endings}")


def _draw(options: argparse.Namespace, model: Any, rows: NDArray) -> None:
    """Make what was asked for, and say so."""
    if options.plot is not None:
        with replacing(options.plot) as stream:
            ending = options.plot.suffix.lower().removeprefix(".")
            overview(model, rows).figure.savefig(stream, format=ending)
        say(f"  written: {options.plot}")
    if options.html is not None:
        # Those that the model kept are known to be the rows of the fit.
        model.explore(options.html, None if model._training_rows is not None else rows)
        say(f"  written: {options.html}")
