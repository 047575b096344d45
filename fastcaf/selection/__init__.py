"""Which level of a path to report, and how sure that is."""
