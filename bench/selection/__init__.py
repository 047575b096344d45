"""How often is the number of clusters right?  ``python -m bench.selection``.

Parts: the suite (FASTCAF_DATA and the paper's sets), generated families, structureless data.
Generated sets are in one of two parts: "tune", on which constants may be chosen (seeds 0 to
6; even seeds of structureless data), and "report" (seed 7; odd seeds), which is published and
first run when the rules stand.  Seeds 2 to 6 were "report" once: what was published is
development data, and a new draw takes its place.  Both hold the same families and shapes: the
split guards against fitting draws, the suite against fitting the families.

Peers that are not installed are left out with a message.  Yardsticks ("told k") are given the
true number of clusters: what remains to be won once it is known.

Rows go to results/*.csv as soon as they are known: an interrupted run goes on where it was.
After a change of fastcaf: ``python -m bench.selection --methods ours --again``.
"""
