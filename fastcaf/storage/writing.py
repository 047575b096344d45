"""Files that appear whole or not at all: whatever the library writes is written here.

A file is made in a folder of its own beside its place, into which nobody else can look, and
moves to its place once it is complete.  A process that is killed leaves that folder behind; the
next one that writes there removes it.  A lock, which ends with its process however that ends,
tells such folders from those that are in use.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where an open file cannot be removed
    fcntl = None

__all__ = ["destination", "new_text", "private_folder", "publish", "replacing"]

LOCK = ".lock"
OURS = re.compile(r"\.fastcaf-[0-9a-f]{16}\.part")
# Names of streams that are open already: a file that took their place would not be in them.
STREAMS = re.compile(r"/dev|/dev/fd|/proc/[^/]+/fd")
MODE = 0o777  # the bits of a mode that say who may read, write and run


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def new_text(path: Path) -> IO[str]:
    """Open a new text file that nobody else may read, for a ``private_folder``."""
    return open(path, "x", encoding="utf-8", newline="\n", opener=_private)


def destination(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, at the end of symbolic links.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Path
        A regular file, or one that does not exist yet in a folder that does.

    Raises
    ------
    OSError
        For folders, devices, pipes and sockets, and where there is no folder.
    """
    place = Path(path)
    target = Path(os.path.realpath(place))
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        if target.parent.is_dir():
            return target
        raise FileNotFoundError(
            f"The folder of {str(place)!r} does not exist: make {str(target.parent)!r} first."
        ) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{str(place)!r} is a folder: give the name of a file.")
    if not stat.S_ISREG(mode) or STREAMS.fullmatch(os.path.realpath(place.parent)):
        raise OSError(
            f"{str(place)!r} is no regular file but {_kind(mode)}, and would be replaced: give "
            "the name of a file, and copy that."
        )
    return target


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a stream" if stat.S_ISREG(mode) else "a device"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A new file that takes the place of ``path`` at the end, and not if there is an error.

    It has the mode of the file that it replaces; symbolic links stay, and lead to it.
    """
    target = destination(path)
    with private_folder(target.parent) as folder:
        part = folder / "part"
        with open(part, "x+b", opener=_private) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        _move(part, target)


def publish(files: Iterable[Path], folder: Path) -> None:
    """Move complete files from a ``private_folder`` of this folder to their places in it."""
    moves = [(file, destination(folder / file.name)) for file in files]  # refuses before any
    here = Path(os.path.realpath(folder))
    for file, target in moves:
        if target.parent == here:
            _move(file, target)
        else:  # at the end of a link, where moving may be impossible
            with replacing(target) as stream, file.open("rb") as source:
                shutil.copyfileobj(source, stream)


def _move(part: Path, target: Path) -> None:
    """Put a complete file in its place, with the mode of the one that is there."""
    try:
        mode = _taken_over(part, os.stat(target))
    except FileNotFoundError:
        mode = _ordinary_mode(part.parent)
    os.chmod(part, mode)  # nobody else sees it before it moves: the folder is private
    os.replace(part, target)


def _taken_over(part: Path, old: os.stat_result) -> int:
    """The mode of the file that is replaced; its owner and group too, where that is allowed."""
    mode, new = stat.S_IMODE(old.st_mode) & MODE, os.stat(part)
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return mode
    try:
        os.chown(part, old.st_uid, old.st_gid)
    except PermissionError:
        if new.st_gid != old.st_gid:
            mode &= ~stat.S_IRWXG  # another group than the one that may read the old file
    return mode


def _ordinary_mode(folder: Path) -> int:
    """What a new file gets: the system knows, and asking for the umask would change it."""
    probe = folder / ".mode"
    handle = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        return stat.S_IMODE(os.fstat(handle).st_mode) & MODE
    finally:
        os.close(handle)
        probe.unlink()


@contextmanager
def private_folder(parent: Path) -> Iterator[Path]:
    """A folder for files in the making, which is removed at the end.

    What killed processes left in ``parent`` goes first.
    """
    _remove_left_behind(parent)
    folder, lock = _locked_folder(parent)
    try:
        yield folder
    finally:
        if lock is not None:
            os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _locked_folder(parent: Path) -> tuple[Path, int | None]:
    while True:
        folder = parent / f".fastcaf-{secrets.token_hex(8)}.part"
        folder.mkdir(mode=0o700)
        try:
            return folder, _lock(folder)
        except (BlockingIOError, FileNotFoundError):  # taken for one that was left behind
            continue
        except OSError:  # a file system without locks, where nothing that is left is removed
            return folder, None


def _lock(folder: Path) -> int:
    """Lock a folder for as long as this process lives, or raise."""
    handle = os.open(
        folder / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600
    )
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), os.stat(folder / LOCK)):
            raise FileNotFoundError(f"{folder} was removed meanwhile")
    except BaseException:
        os.close(handle)
        raise
    return handle


def _remove_left_behind(parent: Path) -> None:
    """Remove the folders of processes that live no more."""
    with suppress(OSError), os.scandir(parent) as entries:
        left = [
            Path(one.path)
            for one in entries
            if OURS.fullmatch(one.name) and one.is_dir(follow_symlinks=False)
        ]
        for folder in left:
            with suppress(OSError):  # in use, or of somebody else
                _remove_unless_locked(folder)


def _remove_unless_locked(folder: Path) -> None:
    if fcntl is None:  # pragma: no cover - Windows
        (folder / LOCK).unlink(missing_ok=True)
        shutil.rmtree(folder)
        return
    lock = _lock(folder)
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
