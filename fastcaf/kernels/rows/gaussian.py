"""Memberships in Gaussian components, and their sums over rows, in one pass.

For a row x and components with centroids u_j, covariances S_j and shares pi_j of the rows:

    e_j  = ||W_j (x - u_j)||^2 + k_j,    W_j^T W_j = S_j^-1,  k_j = log|S_j| - 2 log(pi_j)
    mu_j = exp(-e_j / 2) / s,            s = sum_l exp(-e_l / 2)

so that -log sum_j pi_j N(x; u_j, S_j) = -log(s) + d/2 log(2 pi).  These are entropy memberships of
temperature 2 with e_j in place of distances, and shares are taken there.

W_j is lower triangular and lies in a vector, row after row: d (d + 1) / 2 numbers, or one
number, 1 / s_j, where S_j = s_j^2 I.  So do the second moments that come out.

Added up over the rows (a_i: row weights; f = x_i - u_j) are, for every component,

    a mu,   a mu^2,   a mu f (d numbers),   a mu f f^T (lower triangle), or a mu ||f||^2

Tails are light and most rows reach a few components only: sums are made row by row for those.
A row that stands for a cell has the cell's scatter in every direction alike.
"""

from typing import NamedTuple

import numpy as np

from fastcaf.kernels.jit import inlined_kernel, kernel, parallel_kernel, prange
from fastcaf.kernels.rows.distances import ROWS, block_of, squared_distances
from fastcaf.kernels.rows.entropy import shares_of_block
from fastcaf.kernels.rows.sums import add_terms, load_row_weights, room_for_terms
from fastcaf.kernels.simd.vectors import (
    broadcast,
    count_lanes,
    load,
    load_broadcast,
    multiply_add,
    store,
    store_four,
)

MAX_CHUNKS = 16  # second moments take much room: fewer chunks than the other passes have
MIN_CHUNK = 256  # rows
PAIRS = 64  # of a row and a component, that are added up together
FIRST = 2  # numbers of a component before its moments


