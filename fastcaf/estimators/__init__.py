"""scikit-learn estimators, one a file."""

from fastcaf.estimators.caf import CAFHFCM
from fastcaf.estimators.cut import Cut
from fastcaf.estimators.fcm import FuzzyCMeans
from fastcaf.estimators.rlfcm import RLFCM

__all__ = ["CAFHFCM", "RLFCM", "Cut", "FuzzyCMeans"]
