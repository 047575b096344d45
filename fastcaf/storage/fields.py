"""Values out of a JSON text: of the right type and within bounds, or a clear complaint."""

from __future__ import annotations

import math
from typing import Any

from fastcaf.storage.archive import DamagedError

__all__ = ["Fields", "as_json"]

LARGEST_COUNT = 2**53  # beyond, JSON readers lose digits


def as_json(number: float, none: float, where: str) -> float | None:
    """A number for a JSON text; null where it is ``none``, which says what is not there.

    No other number that is not finite can be stored.
    """
    number = float(number)
    if number == none or (math.isnan(number) and math.isnan(none)):
        return None
    if not math.isfinite(number):
        raise DamagedError(f"{where} is not finite: {number}")
    return number


class Fields:
    """The named values of one JSON object.

    Parameters
    ----------
    record : object
        What should be a dict.
    where : str
        For messages.
    """

    def __init__(self, record: Any, where: str) -> None:
        if not isinstance(record, dict):
            raise DamagedError(f"{where} is {_short(record)}, where named values belong")
        self.record = record
        self.where = where

    def raw(self, name: str) -> Any:
        """A value of any type."""
        if name not in self.record:
            raise DamagedError(f"{self.where} has no {name!r}")
        return self.record[name]

    def integer(self, name: str, least: int = 0, most: int = LARGEST_COUNT) -> int:
        """A whole number within bounds."""
        value = self.raw(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str, *, none: float | None = None) -> float:
        """A finite float; with ``none``, that is what null stands for."""
        value = self.raw(name)
        if none is not None and value is None:
            return none
        if not isinstance(value, float) or not math.isfinite(value):
            raise self._wrong(name, "a finite float")
        return value

    def positive(self, name: str) -> float:
        """A float above 0."""
        value = self.number(name)
        if value <= 0.0:
            raise self._wrong(name, "a number above 0")
        return value

    def flag(self, name: str) -> bool:
        """True or False."""
        value = self.raw(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def text(self, name: str) -> str:
        """Any text."""
        value = self.raw(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of several words."""
        value = self.raw(name)
        if not isinstance(value, str) or value not in choices:
            raise self._wrong(name, f"one of {', '.join(choices)}")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        value = self.raw(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._wrong(name, "a list of texts")
        return value

    def integers(self, name: str) -> list[int]:
        """A list of positive whole numbers."""
        value = self.raw(name)
        whole = isinstance(value, list) and all(type(one) is int for one in value)
        if not whole or not all(1 <= one <= LARGEST_COUNT for one in value):
            raise self._wrong(name, "a list of positive whole numbers")
        return list(value)

    def within(self, name: str) -> Fields:
        """The fields of a nested object."""
        return Fields(self.raw(name), f"{self.where}: {name}")

    def records(self, name: str) -> list[Fields]:
        """The fields of each object of a list."""
        value = self.raw(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return [Fields(one, f"{self.where}: {name} {i}") for i, one in enumerate(value)]

    def _wrong(self, name: str, expected: str) -> DamagedError:
        return DamagedError(
            f"{self.where}: {name!r} is {_short(self.raw(name))}, where {expected} belongs"
        )


def _short(value: Any) -> str:
    """A value for a message; large ones are named by their type."""
    if isinstance(value, str | float | bool) or value is None:
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    if isinstance(value, int):
        return str(value) if abs(value) < 10**30 else "a huge number"
    return "a list" if isinstance(value, list) else "an object"
