"""Results on disk: one line for each set and method, appended as soon as it is known."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One method on one set; ``state`` names the code that was run."""

    set: str
    family: str
    half: str
    n: int
    d: int
    k: int
    clear: int
    method: str
    c: int
    ari: float
    seconds: float
    warned: int
    note: str
    state: str

    @property
    def is_exact(self) -> bool:
        """Whether the number is the true one."""
        return self.c == self.k

    @property
    def is_near(self) -> bool:
        """Whether it is within 10 % of it, or one."""
        return abs(self.c - self.k) <= max(1.0, 0.1 * self.k)

    @property
    def says_none(self) -> bool:
        """Whether it says that there are no clusters, or warns that there may be none."""
        return self.c <= 1 or bool(self.warned)


NAMES = [field.name for field in fields(Row)]
NUMBERS = {"n": int, "d": int, "k": int, "clear": int, "c": int, "warned": int}
NUMBERS |= {"ari": float, "seconds": float}


def load(path: Path) -> list[Row]:
    """Rows of a file; none where it is not there."""
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [
            Row(**{name: NUMBERS.get(name, str)(line[name]) for name in NAMES})
            for line in csv.DictReader(file)
        ]


def append(path: Path, row: Row) -> None:
    """Add one row, and the heading to a new file."""
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, NAMES, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(asdict(row))


def forget(path: Path, is_old: Callable[[Row], bool]) -> None:
    """Drop the rows that are to be made again; the others stay."""
    kept = [row for row in load(path) if not is_old(row)]
    path.unlink(missing_ok=True)
    for row in kept:
        append(path, row)
