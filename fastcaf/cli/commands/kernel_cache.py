"""Where compiled kernels are kept, and whether they are there."""

from __future__ import annotations

import sys
from pathlib import Path

from fastcaf.cli.commands.errors import tell
from fastcaf.kernels.loop.compiled_loop import alternate

__all__ = ["announce_compilation", "cache_folder", "kernels_are_cached"]


def cache_folder() -> Path | None:
    """The folder, or None where Numba found none that can be written."""
    cache = getattr(alternate, "_cache", None)
    path = getattr(cache, "cache_path", None)
    return Path(path) if path else None


def kernels_are_cached() -> bool:
    """Whether the largest kernel has been compiled before, by this or another process."""
    folder = cache_folder()
    return folder is not None and any(folder.glob("compiled_loop.alternate-*.nbc"))


def announce_compilation(*, only_on_terminal: bool = False) -> None:
    """Say so where the first fit will have to compile: it takes a while, once."""
    if kernels_are_cached() or (only_on_terminal and not sys.stderr.isatty()):
        return
    kept = "once" if cache_folder() is not None else "there is no folder to keep them in"
    tell(f"compiling the kernels ({kept}; up to a minute) ...")
