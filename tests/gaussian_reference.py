"""Slow, obvious NumPy twins of all that has covariances: mixtures, partitions, merges.

They import nothing from fastcaf.  Densities are written out with inverses and determinants, and
clusters are taken from their rows, never from sums.  ``blur`` is the variance that the
resolution of the data adds to each feature: a row stands for a small Gaussian around it, and
log densities are means over that, log N(x; m, S) - tr(S^-1 R) / 2.
"""

from math import lgamma

import numpy as np

ONE_VARIANCE, A_VARIANCE_EACH, ONE_MATRIX, A_MATRIX_EACH = range(4)
FREEDOM, ROUNDS = 4.0, 3


def squared_lengths(f, S):
    """f^T S^-1 f of every row f."""
    precision = np.linalg.inv(S)
    return np.array([one @ precision @ one for one in f])


def log_densities(f, S, spread):
    """Log N(f; 0, S) of every row f, their mean over a cell with the covariance ``spread``."""
    inside = np.trace(np.linalg.inv(S) @ spread, axis1=-2, axis2=-1)
    volume = np.linalg.slogdet(2.0 * np.pi * S)[1]
    return -0.5 * (squared_lengths(f, S) + inside + volume)


def logarithms(X, U, S, shares, scatter=0.0, blur=0.0):
    """Log(pi_j N(x_i; u_j, S_j)), n x K; ``scatter`` is a cell's sum of variances."""
    n, d = X.shape
    cells = np.broadcast_to(scatter, n)[:, None, None] / d * np.eye(d)
    spread = cells + np.diag(np.broadcast_to(blur, d))
    columns = [
        np.log(share) + log_densities(X - u, s, spread)
        for u, s, share in zip(U, S, shares, strict=True)
    ]
    return np.column_stack(columns)


def memberships(X, U, S, shares, scatter=0.0, blur=0.0):
    log = logarithms(X, U, S, shares, scatter, blur)
    return np.exp(log - np.logaddexp.reduce(log, axis=1)[:, None])


def mixture_sums(X, a, U, S, shares, scatter=0.0, blur=0.0):
    """Weights, squares, first and second moments around U, and minus the log-likelihood."""
    n, d = X.shape
    log = logarithms(X, U, S, shares, scatter, blur)
    mu = memberships(X, U, S, shares, scatter, blur)
    scatter = np.broadcast_to(scatter, n)
    first, second = np.zeros((len(U), d)), np.zeros((len(U), d, d))
    for j, u in enumerate(U):
        for x, held, cell in zip(X, a * mu[:, j], scatter, strict=True):
            first[j] += held * (x - u)
            second[j] += held * (np.outer(x - u, x - u) + cell / d * np.eye(d))
    return a @ mu, a @ mu**2, first, second, -float(a @ np.logaddexp.reduce(log, axis=1))


def m_step(weight, first, second, moved, blur, strength, scale, is_round):
    """Covariances around centroids that moved by ``moved``, with a prior; and shares."""
    d = first.shape[1]
    S = []
    for w, one, two, shift in zip(weight, first, second, moved, strict=True):
        around = two - np.outer(one, shift) - np.outer(shift, one) + w * np.outer(shift, shift)
        around = around + w * np.diag(blur)
        if is_round:
            around = np.trace(around) / d * np.eye(d)
        S.append((around + strength * scale * np.eye(d)) / (w + strength))
    return np.array(S), weight / weight.sum()


def expectation_maximisation(X, a, U, S, shares, blur, steps, strength, scale, is_round):
    """So many steps of EM without fusion."""
    for _ in range(steps):
        weight, _, first, second, _ = mixture_sums(X, a, U, S, shares, blur=blur)
        moved = first / weight[:, None]
        S, shares = m_step(weight, first, second, moved, blur, strength, scale, is_round)
        U = U + moved
    return U, S, shares


def objective(X, a, U, S, shares, blur, strength, scale, gamma):
    """F of penalised EM: minus the log-likelihood, the prior, and the centroids' pull."""
    prior = sum(np.linalg.slogdet(s)[1] + scale * np.trace(np.linalg.inv(s)) for s in S)
    pull = sum(np.linalg.norm(U[k] - U[j]) for j in range(len(U)) for k in range(j))
    likelihood = mixture_sums(X, a, U, S, shares, blur=blur)[-1]
    return likelihood + 0.5 * strength * prior + gamma * pull


def clusters(X, a, z, blur):
    """Weights, means, and scatter (with the resolution in it) of the rows of each label."""
    weight, means, scatter = [], [], []
    for j in range(z.max() + 1):
        own, rows = a[z == j], X[z == j]
        mean = np.average(rows, axis=0, weights=own)
        offsets = rows - mean
        weight.append(own.sum())
        means.append(mean)
        scatter.append((own[:, None] * offsets).T @ offsets + own.sum() * np.diag(blur))
    return np.array(weight), np.array(means), np.array(scatter)


