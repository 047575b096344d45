"""How a fitted model shows itself."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from fastcaf.report import html_report, text_report

__all__ = ["Presented"]


class Presented:
    """Reports of a fitted ``CAFHFCM``; stands before scikit-learn's classes."""

    def summary(self) -> str:
        """What was found, how sure it is, the alternatives and the clusters.

        Returns
        -------
        str
            Some lines of text, to be printed.
        """
        check_is_fitted(self, "path_")
        return text_report(self)

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
