"""How often is the number of clusters right?  ``python -m bench.selection``."""
