"""Clusters with covariances: what merging two costs, how likely a partition is, its valleys."""
