"""What the clusters are like, in the columns and units of the table."""

from __future__ import annotations

from typing import Any

from fastcaf.cli.commands.output import MEANS
from fastcaf.cli.commands.preparation import Preparation
from fastcaf.cli.tables import Table
from fastcaf.exceptions import printable

__all__ = ["means_table"]

SHOWN_CLUSTERS, SHOWN_COLUMNS = 12, 6
LONGEST = 12  # characters of a column's name


def means_table(model: Any, table: Table, preparation: Preparation) -> list[str]:
    """Lines with the means of the clusters; the first few, where there are many.

    Parameters
    ----------
    model : CAFHFCM
        Fitted on the table as ``preparation`` makes it.
    table : Table
    preparation : Preparation

    Returns
    -------
    list of str
    """
    means = preparation.in_units_of_the_file(model.cluster_means_)
    names = table.names or [f"column {column + 1}" for column in table.columns]
    names = [_short(name) for name in names[:SHOWN_COLUMNS]]
    lines = ["", "  means  " + "".join(f"{name:>{LONGEST + 2}}" for name in names)]
    lines += [
        f"  {label:5d}  "
        + "".join(f"{value:>{LONGEST + 2}.4g}" for value in mean[:SHOWN_COLUMNS])
        for label, mean in enumerate(means[:SHOWN_CLUSTERS])
    ]
    if len(means) > SHOWN_CLUSTERS or means.shape[1] > SHOWN_COLUMNS:
        lines.append(f"  all {len(means)} x {means.shape[1]} of them: {MEANS}")
    return [*lines, ""]


def _short(name: str) -> str:
    name = printable(name)
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "."
