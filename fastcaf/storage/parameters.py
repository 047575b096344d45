"""Parameters of estimators as plain values and arrays, and back.

Functions and random generators cannot be stored without running code from the file when it is
read, and files hold no NaN and no infinity.  Predictions do not need such parameters: they are
stored as None, with a warning.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.exceptions import UnstoredParameterWarning, warn
from fastcaf.parameters import check_jobs
from fastcaf.storage.archive import DamagedError, Reader, Writer
from fastcaf.storage.fields import Fields

__all__ = ["read_parameters", "write_parameters"]

DEEPEST = 4  # lists within lists
LARGEST_INTEGER = 2**64
ARRAY_TYPES = ("<f8", "<f4", "<i8", "<i4", "<u4")


class _CannotBeStoredError(Exception):
    """The value is neither plain nor an array of finite numbers."""


def write_parameters(model: Any, out: Writer) -> dict[str, Any]:
    """The parameters of an estimator, by name."""
    record = {}
    for name, value in model.get_params(deep=False).items():
        try:
            record[name] = _plain(value, f"parameter_{name}", out)
        except _CannotBeStoredError:
            record[name] = None
            warn(
                f"{name}={value!r} cannot be stored in a model file, and is None there. "
                f"Predictions do not need it; before the loaded model is fitted again, call "
                f"set_params({name}=...).",
                UnstoredParameterWarning,
            )
    return record


def _plain(value: Any, name: str, out: Writer, depth: int = 0) -> Any:
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral) and abs(int(value)) < LARGEST_INTEGER:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral):
        if not math.isfinite(value):  # no fit takes it
            raise _CannotBeStoredError
        return float(value)
    if isinstance(value, list | tuple) and depth < DEEPEST:
        values = [_plain(one, f"{name}_{i}", out, depth + 1) for i, one in enumerate(value)]
        return {"tuple": values} if isinstance(value, tuple) else values
    if hasattr(value, "__array__") or isinstance(value, range):
        return _array(value, name, out)
    raise _CannotBeStoredError


def _array(value: Any, name: str, out: Writer) -> dict[str, Any]:
    """An array, or what can be seen as one, such as a column of a data frame."""
    array: NDArray = np.asarray(value)
    kind = array.dtype.newbyteorder("<").str
    if kind not in ARRAY_TYPES or array.ndim == 0 or not np.isfinite(array).all():
        raise _CannotBeStoredError
    out.add(name, array, array.dtype)
    return {"array": kind, "shape": list(array.shape)}


def read_parameters(fields: Fields, names: set[str], reader: Reader) -> dict[str, Any]:
    """The parameters, all of them known to the class; those left out have their defaults."""
    unknown = fields.record.keys() - names
    if unknown:
        raise DamagedError(f"{fields.where}: {sorted(unknown)[0]!r} is no parameter")
    found = {
        name: _value(value, f"parameter_{name}", reader)
        for name, value in fields.record.items()
    }
    try:
        check_jobs(found.get("n_jobs"))
    except (TypeError, ValueError) as problem:
        raise DamagedError(f"{fields.where}: {problem}") from None
    return found


def _value(value: Any, name: str, reader: Reader, depth: int = 0) -> Any:
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, int) and abs(value) < LARGEST_INTEGER:
        return value
    if isinstance(value, list) and depth < DEEPEST:
        return [_value(one, f"{name}_{i}", reader, depth + 1) for i, one in enumerate(value)]
    if isinstance(value, dict) and value.keys() == {"tuple"}:
        listed = value["tuple"]
        if isinstance(listed, list):
            return tuple(_value(listed, name, reader, depth))
    if isinstance(value, dict) and value.keys() == {"array", "shape"}:
        return _read_array(Fields(value, name), name, reader)
    raise DamagedError(f"the value of {name} is none that can be stored")


def _read_array(fields: Fields, name: str, reader: Reader) -> NDArray:
    kind = fields.choice("array", ARRAY_TYPES)
    lengths = fields.raw("shape")
    if not isinstance(lengths, list) or not 1 <= len(lengths) <= DEEPEST:
        raise DamagedError(f"{name} has no shape")
    shape = Fields({str(i): one for i, one in enumerate(lengths)}, f"the shape of {name}")
    return reader.array(name, tuple(shape.integer(str(i)) for i in range(len(lengths))), kind)
