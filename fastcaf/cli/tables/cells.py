"""Cells of the CSV files that we write, which spreadsheets shall show and never run."""

from __future__ import annotations

import re

__all__ = ["cell", "shown_name"]

# What spreadsheets take for the beginning of a formula, wide characters included; blanks
# before it do not stop them.
FORMULA = re.compile("\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
TEXT = "'"  # in front of a formula: spreadsheets take it for text then


def cell(text: str, *, raw: bool = False) -> str:
    """An identifier or a name as a cell of a CSV file: in quotes where it must be.

    Parameters
    ----------
    text : str
    raw : bool
        Leave formulas as they are; else they get an apostrophe.  Numbers are no formulas.

    Returns
    -------
    str
    """
    if not raw:
        text = shown_name(text)
    if any(mark in text for mark in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def shown_name(text: str) -> str:
    """A name as our tables have it, so that names read from them can be found again."""
    if FORMULA.match(text) and not NUMBER.fullmatch(text):
        return TEXT + text
    return text
