"""Sweeps over a list of weighted edges between centroids."""
