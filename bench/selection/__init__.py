"""How often is the number of clusters right?  ``python -m bench.selection``.

Parts: the suite (FASTCAF_DATA and the paper's sets), generated families, structureless data.
Generated sets are in one of two parts: "tune", on which constants may be chosen (seeds 0 and 1;
even seeds of structureless data), and "report", which is published and was first run when the
rules stood.  Both hold the same families and shapes: the split
guards against fitting draws, the suite against fitting the families.

Rows go to results/*.csv as soon as they are known: an interrupted run goes on where it was.
After a change of fastcaf: ``python -m bench.selection --methods ours --again``.
"""
