"""scikit-learn estimators, one a file."""

from fastcaf.estimators.caf_hfcm import CAFHFCM
from fastcaf.estimators.convex_clustering import ConvexClustering
from fastcaf.estimators.cut import Cut
from fastcaf.estimators.fuzzy_c_means import FuzzyCMeans
from fastcaf.estimators.rl_fcm import RLFCM

__all__ = ["CAFHFCM", "RLFCM", "ConvexClustering", "Cut", "FuzzyCMeans"]
