"""One gamma: the part of an iteration between two passes over the rows.

The passes belong to whoever drives the iteration: ``compiled_loop.py`` where rows are few, and
``fusion/iteration.py`` in Python where they are many or not in memory.  Both do nothing but

    repeat   propose: the sums at U -> a new U      (or FUSED: centroids have to be merged)
             a pass over the rows: U -> its sums
             accept_step: go on, REJECTED or SETTLED.

``propose`` solves the centroid problem and takes a longer step than to its answer where that
pays (``step_length.py``).  ``accept_step`` sends it back to the answer where the objective
rose; the next pass is made there, without a proposal.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.loop.step_length import forget, step_length
from fastcaf.kernels.pairs.admm import admm_parallel, admm_serial
from fastcaf.kernels.pairs.centroid_update import lifted_means
from fastcaf.kernels.pairs.matrix_weights import no_matrices
from fastcaf.kernels.pairs.problem import weighted_distances

GO_ON, FUSED, REJECTED, SETTLED = range(4)

# Places in ``IterationState.numbers``.
OBJECTIVE = 0  # at U
PAIRS = 1  # (weighted) sum of the distances between the centroids U
ANSWER_PAIRS = 2  # the same of the centroid problem's answer
CHANGE = 3  # relative, of the objective
GAP = 4  # relative duality gap of the last centroid problem
SWEEPS = 5  # over the pairs, added up
SETS = 6  # of fused centroids
AHEAD = 7  # 1 where U lies beyond the answer
NUMBERS = 8

# A model that scales itself lets the objective rise a little without being wrong.
SLACK = 0.01
TINY = 1e-300
FEWEST_SWEEPS = 10  # of a centroid problem, where those of the level are used up


class IterationState(NamedTuple):
    """Where the iteration stands.  All arrays are written to.

    ``u`` and ``answer`` are K x d: where rows are passed next, and the last centroid problem's
    answer.  ``labels`` are the answer's sets of fused centroids.
    """

    u: np.ndarray
    multipliers: np.ndarray
    answer: np.ndarray
    labels: np.ndarray
    last_u: np.ndarray
    last_r: np.ndarray
    numbers: np.ndarray


class IterationSettings(NamedTuple):
    """What does not change.

    ``tol`` is the change of the objective at which it has settled; ``gap`` the relative
    duality gap of what ends or fuses; ``least`` see ``lifted_means``; ``longest`` the longest
    step.  ``max_sweeps`` bounds the sweeps of all centroid problems together.  ``adapts``: the
    model scales itself after each pass.
    """

    gamma: float
    pair_mass: np.ndarray
    tol: float
    gap: float
    least: float
    longest: float
    max_sweeps: int
    adapts: bool


@kernel
def _transposed(a):
    """A C-ordered copy of the transpose."""
    out = np.empty((a.shape[1], a.shape[0]))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]
    return out


@kernel
def _descent(w, m, state, settings):
    """What the step to the answer lowers the centroid problem by.

    It lowers the objective by that much at least, and near the end by about twice that.
    """
    u, answer, numbers = state.u, state.answer, state.numbers
    lowered = 0.0
    for j in range(u.shape[0]):
        square = 0.0
        for f in range(u.shape[1]):
            square += (u[j, f] - m[j, f]) ** 2 - (answer[j, f] - m[j, f]) ** 2
        lowered += 0.5 * w[j] * square
    return lowered + settings.gamma * (numbers[PAIRS] - numbers[ANSWER_PAIRS])


@kernel
def _keep(state, u, labels, n_sets, gap, sweeps, pairs):
    """Note the answer to the centroid problem; ``u`` is d x K."""
    numbers = state.numbers
    for j in range(u.shape[1]):
        state.labels[j] = labels[j]
        for f in range(u.shape[0]):
            state.answer[j, f] = u[f, j]
    numbers[SETS] = n_sets
    numbers[GAP] = gap
    numbers[SWEEPS] += sweeps
    numbers[ANSWER_PAIRS] = pairs


@kernel
def squared_change(old, new):
    """Square of the relative change of the model's parameter."""
    return 0.0 if old == new else (new / max(old, TINY) - 1.0) ** 2


@kernel
def _step(w, m, state, settings, drift, left):
    """Move U to the answer or beyond, unless centroids fused."""
    if state.numbers[SETS] < w.shape[0]:
        return FUSED
    u, answer, numbers = state.u, state.answer, state.numbers
    predicted = 2.0 * _descent(w, m, state, settings) / max(numbers[OBJECTIVE], TINY)
    # The objective is flat around the best U, not around the best scale: where the model
    # changes that, the square of the change is what compares.
    numbers[CHANGE] = max(predicted, drift)
    length = step_length(w, u, answer, state.last_u, state.last_r, settings.longest)
    numbers[AHEAD] = 0.0
    numbers[PAIRS] = numbers[ANSWER_PAIRS]
    if predicted <= settings.tol or left < 2:
        length = 1.0
    for j in range(u.shape[0]):
        for f in range(u.shape[1]):
            r = answer[j, f] - u[j, f]
            u[j, f] = answer[j, f] + (length - 1.0) * r if length > 1.0 else answer[j, f]
    if length > 1.0:
        numbers[AHEAD] = 1.0
        if settings.gamma > 0.0:
            numbers[PAIRS] = weighted_distances(_transposed(u), settings.pair_mass)
    return GO_ON


