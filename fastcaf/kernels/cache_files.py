"""Compiled kernels on disk: one file for each kernel and types of arguments.

A file holds what it was made from (version of Numba, sources of all kernels, types,
processor), a checksum, and the compiled code.  Code that is damaged is never handed to LLVM,
which would end the process.  Files come into being whole, by a rename: a process that is killed
leaves at most a temporary file, which the next that compiles the same kernel takes over.

Numba keeps an index beside the code, and looks at the file of a function alone to know whether
it has changed: a kernel that calls one of another file would be kept when that one changes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba

from fastcaf.exceptions import KernelCacheWarning, warn

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "CURE",
    "NO_FOLDER",
    "CheckedFiles",
    "DamagedEntry",
    "clear",
    "complain",
    "complaints",
    "damaged_files",
    "folders",
]

SUFFIX = ".kernel.nbc"
SIZE = hashlib.sha256().digest_size
CURE = "`fastcaf warm-up --clear` empties it and compiles anew"
NO_FOLDER = (
    "No folder for compiled kernels can be written, so every process compiles them anew, up to "
    "a minute: set NUMBA_CACHE_DIR to one that can."
)

# Where kernels of this library are kept, and what was wrong there in this process.
folders: set[str] = set()
complaints: list[str] = []


class DamagedEntry(ValueError):
    """A file that is not as it was written."""


def complain(message: str) -> None:
    """Warn of the first trouble with the cache in a process; keep a list of all."""
    complaints.append(message)
    if len(complaints) == 1:
        warn(message, KernelCacheWarning)


class CheckedFiles:
    """The files of one kernel: what Numba asks of its ``IndexDataCacheFile``.

    Parameters
    ----------
    folder : str
    name : str
        What the names of its files begin with.
    stamp : object
        Changes with the source of the kernel.
    dumps : callable
        Makes bytes of what Numba wants to keep, for ``pickle.loads``.
    """

    def __init__(
        self, folder: str, name: str, stamp: Any, dumps: Callable[[Any], bytes]
    ) -> None:
        self._folder, self._name, self._stamp, self._dumps = Path(folder), name, stamp, dumps

    def load(self, key: tuple) -> Any:
        """What was saved for these types, None where there is nothing of these sources."""
        file = self._file(key)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        if not _is_whole(content):
            raise DamagedEntry(f"{file.name} is damaged")
        if content[:SIZE] != self._origin(key):
            return None
        return pickle.loads(content[2 * SIZE :])

    def save(self, key: tuple, data: Any) -> None:
        """Keep the compiled code for these types."""
        origin, code = self._origin(key), self._dumps(data)
        _write(self._file(key), origin + hashlib.sha256(origin + code).digest() + code)

    def flush(self) -> None:
        """Forget the kernel."""
        for file in self._folder.glob(f"{self._name}.*{SUFFIX}"):
            file.unlink(missing_ok=True)

    def _file(self, key: tuple) -> Path:
        types, processor, _ = key
        return self._folder / f"{self._name}.{_hash((types, processor)).hex()[:16]}{SUFFIX}"

    def _origin(self, key: tuple) -> bytes:
        return _hash((numba.__version__, llvmlite.__version__, self._stamp, _sources(), key))


def damaged_files() -> Iterator[Path]:
    """The files in our folders that are not as they were written, or cannot be read."""
    for folder in sorted(folders):
        for file in sorted(Path(folder).glob(f"*{SUFFIX}")):
            try:
                whole = _is_whole(file.read_bytes())
            except FileNotFoundError:  # another process has replaced it
                continue
            except OSError:
                whole = False
            if not whole:
                yield file


def clear() -> int:
    """Remove all compiled kernels of this library, and say how many there were.

    Those that Numba itself has kept for earlier versions, too.
    """
    removed = 0
    for folder in folders:
        for pattern in ("*.nbi", "*.nbc", "*.nbi.tmp.*", "*.nbc.tmp*"):
            for file in Path(folder).glob(pattern):
                file.unlink(missing_ok=True)
                removed += file.suffix == ".nbc"
    return removed


def _is_whole(content: bytes) -> bool:
    origin, checksum, code = content[:SIZE], content[SIZE : 2 * SIZE], content[2 * SIZE :]
    return hashlib.sha256(origin + code).digest() == checksum


def _hash(what: Any) -> bytes:
    return hashlib.sha256(repr(what).encode()).digest()


@cache
def _sources() -> bytes:
    """A hash of all kernels: any of them may be compiled into any other."""
    total = hashlib.sha256()
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        if file.name not in ("cache_files.py", "disk_cache.py"):  # nothing compiled
            total.update(file.read_bytes())
    return total.digest()


def _write(file: Path, content: bytes) -> None:
    """Make a file that is whole, or none."""
    temporary = file.with_name(f"{file.name}.tmp{'' if fcntl else os.getpid()}")
    with open(temporary, "ab") as target:
        if fcntl and not _is_mine(target, temporary):
            return  # another process writes the same kernel now
        try:
            target.truncate(0)
            target.write(content)
            target.flush()
            if fcntl:  # while nobody else can write to it
                os.replace(temporary, file)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    if not fcntl:  # pragma: no cover - Windows does not rename open files
        os.replace(temporary, file)


def _is_mine(target: Any, temporary: Path) -> bool:
    """Whether no other process writes to this file, or has just made an entry of it."""
    try:
        fcntl.flock(target, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False  # else a file system without locks
    try:
        return temporary.stat().st_ino == os.fstat(target.fileno()).st_ino
    except FileNotFoundError:
        return False
