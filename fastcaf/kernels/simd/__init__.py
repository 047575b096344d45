"""Short vectors of numbers."""
