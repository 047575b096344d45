"""Fitted estimators to files and back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fastcaf.exceptions import ModelFileError, printable
from fastcaf.parameters import check_flag
from fastcaf.storage.archive import DamagedError, Reader, Writer
from fastcaf.storage.fields import Fields
from fastcaf.storage.parameters import read_parameters, write_parameters
from fastcaf.storage.parts import Part, Size
from fastcaf.storage.records import checked
from fastcaf.storage.writing import destination, replacing

__all__ = ["FORMAT", "VERSION", "SaveMixin", "load", "storable"]

FORMAT = "fastcaf model"
VERSION = 4  # of the format; raise it when what is written changes
OUTPUTS = ("default", "pandas", "polars")
ROW_TYPES = ("<f4", "<f8")
LONGEST = 500  # of messages about damaged files

_STORABLE: dict[str, tuple[type, tuple[Part, ...]]] = {}
Estimator = TypeVar("Estimator", bound=type)


def storable(*parts: Part) -> Callable[[Estimator], Estimator]:
    """Let ``load`` make objects of the class; ``parts`` say what they hold once fitted."""

    def register(cls: Estimator) -> Estimator:
        _STORABLE[cls.__name__] = (cls, parts)
        return cls

    return register


class SaveMixin:
    """A fitted estimator that can be written to a file."""

    def save(self, path: str | os.PathLike[str], *, rows: bool = False) -> None:
        """Write the fitted model to a file that ``fastcaf.load`` reads.

        The file is a zip archive of a JSON text and NumPy arrays.  Unlike with pickle, reading
        it runs nothing that is in it, and other releases with the same format can read it.  It
        replaces an older file at once or, if anything fails, not at all; symbolic links and the
        mode of an older file stay.  Devices and pipes are refused.

        Parameters
        ----------
        path : str or path-like
            Such as "model.fcaf".
        rows : bool, default=False
            Store the training rows too.  ``memberships_`` and the labels of cuts need them, and
            without them the sizes of clusters between two levels, which order such cuts, are
            estimates; they can be most of the file, and may not be meant for everyone
            who gets the model.  Labels of the rows, names of the features, and the starting
            centroids of paths, which are rows themselves, are stored in any case.

        Warns
        -----
        UnstoredParameterWarning
            A parameter that is a function or a random generator is stored as None.

        Notes
        -----
        Parameters, fitted attributes and ``set_output`` are kept, to the last bit; requests
        of metadata and callbacks are not.
        """
        check_is_fitted(self, "cluster_centers_")
        if type(self) is not _STORABLE.get(type(self).__name__, (None,))[0]:
            raise TypeError(
                f"{type(self).__module__}.{type(self).__qualname__} cannot be saved: files "
                f"hold objects of {', '.join(_STORABLE)} only, not of classes derived from "
                "them. Use joblib.dump, or copy its state into one of these."
            )
        destination(path)  # what cannot be written is refused before the work
        check_flag("rows", rows)
        try:
            out = _written(self, rows)
            with replacing(path) as stream:
                out.write(stream)
                _read(stream)  # never replace an older file by one that would be refused
        except DamagedError as problem:
            raise ModelFileError(f"{os.fspath(path)} was not written: {problem}.") from None


def _written(model: Any, rows: bool) -> Writer:
    from fastcaf import __version__

    out = Writer()
    names = getattr(model, "feature_names_in_", None)
    out.document = {
        "format": FORMAT,
        "version": VERSION,
        "fastcaf": __version__,
        "class": type(model).__name__,
        "n_rows": len(model.labels_),
        "n_features": int(model.n_features_in_),
        "n_clusters": int(model.n_clusters_),
        "feature_names": None if names is None else [str(name) for name in names],
        "output": getattr(model, "_sklearn_output_config", {}).get("transform"),
        "rows": None,
        "parameters": write_parameters(model, out),
    }
    for part in _STORABLE[type(model).__name__][1]:
        out.document |= part.write(model, out)
    if rows:
        kept = getattr(model, "_training_rows", None)
        if kept is None:
            raise ValueError(
                f"rows=True, but this {type(model).__name__} holds no training rows "
                "(store_memberships=False, or they came in blocks): save with rows=False."
            )
        out.add("rows", kept, kept.dtype)
        out.add("row_weights", model._training_weights)
        out.document["weighted"] = len(model._training_weights) > 0
        out.document["rows"] = kept.dtype.newbyteorder("<").str
    return out


def load(path: str | os.PathLike[str] | IO[bytes]) -> Any:
    """Read a model that was saved.

    Nothing in the file is run, and it can take no more memory than a few times its size.

    Parameters
    ----------
    path : str, path-like or binary file
        A file that ``save`` wrote, or a pipe or an open file that gives its bytes.

    Returns
    -------
    CAFHFCM, ConvexClustering, FuzzyCMeans or RLFCM
        Fitted; predictions, levels and all attributes are those of the saved model to the last
        bit, and so are cuts; those between two levels where the training rows are stored.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is damaged, or was written in the format of another release.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import fastcaf
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0], [9.0, 7.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.fcaf")
    ...     fastcaf.FuzzyCMeans(n_clusters=2, random_state=0).fit(X).save(path)
    ...     fastcaf.load(path).predict([[8.0, 8.0], [1.0, 0.0]])
    array([0, 1], dtype=int32)
    """
    place: Any = path
    try:
        if isinstance(path, str | os.PathLike):
            with Path(path).open("rb") as stream:
                return _read(stream)
        place = getattr(path, "name", "the stream")
        return _read(path)
    except DamagedError as problem:
        message = printable(str(problem))  # may quote the file, at any length
        if len(message) > LONGEST:
            message = message[: LONGEST - 3] + "..."
        raise ModelFileError(f"{place} cannot be loaded: {message}.") from None
    except OSError as problem:
        raise ModelFileError(
            f"{place} cannot be opened: {problem.strerror or problem}."
        ) from problem


def _read(stream: IO[bytes]) -> Any:
    reader = Reader(stream)
    fields = Fields(reader.document, "model.json")
    _check_version(fields)
    cls, parts = _STORABLE[fields.choice("class", tuple(_STORABLE))]
    names = set(cls._get_param_names())  # type: ignore[attr-defined]
    model = cls(**read_parameters(fields.within("parameters"), names, reader))
    size = Size(
        fields.integer("n_rows", 1),
        fields.integer("n_features", 1),
        fields.integer("n_clusters", 1, 2**31),
    )
    for part in parts:
        part.read(model, fields, reader, size)
    _read_interface(model, fields, reader, size)
    reader.finish()
    return model


def _check_version(fields: Fields) -> None:
    checked(fields.record.get("format") == FORMAT, "it is not a fastcaf model")
    version = fields.integer("version", 1)
    written = f"it has format {version}, written by fastcaf {fields.text('fastcaf')[:30]}"
    checked(version <= VERSION, f"{written}: install a newer fastcaf, this reads {VERSION}")
    checked(
        version == VERSION,
        f"{written}, and this release reads format {VERSION} only: fit the model again and "
        "save it anew",
    )


def _read_interface(model: Any, fields: Fields, reader: Reader, size: Size) -> None:
    """Training rows, features and output, which are in no part."""
    model.n_features_in_ = size.d
    if fields.raw("feature_names") is not None:
        names = fields.texts("feature_names")
        checked(len(names) == size.d, f"{len(names)} names for {size.d} features")
        model.feature_names_in_ = np.array(names, dtype=object)
    if fields.raw("output") is not None:
        model._sklearn_output_config = {"transform": fields.choice("output", OUTPUTS)}
    if fields.raw("rows") is not None:
        checked(hasattr(model, "_training_rows"), f"{type(model).__name__} keeps no rows")
        rows = reader.array("rows", (size.n, size.d), fields.choice("rows", ROW_TYPES))
        model._training_rows = rows
        weights = reader.array("row_weights", (size.n if fields.flag("weighted") else 0,))
        checked(weights >= 0.0, "impossible weights of the rows")
        model._training_weights = weights
