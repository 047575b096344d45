"""Valleys between neighbouring clusters: fewer rows between two than in each.

Two clusters are seen along the direction that tells them apart best, w = ((S_k + S_l) / 2)^-1
(m_k - m_l).  Their rows are counted in narrow bins along it, and the depth of the valley is

    (rows in a window between the two means) / (the most rows in such a window on the poorer
    side)

least over the windows between.  A cluster cut in two has none: about 1, whatever its shape
along that line, as long as it has one peak.  Counts are uncertain: one standard error is added
to the first and taken from the second.
"""

import numpy as np

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.shapes.scatter import (
    covariance_of,
    moments_around_means,
    trace_of,
)
from fastcaf.kernels.small_matrices import cholesky, invert_triangle

BINS = (
    64  # at most; a bin is a quarter of the narrower cluster's deviation where that is enough
)
BINS_A_DEVIATION = 4.0
WINDOW = 3  # bins
REACH = 2.5  # deviations beyond the means that are looked at
PRIOR_ROWS, PRIOR_SHARE = 2.0, 0.1  # of the covariances that give the direction


@kernel
def _direction(first, second, apart, work, y, out):
    """Out = ((S_k + S_l) / 2)^-1 (m_k - m_l); returns the squared distance in that metric."""
    d = apart.shape[0]
    for f in range(d):
        for g in range(f + 1):
            work[f, g] = 0.5 * (first[f, g] + second[f, g])
    cholesky(work)
    invert_triangle(work)
    square = 0.0
    for f in range(d):
        y[f] = 0.0
        for g in range(f + 1):
            y[f] += work[f, g] * apart[g]
        square += y[f] * y[f]
    for f in range(d):
        out[f] = 0.0
        for g in range(f, d):
            out[f] += work[g, f] * y[g]
    return square


@kernel
def _squares_along(matrix, w):
    """w^T S w, from the lower triangle."""
    total = 0.0
    for f in range(w.shape[0]):
        row = 0.5 * matrix[f, f] * w[f]
        for g in range(f):
            row += matrix[f, g] * w[g]
        total += 2.0 * w[f] * row
    return total


@kernel
def _neighbours(means, covariances, nearest, gaps, directions):
    """The nearest cluster of each, how far it is in deviations, and the direction to it."""
    n, d = means.shape
    work, y, w, apart = np.empty((d, d)), np.empty(d), np.empty(d), np.empty(d)
    for k in range(n):
        gaps[k] = np.inf
    for k in range(n):
        for j in range(k):
            for f in range(d):
                apart[f] = means[k, f] - means[j, f]
            if covariances.shape[1] == 1 and d > 1:
                scale = 0.5 * (covariances[k, 0, 0] + covariances[j, 0, 0])
                square = 0.0
                for f in range(d):
                    w[f] = apart[f] / scale
                    square += apart[f] * w[f]
            else:
                square = _direction(covariances[k], covariances[j], apart, work, y, w)
            for one, other in ((k, j), (j, k)):
                if square < gaps[one]:
                    gaps[one], nearest[one] = square, other
                    for f in range(d):
                        directions[one, f] = w[f]
    for k in range(n):
        gaps[k] = np.sqrt(gaps[k])


@kernel
def _depth(counts, n_bins, unit, first, last):
    """The depth of the deepest valley whose window lies between two places, in bins."""
    n = n_bins - WINDOW + 1
    windows, left = np.empty(n), np.empty(n)
    for b in range(n):
        windows[b] = 0.0
        for i in range(WINDOW):
            windows[b] += counts[b + i] / unit
        left[b] = windows[b] if b == 0 else max(left[b - 1], windows[b])
    best, right = np.inf, 0.0
    middle = 0.5 * (first + last)
    for b in range(n - 1, -1, -1):
        right = max(right, windows[b])
        place = b + 0.5 * WINDOW
        if first <= place <= last or abs(place - middle) <= 0.5:
            within = windows[b] + 1.0
            peak = min(left[b], right) + 1.0
            least = max(peak - np.sqrt(peak), 0.3)
            best = min(best, (within + np.sqrt(within)) / least)
    return best if best < np.inf else 1.0  # means that nearly coincide: nothing is between


