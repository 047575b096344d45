"""Symmetric matrices of a few dozen rows: factors, inverses, triangles in a vector.

Written out, because one call of LAPACK from compiled code takes as long as all of a 2 x 2
matrix.
"""

import numpy as np

from fastcaf.kernels.jit import kernel


@kernel
def cholesky(a):
    """Overwrite the lower triangle of a positive definite matrix by its factor L, A = L L^T.

    Returns whether it is positive definite.
    """
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1):
            value = a[i, j]
            for k in range(j):
                value -= a[i, k] * a[j, k]
            if i == j:
                if not value > 0.0:
                    return False
                a[i, i] = np.sqrt(value)
            else:
                a[i, j] = value / a[j, j]
    return True


@kernel
def invert_triangle(a):
    """Overwrite the lower triangle by its inverse."""
    n = a.shape[0]
    for j in range(n):
        a[j, j] = 1.0 / a[j, j]
        for i in range(j + 1, n):
            value = 0.0
            for k in range(j, i):
                value -= a[i, k] * a[k, j]
            a[i, j] = value / a[i, i]


@kernel
def invert_positive(a, scratch):
    """Overwrite a positive definite matrix (its lower triangle counts) by its inverse."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1):
            scratch[i, j] = a[i, j]
    cholesky(scratch)
    invert_triangle(scratch)
    square_of_triangle(scratch, 1.0, a)


@kernel
def square_of_triangle(w, factor, out):
    """Out = factor W^T W for a lower triangular W."""
    n = w.shape[0]
    for i in range(n):
        for j in range(i + 1):
            value = 0.0
            for k in range(i, n):
                value += w[k, i] * w[k, j]
            out[i, j] = factor * value
            out[j, i] = out[i, j]


@kernel
def unpack_triangle(packed, out):
    """A symmetric matrix from its lower triangle, row after row."""
    k = 0
    for i in range(out.shape[0]):
        for j in range(i + 1):
            out[i, j] = packed[k]
            out[j, i] = packed[k]
            k += 1


@kernel
def pack_triangle(a, packed):
    """The lower triangle, row after row."""
    k = 0
    for i in range(a.shape[0]):
        for j in range(i + 1):
            packed[k] = a[i, j]
            k += 1
