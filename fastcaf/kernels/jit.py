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

The key of the disk cache (``disk_cache.py``) ignores the flags, so a function is decorated
once and never in two ways.
"""

import os
from contextlib import suppress

from numba import config, njit, prange, types
from numba.extending import intrinsic

try:
    from fastcaf.kernels.disk_cache import keep_on_disk
except ImportError:  # internals of Numba that have moved

    def keep_on_disk(dispatcher):
        """Leave it to Numba, which may fail where its files are damaged."""
        raise NotImplementedError


__all__ = ["fma", "inlined_kernel", "kernel", "parallel_kernel", "prange", "reduction"]

# Set, kernels are compiled without vector instructions (``simd/vectors.py``), and not kept:
# the cache could not tell them from others.
PLAIN_VECTORS = bool(os.environ.get("FASTCAF_PLAIN_VECTORS"))


def _compile(function, **flags):
    dispatcher = njit(error_model="numpy", nogil=True, **flags)(function)
    if not (PLAIN_VECTORS or config.DISABLE_JIT):
        try:
            keep_on_disk(dispatcher)
        except Exception:  # internals of Numba that have moved: any error may tell
            with suppress(RuntimeError):  # raised where it finds no folder that can be written
                dispatcher.enable_caching()
    return dispatcher


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
