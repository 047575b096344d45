"""Passes over the rows."""
