"""Faults that a machine may have: kills, full disks, damaged caches; see ``__main__``."""
