"""``fastcaf tree FILE_OR_MODEL``: how clusters fuse, as text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from fastcaf.cli.commands.errors import DONE, KEPT, CommandError
from fastcaf.cli.commands.options import (
    add_fit_options,
    add_table_options,
    read_chosen,
    unfitted,
)
from fastcaf.cli.commands.preparation import Preparation
from fastcaf.cli.commands.records import was_interrupted
from fastcaf.cli.commands.results import MODEL, load_model
from fastcaf.cli.commands.terminal import say, tell
from fastcaf.cli.tables import is_piped
from fastcaf.display.report import text_tree

__all__ = ["add_to", "run"]

ZIP = b"PK\x03\x04"  # what a saved model begins with


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to a parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "tree",
        help="how clusters fuse, as text",
        description="The tree of the last clusters: the gamma at which they fuse, or the "
        "likelihood lost when they merge, and their sizes.",
    )
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE_OR_MODEL",
        help="a table, which is clustered; a folder that fastcaf cluster wrote; a saved model",
    )
    parser.add_argument(
        "--levels", type=int, default=12, metavar="N", help="clusters shown, default 12"
    )
    add_table_options(parser)
    add_fit_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Load or fit, and print."""
    if options.levels < 1:
        raise CommandError(f"--levels must be at least 1, got {options.levels}")
    if _is_model(options.file):
        model = load_model(options.file)
        if not hasattr(model, "path_"):
            raise CommandError(f"{options.file} holds a {type(model).__name__}, without a path")
    else:
        table = read_chosen(options)
        preparation = Preparation.of(table, standardize=options.standardize)
        model = unfitted(options).fit(preparation.training(table.values))
    say(_printable(text_tree(model, options.levels)))
    if was_interrupted(model):
        tell("interrupted: the tree rests on the levels reached")
        return KEPT
    return DONE


def _is_model(path: Path) -> bool:
    """A folder or a saved model; whatever else it is, ``cluster`` takes it as a table."""
    if path.is_dir() or path.suffix == Path(MODEL).suffix:
        return True
    if is_piped(path) or not path.is_file():  # read once; the reader says what is missing
        return False
    with path.open("rb") as file:
        return file.read(len(ZIP)) == ZIP


def _printable(text: str) -> str:
    """Lines of plain characters where the output has no others."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(str.maketrans("├└│─", "|`|-"))
    return text
