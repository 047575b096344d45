"""One gamma with Gaussian components: what happens between two passes over the rows.

Penalised EM on

    F = -sum_i log sum_j pi_j N(x_i; u_j, S_j) + nu/2 sum_j (log|S_j| + s2 tr S_j^-1)
        + gamma sum_{k<l} ||u_k - u_l||

With the sums of a pass over the rows (``rows/gaussian.py``), w_j, means m_j and second moments,

    U   from the centroid problem with the matrices A_j = w_j S_j^-1   (FUSED: they have to be
    merged) S_j = (second moment around the new u_j + w_j R + nu s2 I) / (w_j + nu),    pi_j =
    w_j / sum_l w_l,

each the best for the other given: F does not rise.  nu and s2 are an inverse-Wishart prior that
keeps small clusters round and no matrix singular; R is what the resolution of the data adds
(``data/resolution.py``).  Spherical components have the one number tr(S_j) / d.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.loop.iteration import FUSED, GO_ON, SETTLED, TINY, sweeps_left
from fastcaf.kernels.pairs.admm import admm_serial
from fastcaf.kernels.pairs.matrix_weights import MatrixWeights, no_matrices
from fastcaf.kernels.rows.gaussian import FIRST, gaussian_statistics_serial
from fastcaf.kernels.small_matrices import (
    cholesky,
    invert_triangle,
    pack_triangle,
    square_of_triangle,
    unpack_triangle,
)

# Places in ``GaussianState.numbers``.
OBJECTIVE = 0  # F at U
PAIRS = 1  # (weighted) sum of the distances between the centroids U
CHANGE = 2  # of F, for each unit of weight
GAP = 3  # relative duality gap of the last centroid problem
SWEEPS = 4  # over the pairs, added up
SETS = 5  # of fused centroids
PRIOR = 6  # nu/2 sum_j (log|S_j| + s2 tr S_j^-1)
NUMBERS = 7


class GaussianState(NamedTuple):
    """Where the iteration stands.  All arrays are written to.

    ``u`` and ``answer`` are K x d; ``covariances`` K x m, triangles row after row (m = 1:
    spherical); ``shares`` pi; ``factors`` and ``constants`` as the pass over the rows takes
    them.
    """

    u: np.ndarray
    multipliers: np.ndarray
    answer: np.ndarray
    labels: np.ndarray
    covariances: np.ndarray
    shares: np.ndarray
    factors: np.ndarray
    constants: np.ndarray
    numbers: np.ndarray


class GaussianSettings(NamedTuple):
    """What does not change.

    ``tol`` is the change of F for each unit of weight at which it has settled; ``gap`` the
    relative duality gap of what ends or fuses; ``least`` see ``lifted_means``; ``max_sweeps``
    bounds the sweeps of all centroid problems together.  ``strength`` is nu, ``scale`` s2,
    ``blur`` the diagonal of R, ``n_features`` those that are not constant, whose blur is 0.
    ``tied``: all components have the same covariance.  ``noise``: energy of the background.
    """

    gamma: float
    pair_mass: np.ndarray
    tol: float
    gap: float
    least: float
    max_sweeps: int
    strength: float
    scale: float
    blur: np.ndarray
    n_features: float
    tied: bool
    noise: float


# Of what scatter is taken times: infinity, which it is in float32, times none is no number.
STEEPEST = 1e30


@kernel
def factorise(covariances, shares, blur, n_features, factors, constants):
    """W_j, and k_j with the scatter of the resolution in it; log|S_j| and tr S_j^-1 come out.

    OUT factors, constants.  Returns the sums over j of log|S_j| and of tr S_j^-1.
    """
    d, n = blur.shape[0], covariances.shape[0]
    a = np.empty((d, d))
    logarithms, traces = 0.0, 0.0
    blurred = 0.0
    for f in range(d):
        blurred += blur[f]
    for j in range(n):
        if covariances.shape[1] == 1 and d > 1:
            precision = 1.0 / covariances[j, 0]
            factors[j, 0] = np.sqrt(precision)
            logarithm, trace, extra = (
                -n_features * np.log(precision),
                precision,
                blurred * precision,
            )
            traces += n_features * precision
        else:
            unpack_triangle(covariances[j], a)
            cholesky(a)
            logarithm, trace, extra = 0.0, 0.0, 0.0
            for f in range(d):
                logarithm += 2.0 * np.log(a[f, f])
            invert_triangle(a)
            for f in range(d):
                for g in range(f + 1):
                    trace += a[f, g] ** 2
                    extra += a[f, g] ** 2 * blur[g]
            pack_triangle(a, factors[j])
            traces += trace
            trace /= d
        logarithms += logarithm
        constants[j, 0] = logarithm - 2.0 * np.log(max(shares[j], TINY)) + extra
        constants[j, 1] = min(trace, STEEPEST)
    return logarithms, traces


@kernel
def _unpack_factor(packed, out):
    """A lower triangular matrix; what is above it is not written."""
    k = 0
    for i in range(out.shape[0]):
        for j in range(i + 1):
            out[i, j] = packed[k]
            k += 1


@kernel
def _matrices(w, m, state):
    """A_j = w_j S_j^-1 = w_j W_j^T W_j, its inverse, and A_j m_j."""
    n, d = state.u.shape
    a, inverse, pull = np.empty((n, d, d)), np.empty((n, d, d)), np.empty((n, d))
    triangle = np.empty((d, d))
    for j in range(n):
        _unpack_factor(state.factors[j], triangle)
        square_of_triangle(triangle, w[j], a[j])
        unpack_triangle(state.covariances[j], inverse[j])
        for f in range(d):
            pull[j, f] = 0.0
            for g in range(d):
                pull[j, f] += a[j, f, g] * m[g, j]
                inverse[j, f, g] /= w[j]
    return MatrixWeights(a, inverse, pull)


@kernel
def _means(sums, state, least):
    """Weights, none of them 0, and the means of the components' rows (d x K)."""
    n, d = state.u.shape
    total = 0.0
    for j in range(n):
        total += sums[j, 0]
    w, m = np.empty(n), np.empty((d, n))
    for j in range(n):
        w[j] = max(sums[j, 0], least * (total / n))
        for f in range(d):
            m[f, j] = state.u[j, f] + sums[j, FIRST + f] / w[j]
    return w, m


