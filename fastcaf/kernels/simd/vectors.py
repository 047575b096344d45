"""Short vectors of numbers, for loops that the compiler does not vectorise by itself.

A vector is, say, 8 float64 or 16 float32 in a register.  What is written with vectors runs as
such whatever the number of trips, keeps its sums in registers, and has the same bits wherever
arrays happen to lie: the order of every sum is the one in the source.

Arrays are addressed by ``offset``, the place in the flattened, C-ordered array; nothing is
checked.  Kernels import the operations from here: those of ``intrinsics.py``, or those of
``plain_vectors.py`` where Numba is switched off or cannot compile the intrinsics.
"""

import logging
import sys

import numpy as np
from numba import config

from fastcaf.kernels.jit import PLAIN_VECTORS, kernel
from fastcaf.kernels.simd import plain_vectors
from fastcaf.kernels.simd.plain_vectors import CUT

__all__ = ["CUT", "check_vectors"]

_chosen, _failure = plain_vectors, None
if not (config.DISABLE_JIT or PLAIN_VECTORS):  # type: ignore[attr-defined]
    try:
        from fastcaf.kernels.simd import intrinsics as _chosen  # type: ignore[no-redef]
    except Exception as error:  # internals of Numba that have moved: any error may tell
        _failure = error

any_at_most = _chosen.any_at_most
broadcast = _chosen.broadcast
count_lanes = _chosen.count_lanes
exp_negative = _chosen.exp_negative
horizontal_min = _chosen.horizontal_min
horizontal_sum = _chosen.horizontal_sum
load = _chosen.load
load_broadcast = _chosen.load_broadcast
minimum = _chosen.minimum
multiply_add = _chosen.multiply_add
store = _chosen.store
store_four = _chosen.store_four


@kernel
def _every_operation(x):
    a, b = load(x, 0), load_broadcast(x, 0)
    c = exp_negative((minimum(a, b) - multiply_add(a, b, a) * b) / broadcast(x[0]))
    store(x, 0, a + b)
    store_four(x, 0, 0, a, b, c, c)
    return horizontal_sum(c), horizontal_min(c), any_at_most(a, b)


def check_vectors():
    """Compile every operation once; where that fails, kernels use single numbers instead.

    To be called before the first kernel is compiled: kernels look their operations up then.
    """
    try:
        if _failure is not None:
            raise _failure
        if _chosen is not plain_vectors:
            _every_operation(np.ones(64))
    except Exception as error:  # whatever Numba or LLVM has to say
        logging.getLogger("fastcaf").warning(
            "Vector instructions do not compile with this version of Numba (%s): "
            "fits give the same answers, slowly.",
            type(error).__name__,
        )
        for name, module in list(sys.modules.items()):
            if name.startswith("fastcaf.kernels.") and module is not _chosen:
                for operation in vars(module).keys() & vars(plain_vectors).keys():
                    if getattr(module, operation) is getattr(_chosen, operation, None):
                        setattr(module, operation, getattr(plain_vectors, operation))
