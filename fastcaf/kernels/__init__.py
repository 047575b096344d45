"""Numba kernels: arrays in, arrays out.  They import nothing else of the library."""
