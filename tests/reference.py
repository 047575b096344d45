"""Slow, obvious NumPy twins of the kernels and of the whole method.

They import nothing from fastcaf and share no formula with it that could be written
differently: dense linear solves, explicit loops over pairs, memberships by the textbook.
"""

import numpy as np


def squared_distances(X, U):
    return np.array([[float(((x - u) ** 2).sum()) for u in U] for x in X]).reshape(
        len(X), len(U)
    )


def memberships(X, U, m=2.0, scatter=0.0):
    """Textbook fuzzy c-means: mu_ij = 1 / sum_l (d_ij / d_il)^(1/(m-1))."""
    D = squared_distances(np.asarray(X, dtype=float), np.asarray(U, dtype=float))
    D = D + np.reshape(scatter, (-1, 1))
    mu = np.zeros_like(D)
    for i, row in enumerate(D):
        if (row == 0.0).any():
            mu[i, row == 0.0] = 1.0 / (row == 0.0).sum()
            continue
        for j in range(len(row)):
            mu[i, j] = 1.0 / ((row[j] / row) ** (1.0 / (m - 1.0))).sum()
    return mu


def statistics(X, a, U, m=2.0, scatter=0.0):
    """Weight, sums, mass and data term, with row weights ``a``."""
    mu = memberships(X, U, m, scatter)
    held = a[:, None] * mu**m
    D = squared_distances(X, U) + np.reshape(scatter, (-1, 1))
    data_term = 0.5 * (held * D).sum()
    weight = held.sum(axis=0)
    return weight, held.T @ X, (a[:, None] * mu).sum(axis=0), weight, data_term, 0.0


def entropy_statistics(X, a, U, tau, scatter=0.0):
    """Weight, sums, mass, squares, data term and nearest of entropy memberships."""
    D = squared_distances(X, U) + np.reshape(scatter, (-1, 1))
    mu = np.exp(-(D - D.min(axis=1, keepdims=True)) / tau)
    mu /= mu.sum(axis=1, keepdims=True)
    held = a[:, None] * mu
    free = -tau * np.log(np.exp(-D / tau).mean(axis=1))
    return (
        held.sum(axis=0),
        held.T @ X,
        held.sum(axis=0),
        (held * mu).sum(axis=0),
        0.5 * a @ free,
        a @ D.min(axis=1),
    )


def prox(y, threshold):
    """argmin_v 1/2 ||v - y||^2 + threshold ||v||."""
    norm = np.linalg.norm(y)
    return np.zeros_like(y) if norm <= threshold else (1.0 - threshold / norm) * y


def pair_weight(p, k, j):
    """Weight of a pair by the pulls of its centroids, or out of a matrix; 1 without either."""
    if np.ndim(p) == 2:
        return p[k, j]
    return 1.0 if p is None else 1.0 / (1.0 / p[k] + 1.0 / p[j])


def solve_centroids(w, M, gamma, beta=None, sweeps=20_000, accuracy=1e-13, pair_mass=None):
    """ADMM as printed, with v and lambda of every pair, and a dense U-step.

    Returns U, the multipliers by pair, and the pairs with v = 0.
    """
    K, d = M.shape
    pairs = [(k, j) for k in range(K) for j in range(k + 1, K)]
    A = np.zeros((len(pairs), K))
    for row, (k, j) in enumerate(pairs):
        A[row, k], A[row, j] = 1.0, -1.0
    if beta is None:
        beta = 6.0 * gamma / np.sqrt(((A @ M) ** 2).sum() / max(1, len(pairs)) + 1e-300)
    radius = [gamma * pair_weight(pair_mass, k, j) for k, j in pairs]
    V, lam, U = A @ M, np.zeros((len(pairs), d)), M.copy()
    system = np.diag(w) + beta * A.T @ A
    for _ in range(sweeps):
        U_new = np.linalg.solve(system, w[:, None] * M + A.T @ (beta * V + lam))
        V_old = V
        Y = A @ U_new - lam / beta
        V = np.array([prox(y, r / beta) for y, r in zip(Y, radius, strict=True)])
        V = V.reshape(len(pairs), d)
        lam = lam + beta * (V - A @ U_new)
        moved = max(np.abs(U_new - U).max(), np.abs(V - V_old).max(initial=0.0))
        U = U_new
        if max(moved, np.abs(A @ U - V).max(initial=0.0)) < accuracy * np.abs(M).max():
            break
    fused = [pair for pair, v in zip(pairs, V, strict=True) if not v.any()]
    return U, dict(zip(pairs, lam, strict=True)), fused


def components(n, pairs):
    """Label of every node, numbered by lowest member."""
    label = list(range(n))
    for a, b in pairs:
        low, high = sorted((label[a], label[b]))
        label = [low if x == high else x for x in label]
    return np.unique(label, return_inverse=True)[1]


def fuzzy_c_means(X, U, m=2.0, iterations=10, a=None):
    a = np.ones(len(X)) if a is None else a
    for _ in range(iterations):
        w, S, *_ = statistics(X, a, U, m)
        U = S / w[:, None]
    return U


def neighbour_weights(U, nearest=5):
    """K x K weights: alike on edges to the nearest ones and on Prim's tree, 1 in the mean."""
    K = len(U)
    D = np.sqrt(squared_distances(U, U))
    W = np.zeros((K, K))
    for k in range(K):
        others = sorted((D[k, j], j) for j in range(K) if j != k)
        for _, j in others[:nearest]:
            W[k, j] = W[j, k] = 1.0
    inside = {0}
    while len(inside) < K:
        _, k, j = min((D[k, j], k, j) for k in inside for j in range(K) if j not in inside)
        W[k, j] = W[j, k] = 1.0
        inside.add(j)
    return W * (K * (K - 1) / max(W.sum(), 1.0))


def settle(X, U, gamma, m=2.0, tol=1e-9, max_iter=500, by_mass=False, by_neighbours=False):
    """One gamma: alternate, and merge what is fused at once.

    By mass, the weights at the beginning and after each fusion are the pulls of the pairs; by
    neighbours, their places then say which pairs pull.
    """
    a = np.ones(len(X))

    def weigh(U):
        return neighbour_weights(U) if by_neighbours else statistics(X, a, U, m)[0]

    pair_mass = weigh(U) if by_mass or by_neighbours else None
    last = np.inf
    for _ in range(max_iter):
        w, S, *_ = statistics(X, a, U, m)
        U_new, _, fused = solve_centroids(w, S / w[:, None], gamma, pair_mass=pair_mass)
        labels = components(len(U), fused)
        merged = labels.max() + 1 < len(U)
        U = np.array(
            [
                np.average(U_new[labels == c], axis=0, weights=w[labels == c])
                for c in range(labels.max() + 1)
            ]
        )
        if merged and pair_mass is not None:
            pair_mass = weigh(U)
        value = statistics(X, a, U, m)[4] + gamma * sum(
            pair_weight(pair_mass, k, j) * np.linalg.norm(U[k] - U[j])
            for k in range(len(U))
            for j in range(k + 1, len(U))
        )
        if not merged and last - value <= tol * value:
            break
        last = np.inf if merged else value
    return U


def path(X, U, gammas, m=2.0, by_mass=False):
    """Centroids at every gamma, each level started from the last."""
    levels = []
    for gamma in gammas:
        if gamma == 0.0:
            U = fuzzy_c_means(X, U, m, iterations=300)
        elif len(U) > 1:
            U = settle(X, U, gamma, m, by_mass=by_mass)
        levels.append(U)
    return levels
