"""Pictures of a fitted model, with Matplotlib (``pip install "fastcaf[plot]"``).

Every function takes a fitted ``CAFHFCM``, draws on ``ax`` or on a new figure, and returns the
Axes; ``overview`` fills a whole figure and returns that.  New figures are not pyplot's:
``staircase(model).figure.savefig("staircase.png")`` leaves nothing open.  To show one in a
window, draw on an Axes of ``pyplot.subplots()``; in a notebook, end the cell with
``staircase(model).figure``.
"""

from fastcaf.display.plot.centroid_path import centroid_path
from fastcaf.display.plot.cluster_sizes import cluster_sizes
from fastcaf.display.plot.convergence import convergence
from fastcaf.display.plot.dendrogram import dendrogram
from fastcaf.display.plot.membership_map import membership_map
from fastcaf.display.plot.overview import overview
from fastcaf.display.plot.scatter import scatter
from fastcaf.display.plot.staircase import staircase

__all__ = [
    "centroid_path",
    "cluster_sizes",
    "convergence",
    "dendrogram",
    "membership_map",
    "overview",
    "scatter",
    "staircase",
]