def covariances(model, weight, scatter):
    """A covariance for each cluster under one of four models."""
    d, n = scatter.shape[1], weight.sum()
    unit, variance = np.eye(d), np.trace(scatter.sum(axis=0)) / (n * d)
    if model == ONE_VARIANCE:
        return np.array([variance * unit] * len(weight))
    if model == A_VARIANCE_EACH:  # one more row, of the variance of all
        own = [
            (np.trace(c) / d + variance) / (w + 1.0)
            for w, c in zip(weight, scatter, strict=True)
        ]
        return np.array([v * unit for v in own])
    if model == ONE_MATRIX:
        return np.array([scatter.sum(axis=0) / n] * len(weight))
    rows = d + 2.0  # with a tenth of the variance of all
    return np.array(
        [
            (c + rows * 0.1 * variance * unit) / (w + rows)
            for w, c in zip(weight, scatter, strict=True)
        ]
    )


def completed_likelihood(model, X, a, z, blur):
    """Sum over the rows of log(pi_z N(x; m_z, S_z))."""
    weight, means, scatter = clusters(X, a, z, blur)
    S, log = covariances(model, weight, scatter), np.empty(len(X))
    for j, share in enumerate(weight / weight.sum()):
        own = z == j
        log[own] = np.log(share) + log_densities(X[own] - means[j], S[j], np.diag(blur))
    return a @ log


def heavy_tailed_likelihood(model, X, a, z, blur, rounds=ROUNDS):
    """The same with Student's t; also the means and matrices that it was taken at."""
    d, t = X.shape[1], FREEDOM
    weight, means, scatter = clusters(X, a, z, blur)
    for last in [False] * rounds + [True]:
        S, delta = covariances(model, weight, scatter), np.empty(len(X))
        for j, mean in enumerate(means):
            inside = np.trace(np.linalg.inv(S[j]) @ np.diag(blur))
            delta[z == j] = squared_lengths(X[z == j] - mean, S[j]) + inside
        if not last:  # rows far out count little
            _, means, scatter = clusters(X, a * (t + d) / (t + delta), z, np.zeros(d))
            scatter = scatter + weight[:, None, None] * np.diag(blur)
    volume = np.array([np.linalg.slogdet(s)[1] for s in S])[z]
    log = lgamma((t + d) / 2.0) - lgamma(t / 2.0) - d / 2.0 * np.log(t * np.pi)
    log = log - 0.5 * volume - (t + d) / 2.0 * np.log(1.0 + delta / t)
    return a @ (np.log(weight / weight.sum())[z] + log), means, S


def merge_loss(X, a, z, k, j, blur, prior, strength, is_round):
    """What the completed likelihood loses where clusters k and j become one."""

    def part(which):
        here = np.isin(z, which)
        (weight,), _, (scatter,) = clusters(X[here], a[here], np.zeros(here.sum(), int), blur)
        d = X.shape[1]
        if is_round:
            scatter = np.trace(scatter) / d * np.eye(d)
        S = (scatter + strength * prior * np.eye(d)) / (weight + strength)
        return weight * np.log(weight) - 0.5 * weight * np.linalg.slogdet(S)[1]

    return part([k]) + part([j]) - part([k, j])


def neighbours(weight, means, scatter, prior):
    """Nearest cluster of each, distance in deviations, direction; and shrunken covariances.

    Two more rows have a tenth of the covariance ``prior``.
    """
    c = len(means)
    S = [(one + 2.0 * 0.1 * prior) / (w + 2.0) for w, one in zip(weight, scatter, strict=True)]
    found = []
    for k in range(c):
        away = [np.inf] * c
        for j in set(range(c)) - {k}:
            both = (S[k] + S[j]) / 2.0
            away[j] = float(np.sqrt(squared_lengths([means[k] - means[j]], both)[0]))
        j = int(np.argmin(away))
        found.append((j, away[j], np.linalg.solve((S[k] + S[j]) / 2.0, means[j] - means[k])))
    return found, S


def valley_depths(X, a, z, blur, variance, one_row, is_round):
    """Rows between each cluster and its nearest, over rows at the lower of the two peaks.

    ``variance`` is the prior's where clusters are round; else it is their pooled covariance.
    """
    weight, means, scatter = clusters(X, a, z, blur)
    prior = scatter.sum(axis=0) / weight.sum()
    if is_round:
        scatter = np.array([np.trace(one) / len(one) * np.eye(len(one)) for one in scatter])
        prior = variance * np.eye(X.shape[1])
    found, S = neighbours(weight, means, scatter, prior)
    depths = []
    for k, (j, _, direction) in enumerate(found):
        low, high = means[k] @ direction, means[j] @ direction  # the other lies ahead
        near, far = (np.sqrt(direction @ S[i] @ direction) for i in (k, j))
        start, stop = low - 2.5 * near, high + 2.5 * far
        bins = int(np.clip((stop - start) / (min(near, far) / 4.0), 6, 64))
        own = (z == k) | (z == j)
        counts, edges = np.histogram(X[own] @ direction, bins, (start, stop), weights=a[own])
        windows = np.convolve(counts / one_row, np.ones(3), "valid")
        width, best = (stop - start) / bins, np.inf
        for b, rows in enumerate(windows):
            middle = (edges[b] + edges[b + 3]) / 2.0
            if low <= middle <= high or abs(middle - (low + high) / 2.0) <= width / 2.0:
                peak = min(windows[: b + 1].max(), windows[b:].max()) + 1.0
                upper, lower = rows + 1.0 + np.sqrt(rows + 1.0), peak - np.sqrt(peak)
                best = min(best, upper / max(lower, 0.3))
        depths.append(best)
    return np.array(depths), np.array([gap for _, gap, _ in found])
