"""``fastcaf warm-up``: compile the kernels now."""

from __future__ import annotations

import argparse
import time
from typing import Any

from fastcaf.cli.commands.errors import DONE
from fastcaf.cli.commands.kernel_cache import announce_compilation, cache_folder
from fastcaf.estimators.warm_up import warm_up
from fastcaf.kernels.cache_files import clear, complaints

__all__ = ["add_to", "run"]


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to a parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "warm-up", help="compile the kernels now, so that no fit has to wait"
    )
    parser.add_argument("--float32", action="store_true", help="those for float32 data, too")
    parser.add_argument(
        "--clear",
        action="store_true",
        help="remove what was compiled before: the cure where the cache is damaged",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Compile, or load what is compiled."""
    if options.clear:
        print(f"{clear()} compiled kernels removed")
    announce_compilation()
    start = time.perf_counter()
    warm_up(float32=options.float32)
    print(f"kernels are ready ({time.perf_counter() - start:.1f} s)")
    lost = [one for one in complaints if "is damaged" not in one]  # damaged ones are replaced
    folder = cache_folder()
    print(f"  kept in {folder}" if folder and not lost else "  but not all of them are kept")
    return DONE
