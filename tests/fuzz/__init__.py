"""Random fits and what must hold for each: ``python -m tests.fuzz --cases 10000``."""
