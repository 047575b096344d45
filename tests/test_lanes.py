"""Vectors of numbers: against plain NumPy, and the accuracy of the exponential."""

import numpy as np
import pytest
from numba import njit

from fastcaf.kernels.simd import plain_vectors as plain_lanes
from fastcaf.kernels.simd import vectors as lanes

TYPES = [np.float64, np.float32]


@njit
def arithmetic(x, out):
    n = out.shape[1]
    a, b, c = lanes.load(x, 1), lanes.load(x, n + 3), lanes.broadcast(x, 2)
    d = lanes.splat(x[5])
    lanes.store(out, 0, a + b * c)
    lanes.store(out, n, (a - b) / d)
    lanes.store(out, 2 * n, lanes.multiply_add(a, b, c))
    lanes.store(out, 3 * n, lanes.least(a, b))
    lanes.store_four(out, 4 * n, n, a, b, c, d)
    return lanes.total(a), lanes.lowest(a), lanes.any_within(a, b), lanes.any_within(c, c - d)


@njit
def decays(x, out):
    n = lanes.BYTES // x.itemsize
    for i in range(0, len(x), n):
        lanes.store(out, i, lanes.decay(lanes.load(x, i)))


def twin(x, n):
    p = plain_lanes
    a, b, c = p.load(x, 1), p.load(x, n + 3), p.broadcast(x, 2)
    d = p.splat(x[5])
    out = np.empty((8, n), x.dtype)
    p.store(out, 0, a + b * c)
    p.store(out, n, (a - b) / d)
    p.store(out, 2 * n, p.multiply_add(a, b, c))
    p.store(out, 3 * n, p.least(a, b))
    p.store_four(out, 4 * n, n, a, b, c, d)
    return out, (p.total(a), p.lowest(a), p.any_within(a, b), p.any_within(c, c - d))


@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic_equals_plain_numpy(rng, dtype):
    n = lanes.BYTES // np.dtype(dtype).itemsize
    x = rng.uniform(0.5, 2.0, 3 * n).astype(dtype)
    out = np.empty((8, n), dtype)
    found = arithmetic(x, out)
    expected, numbers = twin(x, n)
    np.testing.assert_allclose(out, expected, rtol=8 * np.finfo(dtype).eps)
    np.testing.assert_allclose(found, numbers, rtol=8 * np.finfo(dtype).eps)
    assert found[1:] == numbers[1:]


@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 4e-16), (np.float32, 2e-7)])
def test_decay_is_the_exponential(dtype, error):
    x = np.linspace(-lanes.CUT, 0.0, 2**20).astype(dtype)
    out = np.empty_like(x)
    decays(x, out)
    exact = np.exp(x.astype(np.longdouble))
    assert (np.abs(out - exact) / exact).max() < error
    assert out[-1] == 1.0


@pytest.mark.parametrize("dtype", TYPES)
def test_decay_is_zero_beyond_the_cut_and_for_no_number(dtype):
    x = np.zeros(16, dtype)  # a multiple of any number of lanes
    x[:6] = [-30.1, -1e4, -1e30, -np.inf, np.nan, -30.0]
    out = np.empty_like(x)
    decays(x, out)
    np.testing.assert_array_equal(out[:5], 0.0)
    np.testing.assert_allclose(out[5:], plain_lanes.decay(x)[5:], rtol=1e-6)
