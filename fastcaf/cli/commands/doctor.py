"""``fastcaf doctor``: whether everything is in place."""

from __future__ import annotations

import argparse
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
import numpy as np

from fastcaf.cli.commands.errors import DONE, UNEXPECTED
from fastcaf.cli.commands.kernel_cache import (
    announce_compilation,
    cache_folder,
    kernels_are_cached,
)
from fastcaf.cli.commands.records import versions
from fastcaf.estimators import FuzzyCMeans
from fastcaf.kernels.cache_files import CURE, NO_FOLDER, damaged_files
from fastcaf.runtime.threads import PARALLEL_WORK

__all__ = ["add_to", "run"]

# What each extra of pyproject.toml brings, and what it is for.
EXTRAS = {
    "plot": ("matplotlib", "pictures"),
    "progress": ("tqdm", "a progress bar"),
    "parquet": ("pyarrow", "Parquet files"),
}


def add_to(commands: Any) -> argparse.ArgumentParser:
    """Add the command to a parser's commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        help="versions, threads, kernel cache, extras; a small fit",
        description="Show what fastcaf runs on, and try a small fit. Exit code 0 if it works.",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Print what there is; 1 where something needs attention."""
    announce_compilation()
    for name, number in versions().items():
        print(f"{name:16} {number}")
    cached = "yes" if kernels_are_cached() else "no; fastcaf warm-up compiles them"
    complaints = [*_cache(), *_trial()]
    print(f"{'kernels cached':16} {cached}")
    for extra, (module, purpose) in EXTRAS.items():
        found = "yes" if find_spec(module) else f'no; pip install "fastcaf[{extra}]"'
        print(f"{purpose:16} {found}")
    for complaint in complaints:
        print(f"attention: {complaint}")
    print("all is well" if not complaints else f"{len(complaints)} to look at")
    return UNEXPECTED if complaints else DONE


def _cache() -> list[str]:
    folder = cache_folder()
    if folder is None:
        print(f"{'kernel cache':16} none")
        return [NO_FOLDER]
    obstacle = _obstacle(folder)
    print(f"{'kernel cache':16} {folder} ({obstacle or 'writable'})")
    found = [f"the cache of compiled kernels cannot be written: {obstacle}"] if obstacle else []
    if damaged := list(damaged_files()):
        one = f"{damaged[0].name} in {damaged[0].parent}"
        found.append(f"{len(damaged)} compiled kernels are damaged, such as {one}; {CURE}")
    return found


def _obstacle(folder: Path) -> str:
    """What keeps us from writing as much as a kernel; empty where nothing does."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1_000_000))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _trial() -> list[str]:
    """A fit large enough for threads; which threading layer runs is known only then."""
    rows = np.random.default_rng(0).normal(size=(PARALLEL_WORK // 4, 2))
    rows[: len(rows) // 2] += 20.0
    try:
        labels = FuzzyCMeans(3, max_iter=1000, random_state=0).fit(rows).labels_
        found = len(set(labels[: len(rows) // 2]) & set(labels[len(rows) // 2 :]))
    except Exception as error:
        return [f"a small fit failed: {type(error).__name__}: {error}"]
    layer = numba.threading_layer()  # type: ignore[attr-defined]
    threads = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    print(f"{'threads':16} {threads} ({layer})")
    return ["a small fit put rows of two clouds together"] if found else []
