"""Fitted models in files that hold numbers and names only: nothing in them is ever run."""

from fastcaf.storage.models import Saved, load, storable

__all__ = ["Saved", "load", "storable"]
