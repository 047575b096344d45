"""Passes and sweeps in turn."""
