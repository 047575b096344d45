"""Sweeps over the pairs of centroids."""