@kernel
def _solve(sums, state, settings):
    """The centroid problem; OUT state.answer, labels and numbers."""
    n, d = state.u.shape
    numbers = state.numbers
    w, m = _means(sums, state, settings.least)
    u = np.empty((d, n))
    numbers[SETS] = n
    if settings.gamma == 0.0 or n == 1:
        for j in range(n):
            for f in range(d):
                state.answer[j, f] = m[f, j]
        numbers[GAP] = 0.0
        return
    for j in range(n):
        for f in range(d):
            u[f, j] = state.u[j, f]
    matrices = no_matrices()
    held = np.empty(n)
    if state.covariances.shape[1] == 1 and d > 1:
        for j in range(n):
            held[j] = w[j] / state.covariances[j, 0]
    else:
        matrices = _matrices(w, m, state)
        for j in range(n):  # no eigenvalue of A_j is below 1 / tr A_j^-1
            trace = 0.0
            for f in range(d):
                trace += matrices.inverse[j, f, f]
            held[j] = 1.0 / trace
    tolerance = max(settings.gap, 0.1 * min(numbers[CHANGE], 0.01))
    labels, n_sets, gap, sweeps, pairs = admm_serial(
        held,
        matrices,
        m,
        settings.gamma,
        settings.pair_mass,
        u,
        state.multipliers,
        tolerance,
        settings.gap,
        sweeps_left(numbers[SWEEPS], settings.max_sweeps),
    )
    for j in range(n):
        state.labels[j] = labels[j]
        for f in range(d):
            state.answer[j, f] = u[f, j]
    numbers[SETS], numbers[GAP], numbers[PAIRS] = n_sets, gap, pairs
    numbers[SWEEPS] += sweeps


