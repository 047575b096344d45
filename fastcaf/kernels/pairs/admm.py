"""The centroid problem by ADMM, with nothing stored for a pair but its multiplier.

    repeat   lambda <- update_multipliers   V-step and multiplier step, a sweep over the pairs
             U <- solve_u_step              exact, all centroids at once
             now and then: certify          duality gap; centroids that are fused

The steps are in ``prox_multipliers.py``, ``centroid_update.py`` and ``duality_gap.py``, the
problem and the layout of its arrays in ``problem.py``.

Serial and parallel solves are two functions that differ in one loop.  Numba cannot choose
inside one: what holds a parallel loop starts threads when it is loaded, used or not.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import kernel, parallel_kernel, prange
from fastcaf.kernels.pairs.centroid_update import Penalty, penalty_of, solve_u_step
from fastcaf.kernels.pairs.duality_gap import all_fused, certify, dual_value
from fastcaf.kernels.pairs.problem import Problem, clear, copy_into
from fastcaf.kernels.pairs.prox_multipliers import multiplier_sums, update_multipliers

# From here on sweeps use threads.  Threads that sleep while they wait are slow to wake, and so
# two of them gain on one from about 500 centroids on (bench/results/pair_sweeps.md).
PARALLEL_CENTROIDS = 512
SWEEP_CHUNKS = 16

# Places in ``Work.numbers``.
GAP = 0  # relative, at the last check
SWEEPS = 1  # so far
CHECK = 2  # the sweep after which the gap is computed next
DISTANCES = 3  # (weighted) sum over the pairs, at the last check


class Work(NamedTuple):
    """What a solve writes to: arrays of U's shape, one sum z for each chunk of the pairs."""

    penalty: Penalty
    start: np.ndarray
    scratch: np.ndarray
    z: np.ndarray
    z_old: np.ndarray
    borders: np.ndarray
    partial: np.ndarray
    labels: np.ndarray
    numbers: np.ndarray


@kernel
def _chunk_borders(n):
    """Borders of the chunks of a sweep: about equally many pairs, a function of K alone."""
    count = SWEEP_CHUNKS if n >= PARALLEL_CENTROIDS else 1
    borders = np.empty(count + 1, np.int64)
    borders[0] = 0
    borders[count] = n - 1
    for c in range(1, count):
        rest = 1.0 - c / count  # the rows below k hold about (1 - k/n)^2 of the pairs
        borders[c] = int(n * (1.0 - np.sqrt(rest)))
    return borders


@kernel
def _begin(problem, u, multipliers):
    """Room for the work, and the gap 0 where it is known that all centroids fuse."""
    d, n = u.shape
    borders = _chunk_borders(n)
    start, z, scratch = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    numbers, labels = np.array([np.inf, 0.0, 1.0, 0.0]), np.arange(n)
    if all_fused(problem, u, multipliers):
        numbers[GAP] = 0.0
        for j in range(n):
            labels[j] = 0
    copy_into(start, u)
    multiplier_sums(multipliers, z)
    return Work(
        penalty_of(problem),
        start,
        scratch,
        z,
        np.empty_like(u),
        borders,
        np.empty((borders.shape[0] - 1, d, n)),
        labels,
        numbers,
    )


@kernel
def _sweep_chunk(gamma, pair_mass, beta, s, u, multipliers, borders, c, z):
    """The multipliers of chunk c, and their part of the sums z."""
    clear(z)
    update_multipliers(gamma, pair_mass, beta, s, u, multipliers, borders[c], borders[c + 1], z)


@kernel
def _end_sweep(problem, work, u, multipliers, max_sweeps):
    """Sum over the chunks, in their order; the U-step; the gap where it is due."""
    z, partial, numbers = work.z, work.partial, work.numbers
    copy_into(work.z_old, z)
    clear(z)
    for c in range(partial.shape[0]):
        for f in range(z.shape[0]):
            for j in range(z.shape[1]):
                z[f, j] += partial[c, f, j]
    solve_u_step(problem, work.penalty, work.z_old, z, u)
    numbers[SWEEPS] += 1
    sweep = numbers[SWEEPS]
    if sweep == numbers[CHECK] or sweep == max_sweeps:
        dual = dual_value(problem, z)
        numbers[GAP], numbers[DISTANCES] = certify(
            problem, u, work.start, multipliers, dual, work.labels, work.scratch
        )
        # A check costs about a sweep: often at first, then more and more rarely.
        numbers[CHECK] = sweep + max(2, sweep // 4)


@kernel
def _goes_on(work, tolerance, max_sweeps):
    return work.numbers[SWEEPS] < max_sweeps and not work.numbers[GAP] <= tolerance


@kernel
def _answer(work):
    """Sets of fused centroids, their number, gap, sweeps and sum of distances."""
    labels, numbers, largest = work.labels, work.numbers, 0
    for j in range(labels.shape[0]):
        largest = max(largest, labels[j])
    return labels, largest + 1, numbers[GAP], int(numbers[SWEEPS]), numbers[DISTANCES]


@kernel
def admm_serial(
    w, matrices, m, gamma, pair_mass, u, multipliers, tolerance, fusion_tolerance, max_sweeps
):
    """Solve the centroid problem on this thread.

    IN  w (K), matrices (``no_matrices`` where weights are numbers), m (d x K), gamma, pair_mass
    (K or empty).  IN/OUT u (d x K), multipliers: the warm start, the answer. Stops at a
    relative duality gap of ``tolerance``; fuses centroids only where the fused answer is
    certified to ``fusion_tolerance``. Returns the sets of fused centroids, their number, the
    relative duality gap, the sweeps made and the (weighted) sum of the distances between all
    pairs of the answer.
    """
    problem = Problem(w, matrices, m, gamma, pair_mass, tolerance, fusion_tolerance)
    work = _begin(problem, u, multipliers)
    beta, s, borders, partial = work.penalty.beta, work.penalty.s, work.borders, work.partial
    while _goes_on(work, tolerance, max_sweeps):
        for c in range(partial.shape[0]):
            _sweep_chunk(gamma, pair_mass, beta, s, u, multipliers, borders, c, partial[c])
        _end_sweep(problem, work, u, multipliers, max_sweeps)
    return _answer(work)


@parallel_kernel
def admm_parallel(
    w, matrices, m, gamma, pair_mass, u, multipliers, tolerance, fusion_tolerance, max_sweeps
):
    """``admm_serial`` with sweeps on all threads, and the same bits."""
    problem = Problem(w, matrices, m, gamma, pair_mass, tolerance, fusion_tolerance)
    work = _begin(problem, u, multipliers)
    beta, s, borders, partial = work.penalty.beta, work.penalty.s, work.borders, work.partial
    while _goes_on(work, tolerance, max_sweeps):
        for c in prange(partial.shape[0]):
            _sweep_chunk(gamma, pair_mass, beta, s, u, multipliers, borders, c, partial[c])
        _end_sweep(problem, work, u, multipliers, max_sweeps)
    return _answer(work)
