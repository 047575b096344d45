"""The rows that a plot shows: kept or given ones, a sample where there are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import resample
from sklearn.utils.validation import check_is_fitted

from fastcaf.blocks import RowBlocks
from fastcaf.memberships.base import FloatArray

__all__ = ["ShownRows", "feature_names", "shown_rows"]


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
        """The cluster of the largest membership."""
        return self.memberships.argmax(axis=1)

    @property
    def told(self) -> str:
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
    X : array-like of shape (n, d) or None
        None: those of the fit, where the model kept them.
    most : int
        Above so many a sample is drawn, always the same.

    Returns
    -------
    ShownRows
    """
    check_is_fitted(model, "cluster_centers_")
    names = feature_names(model, X)
    if X is None:
        everything = _kept(model)
        inside = _sample(everything, most)
    else:
        everything = _given(X)
        inside = model._inside(_sample(_without_names(model, everything), most))
    centers, fitted = model.cluster_centers_, model._fitted_model
    memberships = model._row_memberships(inside, centers, fitted)
    return ShownRows(model._frame.leave(inside), memberships, len(everything), names)


def feature_names(model: Any, X: Any) -> list[str] | None:
    """Names of the features: those of the fit, else the columns of a frame ``X``."""
    names = getattr(model, "feature_names_in_", getattr(X, "columns", None))
    return None if names is None else [str(name) for name in names]


def _kept(model: Any) -> NDArray:
    try:
        return model._kept_rows()
    except AttributeError:
        raise ValueError(
            "The model did not keep the rows of its fit (store_memberships=False, or they came "
            "in blocks or from a large memory map): pass the rows to draw as X."
        ) from None


def _given(X: Any) -> Any:
    if isinstance(X, RowBlocks):
        raise ValueError("RowBlocks cannot be drawn: pass an array of some of its rows as X.")
    return X if hasattr(X, "shape") else np.asarray(X)


def _without_names(model: Any, X: Any) -> Any:
    """A frame, for a model that was fitted without names; scikit-learn would warn of them."""
    return X if hasattr(model, "feature_names_in_") else np.asarray(X)


def _sample(rows: Any, most: int) -> Any:
    if len(rows) <= most:
        return rows
    return resample(rows, replace=False, n_samples=most, random_state=0)