@kernel
def _chunk_size(n):
    size = (n + MAX_CHUNKS - 1) // MAX_CHUNKS
    return max(MIN_CHUNK, (size + ROWS - 1) // ROWS * ROWS)


@kernel
def _count_chunks(n):
    size = _chunk_size(n)
    return (n + size - 1) // size


@kernel
def _panels(numbers, padding, like):
    """K x m numbers as panels x m x L, in the precision of the rows."""
    n, m = numbers.shape
    lanes = count_lanes(like)
    panels = np.full(((n + lanes - 1) // lanes, m, lanes), padding, like.dtype)
    for j in range(n):
        for f in range(m):
            panels[j // lanes, f, j % lanes] = numbers[j, f]
    return panels


@inlined_kernel
def _offsets_of_four(x, first, last, r, panels, p, offsets):
    """x - u of four rows and a panel's components: offsets[f, row, lane]."""
    _, d, lanes = panels.shape
    i0, i1 = d * min(first + r, last), d * min(first + r + 1, last)
    i2, i3 = d * min(first + r + 2, last), d * min(first + r + 3, last)
    for f in range(d):
        u = load(panels, (p * d + f) * lanes)
        store_four(
            offsets,
            4 * f * lanes,
            lanes,
            load_broadcast(x, i0 + f) - u,
            load_broadcast(x, i1 + f) - u,
            load_broadcast(x, i2 + f) - u,
            load_broadcast(x, i3 + f) - u,
        )


@inlined_kernel
def _full_energies(offsets, place, factors, begin, out):
    """||W f||^2 of four rows, two rows of W at a time: what is loaded serves several sums."""
    d, _, lanes = offsets.shape
    zero = broadcast(offsets.dtype.type(0))
    s0, s1 = load(out, place), load(out, place + lanes)
    s2, s3 = load(out, place + 2 * lanes), load(out, place + 3 * lanes)
    if d % 2 == 1:  # the first row of W, one number, has no partner
        w = load(factors, begin)
        begin += lanes
        y0, y1 = w * load(offsets, 0), w * load(offsets, lanes)
        y2, y3 = w * load(offsets, 2 * lanes), w * load(offsets, 3 * lanes)
        s0, s1 = multiply_add(y0, y0, s0), multiply_add(y1, y1, s1)
        s2, s3 = multiply_add(y2, y2, s2), multiply_add(y3, y3, s3)
    for a in range(d % 2, d, 2):
        y0, y1, y2, y3 = zero, zero, zero, zero
        z0, z1, z2, z3 = zero, zero, zero, zero
        below = begin + (a + 1) * lanes
        for b in range(a + 1):
            v, w, here = load(factors, begin), load(factors, below), 4 * b * lanes
            begin, below = begin + lanes, below + lanes
            e0, e1 = load(offsets, here), load(offsets, here + lanes)
            e2, e3 = load(offsets, here + 2 * lanes), load(offsets, here + 3 * lanes)
            y0, z0 = multiply_add(v, e0, y0), multiply_add(w, e0, z0)
            y1, z1 = multiply_add(v, e1, y1), multiply_add(w, e1, z1)
            y2, z2 = multiply_add(v, e2, y2), multiply_add(w, e2, z2)
            y3, z3 = multiply_add(v, e3, y3), multiply_add(w, e3, z3)
        w, here, begin = load(factors, below), 4 * (a + 1) * lanes, below + lanes
        z0 = multiply_add(w, load(offsets, here), z0)
        z1 = multiply_add(w, load(offsets, here + lanes), z1)
        z2 = multiply_add(w, load(offsets, here + 2 * lanes), z2)
        z3 = multiply_add(w, load(offsets, here + 3 * lanes), z3)
        s0, s1 = multiply_add(y0, y0, s0), multiply_add(y1, y1, s1)
        s2, s3 = multiply_add(y2, y2, s2), multiply_add(y3, y3, s3)
        s0, s1 = multiply_add(z0, z0, s0), multiply_add(z1, z1, s1)
        s2, s3 = multiply_add(z2, z2, s2), multiply_add(z3, z3, s3)
    store_four(out, place, lanes, s0, s1, s2, s3)


@inlined_kernel
def _round_energies(p, factors, constants, out):
    """||f||^2 / s^2 + k from ||f||^2, of a panel's components."""
    lanes = factors.shape[2]
    w, constant = load(factors, p * lanes), load(constants, 2 * p * lanes)
    w = w * w
    for place in range(p * ROWS * lanes, (p + 1) * ROWS * lanes, lanes):
        store(out, place, multiply_add(w, load(out, place), constant))


@kernel
def _energies(x, first, last, panels, factors, constants, extra, offsets, out):
    """e_j of a block of rows; ``constants`` has k_j, and tr(S_j^-1) / d for the scatter."""
    n_panels, n_factors, lanes = factors.shape
    if n_factors == 1:
        squared_distances(x, first, last, panels, extra, out)
    for p in range(n_panels):
        if n_factors == 1:
            _round_energies(p, factors, constants, out)
            continue
        constant = load(constants, 2 * p * lanes)
        trace = load(constants, (2 * p + 1) * lanes)
        for r in range(0, ROWS, 4):
            place = (p * ROWS + r) * lanes
            for q in range(4):
                start = multiply_add(trace, load_broadcast(extra, r + q), constant)
                store(out, place + q * lanes, start)
            _offsets_of_four(x, first, last, r, panels, p, offsets)
            _full_energies(offsets, place, factors, p * n_factors * lanes, out)


class _Pairs(NamedTuple):
    """Pairs of a row and a component that wait to be added up, and the sums so far.

    Second moments lie in tiles of four rows and a vector of columns, as far as the diagonal.
    """

    rows: np.ndarray
    owners: np.ndarray  # the components
    shares: np.ndarray  # mu
    offsets: np.ndarray  # f, padded
    held: np.ndarray  # a mu f, padded; empty where components are round
    numbers: np.ndarray  # K x 3: sums of a mu, a mu^2, and scatter or squares
    first: np.ndarray
    second: np.ndarray


@kernel
def _no_pairs(centroids, n_moments):
    n, d = centroids.shape
    numbers = np.zeros((n, 3))
    lanes, height = count_lanes(numbers), (d + 3) // 4 * 4 if n_moments > 1 else 0
    width = (max(d, height) + lanes - 1) // lanes * lanes
    tiles = 0
    for f in range(0, height, 4):
        tiles += (f + 3) // lanes + 1
    return _Pairs(
        np.empty(PAIRS, np.int64),
        np.empty(PAIRS, np.int64),
        np.empty(PAIRS),
        np.zeros((PAIRS, width)),
        np.zeros((PAIRS, height)),
        numbers,
        np.zeros((n, width)),
        np.zeros((n, 4 * lanes * tiles)),
    )


@kernel
def _load_pairs(x, row_weights, scatter, centroids, pairs, count):
    """Offsets, and weights in place of shares."""
    rows, owners, shares, offsets, held, numbers, _, _ = pairs
    for q in range(count):
        i, j, weight, extra = rows[q], owners[q], shares[q], 0.0
        if row_weights.shape[0] > 0:
            weight *= row_weights[i]
        if scatter.shape[0] > 0:
            extra += scatter[i]
        if held.shape[1] > 0:
            for f in range(x.shape[1]):
                offset = x[i, f] - centroids[j, f]
                offsets[q, f] = offset
                held[q, f] = weight * offset
        else:
            for f in range(x.shape[1]):
                offset = x[i, f] - centroids[j, f]
                offsets[q, f] = offset
                extra += offset * offset
        numbers[j, 0] += weight
        numbers[j, 1] += weight * shares[q]
        numbers[j, 2] += weight * extra
        shares[q] = weight


@kernel
def _add_up_pairs(x, row_weights, scatter, centroids, pairs, count):
    """Add up what waits, successive rows of a component together."""
    _load_pairs(x, row_weights, scatter, centroids, pairs, count)
    _, owners, weights, offsets, held, _, first, second = pairs
    lanes, width, height = count_lanes(first), offsets.shape[1], held.shape[1]
    start = 0
    while start < count:
        j, stop = owners[start], start + 1
        while stop < count and owners[stop] == j:
            stop += 1
        for g in range(0, width, lanes):
            s = load(first, j * width + g)
            for q in range(start, stop):
                s = multiply_add(load_broadcast(weights, q), load(offsets, q * width + g), s)
            store(first, j * width + g, s)
        place = j * second.shape[1]
        for f in range(0, height, 4):
            for g in range(0, f + 4, lanes):
                s0, s1 = load(second, place), load(second, place + lanes)
                s2, s3 = load(second, place + 2 * lanes), load(second, place + 3 * lanes)
                for q in range(start, stop):
                    e, h = load(offsets, q * width + g), q * height + f
                    s0 = multiply_add(load_broadcast(held, h), e, s0)
                    s1 = multiply_add(load_broadcast(held, h + 1), e, s1)
                    s2 = multiply_add(load_broadcast(held, h + 2), e, s2)
                    s3 = multiply_add(load_broadcast(held, h + 3), e, s3)
                store_four(second, place, lanes, s0, s1, s2, s3)
                place += 4 * lanes
        start = stop


@kernel
def _finish(pairs, sums):
    """The sums of every component."""
    numbers, lanes, full = pairs.numbers, count_lanes(pairs.first), pairs.held.shape[1] > 0
    d = sums.shape[1] - FIRST - 1
    while full and FIRST + d + d * (d + 1) // 2 > sums.shape[1]:
        d -= 1
    for j in range(sums.shape[0]):
        sums[j, 0], sums[j, 1] = numbers[j, 0], numbers[j, 1]
        for f in range(d):
            sums[j, FIRST + f] = pairs.first[j, f]
        k, tile = FIRST + d, 0
        if not full:
            sums[j, k] = numbers[j, 2]
            continue
        for f in range(d):
            for g in range(f + 1):
                place = tile + (g // lanes * 4 + f % 4) * lanes + g % lanes
                sums[j, k] = pairs.second[j, place]
                k += 1
            sums[j, k - 1] += numbers[j, 2] / d
            if f % 4 == 3:
                tile += 4 * lanes * (f // lanes + 1)


@kernel
def _add_chunk(x, row_weights, scatter, centroids, parts, c, sums):
    """Sums of the rows of chunk c; returned is their part of -log-likelihood."""
    panels, factors, constants = parts
    n, d = x.shape
    size = _chunk_size(n)
    start, stop = c * size, min((c + 1) * size, n)
    n_panels, _, lanes = panels.shape
    n_centroids, n_moments = centroids.shape[0], factors.shape[1]
    block, reached = block_of(panels), np.empty(n_panels, np.bool_)
    offsets, pairs = np.empty((d, 4, lanes), x.dtype), _no_pairs(centroids, n_moments)
    a, extra = np.ones(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    total, least = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    rows, owners, shares = pairs.rows, pairs.owners, pairs.shares
    term, q = 0.0, 0
    for first in range(start, stop, ROWS):
        load_row_weights(row_weights, scatter, first, stop, a, extra)
        _energies(x, first, stop - 1, panels, factors, constants, extra, offsets, block)
        shares_of_block(block, n_centroids, 2.0, least, total, reached)
        for r in range(min(ROWS, stop - first)):
            term += a[r] * (0.5 * least[r] - np.log(np.float64(total[r])))
        for p in range(n_panels):
            if reached[p]:
                for k in range(min(lanes, n_centroids - p * lanes)):
                    for r in range(min(ROWS, stop - first)):
                        share = np.float64(block[p, r, k])
                        if share > 0.0:
                            rows[q], owners[q] = first + r, p * lanes + k
                            shares[q] = share / np.float64(total[r])
                            q += 1
                            if q == PAIRS:
                                _add_up_pairs(x, row_weights, scatter, centroids, pairs, q)
                                q = 0
    _add_up_pairs(x, row_weights, scatter, centroids, pairs, q)
    _finish(pairs, sums)
    return term


@kernel
def _parts(centroids, factors, constants, like):
    """All that the energies need, in panels; the padding is infinitely unlikely."""
    return (
        _panels(centroids, 0.0, like),
        _panels(factors, 1.0, like),
        _panels(constants, np.inf, like),
    )


@kernel
def _room(n, centroids, factors):
    return np.zeros((n, centroids.shape[0], FIRST + centroids.shape[1] + factors.shape[1]))


@kernel
def _add_to(total, sums):
    for j in range(total.shape[0]):
        for f in range(total.shape[1]):
            total[j, f] += sums[j, f]


@kernel
def _add_up(chunks, total):
    """Sum over the chunks, in their order."""
    for c in range(chunks.shape[0]):
        _add_to(total, chunks[c])


@kernel
def gaussian_statistics_serial(x, row_weights, scatter, centroids, factors, constants):
    """Sums of every component (K x (2 + d + m)), and minus the log-likelihood, on this thread.

    IN  factors (K x m): W_j; constants (K x 2): k_j, and tr(S_j^-1) / d.
    """
    parts = _parts(centroids, factors, constants, x)
    total, chunk = _room(2, centroids, factors)
    term = 0.0
    for c in range(_count_chunks(x.shape[0])):
        term += _add_chunk(x, row_weights, scatter, centroids, parts, c, chunk)
        _add_to(total, chunk)
    return total, term


@parallel_kernel
def gaussian_statistics_parallel(x, row_weights, scatter, centroids, factors, constants):
    """``gaussian_statistics_serial`` on all threads, with the same bits."""
    parts = _parts(centroids, factors, constants, x)
    n_chunks = _count_chunks(x.shape[0])
    chunks = _room(n_chunks, centroids, factors)
    terms = room_for_terms(n_chunks, 1)
    for c in prange(n_chunks):
        terms[c, 0] = _add_chunk(x, row_weights, scatter, centroids, parts, c, chunks[c])
    total = _room(1, centroids, factors)[0]
    _add_up(chunks, total)
    return total, add_terms(terms, 0)


@kernel
def _classify_range(x, parts, n_centroids, start, stop, labels):
    """The most likely component of the rows of a range."""
    panels, factors, constants = parts
    _, d, lanes = panels.shape
    block = block_of(panels)
    offsets, no_extra = np.empty((d, 4, lanes), x.dtype), np.zeros(ROWS, x.dtype)
    for first in range(start, stop, ROWS):
        _energies(x, first, stop - 1, panels, factors, constants, no_extra, offsets, block)
        for r in range(min(ROWS, stop - first)):
            best, label = np.inf, 0
            for j in range(n_centroids):
                energy = block[j // lanes, r, j % lanes]
                if energy < best:
                    best, label = energy, j
            labels[first + r] = label


@kernel
def _room_for_labels(x):
    return np.empty(x.shape[0], np.int32)


@kernel
def classify_serial(x, centroids, factors, constants):
    """The most likely component of every row; ties go to the lowest number."""
    labels = _room_for_labels(x)
    parts = _parts(centroids, factors, constants, x)
    _classify_range(x, parts, centroids.shape[0], 0, x.shape[0], labels)
    return labels


@parallel_kernel
def classify_parallel(x, centroids, factors, constants):
    """``classify_serial`` on all threads."""
    labels = _room_for_labels(x)
    parts = _parts(centroids, factors, constants, x)
    for c in prange(_count_chunks(x.shape[0])):
        size = _chunk_size(x.shape[0])
        stop = min((c + 1) * size, x.shape[0])
        _classify_range(x, parts, centroids.shape[0], c * size, stop, labels)
    return labels


@kernel
def sums_by_label(x, row_weights, scatter, labels, centroids, n_moments):
    """Sums over the rows of every label, K x (2 + d + m), as if memberships were 0 and 1.

    ``n_moments`` is m: the lower triangle of second moments, or 1 for the sum of squares.
    """
    sums = np.empty((centroids.shape[0], FIRST + x.shape[1] + n_moments))
    pairs, q = _no_pairs(centroids, n_moments), 0
    for i in range(x.shape[0]):
        pairs.rows[q], pairs.owners[q], pairs.shares[q] = i, labels[i], 1.0
        q += 1
        if q == PAIRS or i + 1 == x.shape[0]:
            _add_up_pairs(x, row_weights, scatter, centroids, pairs, q)
            q = 0
    _finish(pairs, sums)
    return sums


@kernel
def _memberships_range(x, parts, start, stop, out):
    panels, factors, constants = parts
    n_panels, d, lanes = panels.shape
    n_centroids = out.shape[1]
    block, reached = block_of(panels), np.empty(n_panels, np.bool_)
    offsets, no_extra = np.empty((d, 4, lanes), x.dtype), np.zeros(ROWS, x.dtype)
    total, least = np.zeros(ROWS, x.dtype), np.zeros(ROWS, x.dtype)
    for first in range(start, stop, ROWS):
        _energies(x, first, stop - 1, panels, factors, constants, no_extra, offsets, block)
        shares_of_block(block, n_centroids, 2.0, least, total, reached)
        for r in range(min(ROWS, stop - first)):
            for j in range(n_centroids):
                out[first + r, j] = block[j // lanes, r, j % lanes] / total[r]


@kernel
def _room_for_memberships(x, centroids):
    return np.empty((x.shape[0], centroids.shape[0]), x.dtype)


@kernel
def gaussian_memberships_serial(x, centroids, factors, constants):
    """The n x K memberships, on this thread."""
    out = _room_for_memberships(x, centroids)
    _memberships_range(x, _parts(centroids, factors, constants, x), 0, x.shape[0], out)
    return out


@parallel_kernel
def gaussian_memberships_parallel(x, centroids, factors, constants):
    """``gaussian_memberships_serial`` on all threads, with the same bits."""
    out = _room_for_memberships(x, centroids)
    parts = _parts(centroids, factors, constants, x)
    for c in prange(_count_chunks(x.shape[0])):
        size = _chunk_size(x.shape[0])
        _memberships_range(x, parts, c * size, min((c + 1) * size, x.shape[0]), out)
    return out
