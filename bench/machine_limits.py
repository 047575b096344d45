"""How fast this machine can be: matrix products, divisions, memory.  Best of several tries."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bench.measure import best_of, threads

SIDE = 1400  # of the matrices: products of this size reach full speed
LARGE = 2**24  # numbers, far beyond the caches
SMALL = 2**14  # numbers that stay in the second cache; a call from Python costs nothing then


def product_gflops(dtype: np.dtype, n_threads: int, repeats: int = 9) -> float:
    """GFLOP/s of a square matrix product by BLAS (dgemm, sgemm)."""
    a = np.random.default_rng(0).standard_normal((SIDE, SIDE)).astype(dtype)
    out = np.empty_like(a)
    with threads(n_threads):
        return 2e-9 * SIDE**3 / best_of(lambda: np.matmul(a, a, out=out), repeats)


def in_threads(work: Callable[[int], object], n_threads: int, repeats: int) -> float:
    """Least seconds of ``work(0) .. work(n_threads - 1)`` at once; NumPy releases the GIL."""
    with ThreadPoolExecutor(n_threads) as pool:
        return best_of(lambda: list(pool.map(work, range(n_threads))), repeats)


def bandwidth_gbs(n_threads: int, repeats: int = 7) -> float:
    """GB/s of c = a + b over large arrays: two read, one written."""
    a, b, c = (np.zeros((n_threads, LARGE // n_threads)) for _ in range(3))
    seconds = in_threads(lambda i: np.add(a[i], b[i], out=c[i]), n_threads, repeats)
    return 3e-9 * a.nbytes / seconds


def divisions_gs(dtype: np.dtype, n_threads: int, repeats: int = 15) -> float:
    """10^9 divisions a second, in cache."""
    a, out = np.full((n_threads, SMALL), 3.0, dtype), np.empty((n_threads, SMALL), dtype)
    one, rounds = np.ones(SMALL, dtype), 60

    def work(i: int) -> None:
        for _ in range(rounds):
            np.divide(one, a[i], out=out[i])

    # Calls from Python do not run at once: one thread's speed times the threads.
    return 1e-9 * SMALL * rounds * n_threads / best_of(lambda: work(0), repeats)


def measured(n_threads: int) -> dict[str, float]:
    """All limits for so many threads."""
    return {
        "threads": n_threads,
        "dgemm GFLOP/s": product_gflops(np.dtype(np.float64), n_threads),
        "sgemm GFLOP/s": product_gflops(np.dtype(np.float32), n_threads),
        "float64 Gdiv/s": divisions_gs(np.dtype(np.float64), n_threads),
        "float32 Gdiv/s": divisions_gs(np.dtype(np.float32), n_threads),
        "memory GB/s": bandwidth_gbs(n_threads),
    }
