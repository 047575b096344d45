"""The experiments of the CAF-HFCM paper (arXiv 2004.12756), run again.

``python -m bench.paper`` runs all of them (three minutes), ``python -m bench.paper table1``
one.  Tables and figures go to ``results/``.  Seeds and Breast come from the folder that
FASTCAF_DATA names, or from OpenML.  Needs matplotlib (``pip install -e ".[bench]"``).
"""
