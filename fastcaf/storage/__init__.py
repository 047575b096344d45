"""Fitted models in files that hold numbers and names only: nothing in them is ever run."""

from fastcaf.storage.models import SaveMixin, load, storable

__all__ = ["SaveMixin", "load", "storable"]
