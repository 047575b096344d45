"""Arrays as short text: bytes, deflated, in base64."""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["packed", "short"]


def packed(values: NDArray[Any]) -> dict[str, Any]:
    """Whole numbers below 2^32 in as few bytes as they need, least significant byte first.

    Parameters
    ----------
    values : ndarray of ints, not negative

    Returns
    -------
    dict
        ``bytes`` (1, 2 or 4 a number) and ``data``.
    """
    largest = int(values.max(initial=0))
    width = 1 if largest < 2**8 else 2 if largest < 2**16 else 4
    raw = np.ascontiguousarray(values, dtype=f"<u{width}").tobytes()
    return {"bytes": width, "data": b64encode(zlib.compress(raw, 9)).decode("ascii")}


def short(values: NDArray[Any], digits: int = 5) -> list[float]:
    """Numbers with so many significant digits."""
    return [float(f"{one:.{digits}g}") for one in np.asarray(values).tolist()]
