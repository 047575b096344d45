"""``fastcaf predict MODEL FILE``: labels and memberships of new rows."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fastcaf.cli.commands.errors import DONE, CommandError
from fastcaf.cli.commands.options import add_raw, add_table_options, beside
from fastcaf.cli.commands.output import LABELS, MEMBERSHIPS, result_folder, write_rows
from fastcaf.cli.commands.results import load_model, preparation_of
from fastcaf.cli.commands.terminal import say
from fastcaf.cli.tables import ChosenColumns, read_table
from fastcaf.display.report.findings import count

__all__ = ["add_to", "run"]


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to a parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "predict",
        help="labels and memberships of new rows",
        description="Labels and memberships of new rows.  Columns are found by name, and "
        "standardised as they were for the fit.",
    )
    parser.add_argument(
        "model", type=Path, help="a folder that fastcaf cluster wrote, or a saved model"
    )
    parser.add_argument("file", type=Path, help="the table")
    add_table_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="labels and memberships; default data.predicted",
    )
    add_raw(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Read, label and write."""
    model = load_model(options.model)
    preparation = preparation_of(options.model, model, options.id)
    chosen = ChosenColumns.of(options.columns, options.id)
    columns = chosen if chosen.wanted else preparation
    table = read_table(options.file, columns, first_line_is_header=options.header)
    if table.values.shape[1] != model.n_features_in_:
        raise CommandError(
            f"{options.file}: {count(table.values.shape[1], 'column')}, but the model was "
            f"fitted to {model.n_features_in_}; choose them with --columns"
        )
    folder = options.out or beside(options.file, "predicted")
    with result_folder(folder, (LABELS, MEMBERSHIPS)) as part:
        short = write_rows(part, model, table, preparation, None, raw=options.raw)
    say(f"{count(len(table.values), 'row')}, {count(model.n_clusters_, 'cluster')}")
    say(f"  written: {folder}" + (f" ({short})" if short else ""))
    return DONE