@kernel
def _covariances(weight, scatter, blur, n_features, prior):
    """Shrunken covariances, K x d x d, or variances, K x 1 x 1."""
    n, d = weight.shape[0], blur.shape[0]
    if scatter.shape[1] > 1 or d == 1:
        out, pooled = np.empty((n, d, d)), np.empty((d, d))
        total, together = 0.0, np.zeros(scatter.shape[1])
        for j in range(n):
            total += weight[j]
            for k in range(together.shape[0]):
                together[k] += scatter[j, k]
        covariance_of(together, total, blur, 0.0, 0.0, pooled)
        for j in range(n):  # a prior in the units of the features: of the pooled covariance
            covariance_of(scatter[j], weight[j], blur, 0.0, 0.0, out[j])
            share = PRIOR_ROWS / (weight[j] + PRIOR_ROWS)
            for f in range(d):
                for g in range(f + 1):
                    own = (1.0 - share) * out[j, f, g]
                    out[j, f, g] = own + share * PRIOR_SHARE * pooled[f, g]
        return out
    out = np.empty((n, 1, 1))
    blurred = 0.0
    for f in range(d):
        blurred += blur[f]
    for j in range(n):
        square = (trace_of(scatter[j], d) + weight[j] * blurred) / n_features
        shrunk = square + PRIOR_ROWS * PRIOR_SHARE * prior
        out[j, 0, 0] = shrunk / (weight[j] + PRIOR_ROWS)
    return out


@kernel
def valleys(x, row_weights, labels, sums, centroids, blur, n_features, prior, one_row):
    """Depth of the valley to the nearest neighbour of every cluster, and the gap to it.

    Clusters must have rows.  ``prior`` is the variance of a feature within clusters;
    ``one_row`` what a row weighs.  Returns the depths and the gaps, in standard deviations.
    """
    weight, means, scatter = moments_around_means(sums, centroids)
    n, d = means.shape
    covariances = _covariances(weight, scatter, blur, n_features, prior)
    nearest, gaps, directions = np.zeros(n, np.int64), np.empty(n), np.empty((n, d))
    _neighbours(means, covariances, nearest, gaps, directions)
    low, width, bins = np.empty(n), np.empty(n), np.empty(n, np.int64)
    places = np.empty((n, 2))
    for k in range(n):
        along = np.empty(2)
        deviation = np.empty(2)
        for i, j in enumerate((k, nearest[k])):
            along[i] = 0.0
            for f in range(d):
                along[i] += directions[k, f] * means[j, f]
            if covariances.shape[1] == 1 and d > 1:
                square = 0.0
                for f in range(d):
                    square += directions[k, f] ** 2
                deviation[i] = np.sqrt(square * covariances[j, 0, 0])
            else:
                deviation[i] = np.sqrt(_squares_along(covariances[j], directions[k]))
        a, b = (0, 1) if along[0] < along[1] else (1, 0)
        low[k] = along[a] - REACH * deviation[a]
        extent = along[b] + REACH * deviation[b] - low[k]
        fine = min(deviation[0], deviation[1]) / BINS_A_DEVIATION
        rounding = 0.0
        for f in range(d):
            rounding += 12.0 * directions[k, f] ** 2 * blur[f]
        # A window spans a step of the resolution: what is between two steps is no valley.
        fine = max(fine, np.sqrt(rounding) / WINDOW)
        bins[k] = int(min(max(extent / fine, 2.0 * WINDOW), BINS))
        width[k] = extent / bins[k]
        places[k, 0] = (along[a] - low[k]) / width[k]
        places[k, 1] = (along[b] - low[k]) / width[k]
    # The pairs in which a cluster is the neighbour of another.
    begin, members = np.zeros(n + 1, np.int64), np.empty(n, np.int64)
    for k in range(n):
        begin[nearest[k] + 1] += 1
    for k in range(n):
        begin[k + 1] += begin[k]
    filled = begin.copy()
    for k in range(n):
        members[filled[nearest[k]]] = k
        filled[nearest[k]] += 1
    counts = np.zeros((n, BINS))
    for i in range(x.shape[0]):
        z = labels[i]
        if z < 0:  # noise
            continue
        a = np.float64(row_weights[i]) if row_weights.shape[0] > 0 else 1.0
        for q in range(begin[z] - 1, begin[z + 1]):
            k = z if q < begin[z] else members[q]
            t = -low[k]
            for f in range(d):
                t += directions[k, f] * x[i, f]
            t /= width[k]
            if 0.0 <= t < bins[k]:
                counts[k, int(t)] += a
    depths = np.empty(n)
    for k in range(n):
        depths[k] = _depth(counts[k], bins[k], one_row, places[k, 0], places[k, 1])
    return depths, gaps
