"""The rows that a plot shows, with their memberships."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf._typing import FloatArray
from fastcaf.display.shown_rows import chosen_rows, feature_names
from fastcaf.memberships.noise import hard_labels

__all__ = ["ShownRows", "shown_rows"]


@dataclass(frozen=True)
class ShownRows:
    """Rows in the user's coordinates.

    Attributes
    ----------
    places : ndarray of shape (n, d)
    memberships : ndarray of shape (n, c)
    n_rows : int
        How many there are, of which ``places`` may be a sample.
    names : list of str or None
        Of the features, where they have names.
    """

    places: FloatArray
    memberships: NDArray
    n_rows: int
    names: list[str] | None

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster of the largest membership; -1 for noise."""
        return hard_labels(self.memberships)

    @property
    def description(self) -> str:
        """As in "3,000 rows" and "5,000 of 80,000 rows"."""
        shown, all_rows = f"{len(self.places):,}", f"{self.n_rows:,}"
        number = all_rows if shown == all_rows else f"{shown} of {all_rows}"
        return f"{number} {'row' if self.n_rows == 1 else 'rows'}"


def shown_rows(model: Any, X: Any, most: int) -> ShownRows:
    """Rows to draw, and their memberships.

    Parameters
    ----------
    model : CAFHFCM
        Fitted.
    X : array-like of shape (n, d), data frame, RowBlocks or None
        None: those of the fit, where the model kept them.
    most : int
        Above so many a sample is drawn, always the same.

    Returns
    -------
    ShownRows
    """
    total, _, inside = chosen_rows(model, X, most)
    centers, fitted = model.cluster_centers_, model._fitted_model
    memberships = model._row_memberships(inside, centers, fitted)
    return ShownRows(
        model._coordinates.to_user(inside), memberships, total, feature_names(model, X)
    )
