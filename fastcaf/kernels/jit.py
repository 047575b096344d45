"""The compiler flags of every kernel, in one place.

Nothing else in the library calls Numba's decorators.

``kernel``
    Strict IEEE arithmetic: the bits do not depend on what the compiler vectorises.
``inlined_kernel``
    The same, always made a part of its caller: for a function whose work is as short as
    handing it five arrays, which takes some twenty nanoseconds.
``reduction``
    A sum over ONE array, which the compiler may reorder.  With two arrays it would add a
    run-time check for overlap and pick the vector or the scalar loop by where the arrays
    happen to lie in memory: results that differ from run to run (seen).
``parallel_kernel``
    A driver whose ``prange`` loop runs a ``kernel`` on chunks.  The chunks are a function
    of the problem's size alone and their results are added in order, so the bits do not
    depend on the number of threads.
``fma``
    a * b + c with one rounding, written out because no flag lets the compiler do so.

Two facts about Numba's disk cache: its key ignores the flags, so a function is decorated
once and never in two ways; and it does not notice a changed callee in another file, so
remove ``__pycache__`` after editing ``rows/distances.py`` (the tests use a fresh cache).
"""

import os

from numba import config, njit, prange, types
from numba.extending import intrinsic

__all__ = ["fma", "inlined_kernel", "kernel", "parallel_kernel", "prange", "reduction"]

# Set, kernels are compiled without vector instructions (``simd/vectors.py``), and not kept:
# the cache could not tell them from others.
PLAIN_VECTORS = bool(os.environ.get("FASTCAF_PLAIN_VECTORS"))


def _compile(function, **flags):
    options = {"error_model": "numpy", "nogil": True, **flags}
    try:
        return njit(cache=not PLAIN_VECTORS, **options)(function)
    except RuntimeError:
        # No folder for the cache can be written (read-only containers): compile in
        # every process instead of failing at import.
        return njit(cache=False, **options)(function)


def kernel(function):
    """Compile with strict arithmetic."""
    return _compile(function)


def inlined_kernel(function):
    """Compile with strict arithmetic, into its caller."""
    return _compile(function, forceinline=True)


def reduction(function):
    """Compile a sum over one array, which may be reordered."""
    return _compile(function, fastmath={"reassoc"})


def parallel_kernel(function):
    """Compile a driver with a parallel loop over chunks."""
    return _compile(function, parallel=True)


if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def fma(a, b, c):
        """Compute a * b + c, in plain Python when Numba is switched off."""
        return a * b + c

else:

    @intrinsic
    def fma(typing_context, a, b, c):
        """Compute a * b + c with one rounding; all three of one floating type."""
        if not (isinstance(a, types.Float) and a == b == c):
            return None

        def generate(context, builder, signature, arguments):
            return builder.fma(*arguments)

        return a(a, b, c), generate
