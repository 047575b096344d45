"""The file itself: a zip of one JSON text and NumPy's .npy arrays.

Nothing in it is compressed.  A member is then never larger than the file, and no file can ask
for more memory than its own size.  Members are looked up by the names that the structure asks
for, never by what the file says, and an array is read only after the text of its header has
named the very type and shape that are expected.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["DamagedError", "Reader", "Writer"]

DOCUMENT = "model.json"
LARGEST_DOCUMENT = 2**24  # bytes; text takes many times its size once it is read
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes
ZIP64 = 2**30  # members from this size on get the larger headers

# What numpy.save writes of a C-ordered array: checked as text, so that nothing is evaluated.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][a-z][0-9]+)', 'fortran_order': False, "
    rb"'shape': \(([0-9, ]*)\), \} *\n",
    re.DOTALL,
)
# What zipfile and the modules below it raise for files that are damaged.
ZIP_PROBLEMS = (
    zipfile.BadZipFile,
    NotImplementedError,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class DamagedError(Exception):
    """What is wrong with a file; ``load`` adds its name."""


class Writer:
    """Collects what goes into a file.

    Attributes
    ----------
    document : dict
        Plain values, for the JSON text.
    """

    def __init__(self) -> None:
        self.document: dict[str, Any] = {}
        self._arrays: dict[str, NDArray] = {}

    def add(self, name: str, array: NDArray, dtype: DTypeLike = np.float64) -> None:
        """Store an array of numbers, in C order and with the least byte first."""
        assert name not in self._arrays
        kind = np.dtype(dtype).newbyteorder("<")
        self._arrays[name] = np.ascontiguousarray(array, dtype=kind).reshape(np.shape(array))

    def write(self, stream: IO[bytes]) -> None:
        """Write all of it."""
        text = json.dumps(self.document, indent=1, allow_nan=False).encode()
        if len(text) > LARGEST_DOCUMENT:
            raise DamagedError(
                f"names, parameters and notes take {len(text)} bytes, and at most "
                f"{LARGEST_DOCUMENT} can be stored: give long lists as arrays"
            )
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(zipfile.ZipInfo(DOCUMENT, LONG_AGO), text)
            for name, array in self._arrays.items():
                info = zipfile.ZipInfo(f"{name}.npy", LONG_AGO)
                with archive.open(info, "w", force_zip64=array.nbytes > ZIP64) as member:
                    np.lib.format.write_array(member, array, (1, 0), allow_pickle=False)


class Reader:
    """Looks up what is expected in a file, and checks it.

    Attributes
    ----------
    document : object
        What the JSON text says; anything.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        size = os.fstat(stream.fileno()).st_size
        if stream.read(4) != b"PK\x03\x04":
            raise DamagedError("it is not a model file, which is a zip archive")
        with _zip_problems():
            self._archive = zipfile.ZipFile(stream)
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in self._archive.infolist():
            if info.filename in self._members:
                raise DamagedError(f"the member {info.filename!r} is there twice")
            if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
                raise DamagedError(f"the member {info.filename!r} is compressed")
            self._members[info.filename] = info
        if sum(info.file_size for info in self._members.values()) > size:
            raise DamagedError(f"its members claim more than the {size} bytes that it has")
        self.document = self._read_document()

    def _take(self, name: str) -> bytes:
        """The bytes of a member, once."""
        info = self._members.pop(name, None)
        if info is None:
            raise DamagedError(f"the member {name!r} is missing")
        with _zip_problems(f"the member {name!r} is damaged"):
            return self._archive.read(info)

    def _read_document(self) -> Any:
        size = self._members[DOCUMENT].file_size if DOCUMENT in self._members else 0
        if size > LARGEST_DOCUMENT:
            raise DamagedError(f"{DOCUMENT} has {size} bytes; {LARGEST_DOCUMENT} are allowed")
        text = self._take(DOCUMENT)
        try:
            return json.loads(
                text.decode("utf-8"), parse_constant=_refused, object_pairs_hook=_without_twins
            )
        except (ValueError, RecursionError) as problem:
            raise DamagedError(f"{DOCUMENT} cannot be read ({problem})") from None

    def array(
        self, name: str, shape: tuple[int, ...], dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        """An array of exactly this type and shape."""
        expected = np.dtype(dtype).newbyteorder("<")
        data = self._take(f"{name}.npy")
        header = HEADER.match(data)
        if header is None or header.end() != 10 + int.from_bytes(header[1], "little"):
            raise DamagedError(f"{name}.npy has no header that numpy.save writes")
        descr, found = header[2].decode(), header[3].decode().replace(" ", "")
        if descr != expected.str or found != _shape_text(shape):
            raise DamagedError(
                f"{name}.npy has type {descr} and shape ({found}), where {expected.str} and "
                f"({_shape_text(shape)}) belong"
            )
        n_bytes = expected.itemsize
        for length in shape:  # in Python's integers, which do not overflow
            n_bytes *= length
        if len(data) - header.end() != n_bytes:
            raise DamagedError(
                f"{name}.npy has {len(data) - header.end()} bytes of numbers, where {n_bytes} "
                "belong"
            )
        array = np.load(BytesIO(data), allow_pickle=False)
        return np.asarray(array, dtype=np.dtype(dtype).newbyteorder("="))

    def finish(self) -> None:
        """All that is in the file must have been asked for."""
        if self._members:
            raise DamagedError(f"the member {next(iter(self._members))!r} does not belong")


def _shape_text(shape: tuple[int, ...]) -> str:
    return ",".join(map(str, shape)) + "," * (len(shape) == 1)


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


@contextmanager
def _zip_problems(what: str = "the zip archive is damaged") -> Iterator[None]:
    try:
        yield
    except ZIP_PROBLEMS as problem:
        raise DamagedError(f"{what} ({problem})") from None