@kernel
def _tolerance(w, m, state, settings, last):
    """Relative gap to ask for, after an answer with that of ``last``; 0 for no more.

    While much moves, an exact answer is wasted.  Where a step to the answer would settle the
    objective, were the answer exact, it is made so before the next pass.
    """
    numbers = state.numbers
    if last == np.inf:
        return max(settings.gap, 0.1 * min(numbers[CHANGE], 0.01))
    if numbers[GAP] <= settings.gap or last <= settings.gap or numbers[SETS] < w.shape[0]:
        return 0.0
    small = 2.0 * _descent(w, m, state, settings) <= settings.tol * numbers[OBJECTIVE]
    return settings.gap if small else 0.0


@kernel
def _centroid_problem(weight, sums, state, settings):
    """Weights, means (K x d, and d x K), and the relative gap to solve their problem to.

    The answer is the means at first, which is right without a penalty.
    """
    w, m = lifted_means(weight, sums, state.u, settings.least)
    for j in range(m.shape[0]):
        for f in range(m.shape[1]):
            state.answer[j, f] = m[j, f]
    state.numbers[SETS] = m.shape[0]
    last = 0.0 if settings.gamma == 0.0 else np.inf
    return w, m, _transposed(m), _tolerance(w, m, state, settings, last)


@kernel
def sweeps_left(made, most):
    """Bound on the sweeps of the next centroid problem."""
    return max(most - int(made), FEWEST_SWEEPS)


@kernel
def propose_serial(weight, sums, state, settings, drift, left):
    """Solve the centroid problem and move U; on this thread.

    ``drift`` is the ``squared_change`` of the model's parameters from the last pass to the
    next, ``left`` is how many passes are left.  Returns FUSED or GO_ON; where centroids fused,
    U has not moved.
    """
    gamma, pair_mass = settings.gamma, settings.pair_mass
    w, m, means, tolerance = _centroid_problem(weight, sums, state, settings)
    while tolerance > 0.0:
        u = _transposed(state.u)
        answer = admm_serial(
            w,
            no_matrices(),
            means,
            gamma,
            pair_mass,
            u,
            state.multipliers,
            tolerance,
            settings.gap,
            sweeps_left(state.numbers[SWEEPS], settings.max_sweeps),
        )
        _keep(state, u, *answer)
        tolerance = _tolerance(w, m, state, settings, tolerance)
    return _step(w, m, state, settings, drift, left)


@kernel
def propose_parallel(weight, sums, state, settings, drift, left):
    """``propose_serial`` with sweeps on all threads, and the same bits."""
    gamma, pair_mass = settings.gamma, settings.pair_mass
    w, m, means, tolerance = _centroid_problem(weight, sums, state, settings)
    while tolerance > 0.0:
        u = _transposed(state.u)
        answer = admm_parallel(
            w,
            no_matrices(),
            means,
            gamma,
            pair_mass,
            u,
            state.multipliers,
            tolerance,
            settings.gap,
            sweeps_left(state.numbers[SWEEPS], settings.max_sweeps),
        )
        _keep(state, u, *answer)
        tolerance = _tolerance(w, m, state, settings, tolerance)
    return _step(w, m, state, settings, drift, left)


@kernel
def accept_step(data_term, state, settings):
    """What to make of the pass at U: GO_ON, REJECTED or SETTLED."""
    numbers = state.numbers
    before, objective = numbers[OBJECTIVE], data_term + settings.gamma * numbers[PAIRS]
    slack = SLACK if settings.adapts else 0.0
    if numbers[AHEAD] > 0.0 and not objective <= (1.0 + slack) * before:
        for j in range(state.u.shape[0]):
            for f in range(state.u.shape[1]):
                state.u[j, f] = state.answer[j, f]
        numbers[PAIRS] = numbers[ANSWER_PAIRS]
        numbers[AHEAD] = 0.0
        forget(state.last_u)
        return REJECTED
    numbers[OBJECTIVE] = objective
    if not settings.adapts:
        numbers[CHANGE] = abs(before - objective) / max(objective, TINY)
    if numbers[AHEAD] > 0.0 or numbers[CHANGE] > settings.tol or numbers[GAP] > settings.gap:
        return GO_ON
    return SETTLED
