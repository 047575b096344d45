"""scikit-learn estimators, one a file."""

from fastcaf.estimators.caf import CAFHFCM
from fastcaf.estimators.cut import Cut
from fastcaf.estimators.fcm import FuzzyCMeans

__all__ = ["CAFHFCM", "Cut", "FuzzyCMeans"]
