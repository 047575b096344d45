"""The mathematics: centroids that fuse as gamma grows."""