@kernel
def _update_covariances(sums, state, settings):
    """S_j around the answer, and pi_j; U moves to the answer."""
    n, d = state.u.shape
    covariances = state.covariances
    total, blurred = 0.0, 0.0
    for j in range(n):
        total += sums[j, 0]
    for f in range(d):
        blurred += settings.blur[f]
    nu, scale = settings.strength, settings.scale
    for j in range(n):
        w = sums[j, 0]
        state.shares[j] = w / max(total, TINY)  # all rows may be noise
        if covariances.shape[1] == 1 and d > 1:
            square = sums[j, FIRST + d] + w * blurred
            for f in range(d):
                shift = state.answer[j, f] - state.u[j, f]
                square += shift * (w * shift - 2.0 * sums[j, FIRST + f])
            own = square / settings.n_features
            covariances[j, 0] = (max(own, 0.0) + nu * scale) / (w + nu)
        else:
            k = 0
            for f in range(d):
                shift = state.answer[j, f] - state.u[j, f]
                for g in range(f + 1):
                    other = state.answer[j, g] - state.u[j, g]
                    value = sums[j, FIRST + d + k] + w * shift * other
                    value -= sums[j, FIRST + f] * other + sums[j, FIRST + g] * shift
                    if f == g:
                        value += w * settings.blur[f] + nu * scale
                    covariances[j, k] = value / (w + nu)
                    if settings.blur[f] == 0.0 or settings.blur[g] == 0.0:
                        covariances[j, k] = 1.0 if f == g else 0.0  # a constant feature
                    k += 1
    if settings.tied:
        _tie(covariances, state.shares)
    for j in range(n):
        for f in range(d):
            state.u[j, f] = state.answer[j, f]


@kernel
def _tie(covariances, shares):
    """One covariance for all: their mean, weighted by the shares of the rows."""
    for k in range(covariances.shape[1]):
        mean = 0.0
        for j in range(covariances.shape[0]):
            mean += shares[j] * covariances[j, k]
        for j in range(covariances.shape[0]):
            covariances[j, k] = mean


@kernel
def refresh(state, settings):
    """Factors, constants and the prior's part of F, from covariances and shares."""
    logarithms, traces = factorise(
        state.covariances,
        state.shares,
        settings.blur,
        settings.n_features,
        state.factors,
        state.constants,
    )
    prior = 0.5 * settings.strength * (logarithms + settings.scale * traces)
    state.numbers[PRIOR] = prior


@kernel
def propose_components(sums, state, settings):
    """New centroids, covariances and shares from the sums at U; FUSED leaves U as it is."""
    _solve(sums, state, settings)
    if state.numbers[SETS] < state.u.shape[0]:
        return FUSED
    _update_covariances(sums, state, settings)
    refresh(state, settings)
    return GO_ON


@kernel
def accept_components(data_term, weight, state, settings):
    """What to make of the pass at U: GO_ON or SETTLED."""
    numbers = state.numbers
    objective = data_term + numbers[PRIOR] + settings.gamma * numbers[PAIRS]
    numbers[CHANGE] = abs(numbers[OBJECTIVE] - objective) / weight
    numbers[OBJECTIVE] = objective
    if numbers[CHANGE] > settings.tol or numbers[GAP] > settings.gap:
        return GO_ON
    return SETTLED


@kernel
def alternate_components(
    x, row_weights, scatter, sums, data_term, state, settings, weight, history
):
    """Up to ``history.shape[0]`` passes; ``sums`` and ``data_term`` are those at the state's U.

    OUT state, history (F after each pass).  Returns the sums and the data term at the new U,
    how it ended, and how many passes were made.
    """
    passes, status = 0, GO_ON
    while passes < history.shape[0] and status == GO_ON:
        status = propose_components(sums, state, settings)
        if status == FUSED:
            break
        sums, term = gaussian_statistics_serial(
            x,
            row_weights,
            scatter,
            state.u,
            state.factors,
            state.constants,
            settings.noise,
        )
        data_term = term + 0.5 * settings.n_features * np.log(2.0 * np.pi) * weight
        status = accept_components(data_term, weight, state, settings)
        history[passes] = state.numbers[OBJECTIVE]
        passes += 1
    return sums, data_term, status, passes
