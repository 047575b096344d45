"""How a fitted model shows itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from fastcaf.display.explorer import write_page
from fastcaf.display.report import html_report, text_report

__all__ = ["ReportMixin"]


class ReportMixin:
    """Reports of a fitted ``CAFHFCM``; a base before scikit-learn's classes."""

    def summary(self) -> str:
        """What was found, how sure it is, the alternatives and the clusters.

        Returns
        -------
        str
            Some lines of text, to be printed.
        """
        check_is_fitted(self, "path_")
        return text_report(self)

    def explore(self, path: str | os.PathLike[str], X: Any = None) -> Path:
        """Write a page with a slider over gamma: one HTML file that needs no network.

        It shows rows, centroids, the staircase of numbers, the tree and the clusters at any
        level of the path (or paths), and saves labels of the level chosen.  Above 3,000 rows a
        sample is drawn; up to 20,000 rows tables and labels are of all rows all the same.

        Parameters
        ----------
        path : str or path-like
            As in "report.html".  An existing file is replaced, once the page is complete.
        X : array-like of shape (n, d), data frame or RowBlocks, optional
            Rows to show in place of those of the fit; needed where the fit did not keep them.

        Returns
        -------
        Path
            Of the file.
        """
        check_is_fitted(self, "path_")
        return write_page(self, path, X)

    def _repr_html_inner(self) -> str:
        """Behind ``_repr_html_``: the report, above scikit-learn's diagram."""
        return self._with_report(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What notebooks show."""
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._with_report(bundle["text/html"])
        return bundle

    def _with_report(self, diagram: str) -> str:
        return html_report(self) + diagram if hasattr(self, "path_") else diagram
