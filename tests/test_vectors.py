"""Vectors of numbers: against plain NumPy, the accuracy of the exponential, the fallback."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import WITHOUT_JIT, size
from numba import njit

from fastcaf.kernels.simd import plain_vectors, vectors

TYPES = [np.float64, np.float32]

pytestmark = pytest.mark.kernels


def arithmetic_of(v):
    """The operations of a module in one compiled function."""
    load, store, store_four = v.load, v.store, v.store_four
    load_broadcast, broadcast, multiply_add = v.load_broadcast, v.broadcast, v.multiply_add
    minimum, horizontal_sum, horizontal_min = v.minimum, v.horizontal_sum, v.horizontal_min
    any_at_most = v.any_at_most

    @njit
    def arithmetic(x, out):
        n = out.shape[1]
        a, b, c = load(x, 1), load(x, n + 3), load_broadcast(x, 2)
        d = broadcast(x[5])
        store(out, 0, a + b * c)
        store(out, n, (a - b) / d)
        store(out, 2 * n, multiply_add(a, b, c))
        store(out, 3 * n, minimum(a, b))
        store_four(out, 4 * n, n, a, b, c, d)
        return horizontal_sum(a), horizontal_min(a), any_at_most(a, b), any_at_most(c, c - d)

    return arithmetic


def exponential_of(v):
    load, store, exp_negative = v.load, v.store, v.exp_negative
    count_lanes = v.count_lanes

    @njit
    def exponential(x, out):
        n = count_lanes(x)
        for i in range(0, len(x), n):
            store(out, i, exp_negative(load(x, i)))

    return exponential


MODULES = {"intrinsics": vectors, "plain": plain_vectors}
ARITHMETIC = {name: arithmetic_of(module) for name, module in MODULES.items()}
EXPONENTIAL = {name: exponential_of(module) for name, module in MODULES.items()}
by_module = pytest.mark.parametrize("name", MODULES)


@by_module
@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic_equals_numpy(rng, dtype, name):
    n = MODULES[name].count_lanes(np.empty(0, dtype))
    x = rng.uniform(0.5, 2.0, 3 * n + 8).astype(dtype)
    a, b = x[1 : n + 1], x[n + 3 : 2 * n + 3]
    c, d = np.full(n, x[2]), np.full(n, x[5])
    out = np.empty((8, n), dtype)
    found = ARITHMETIC[name](x, out)
    expected = [a + b * c, (a - b) / d, a * b + c, np.minimum(a, b), a, b, c, d]
    np.testing.assert_allclose(out, expected, rtol=8 * np.finfo(dtype).eps)
    np.testing.assert_allclose(found[0], a.sum(), rtol=8 * np.finfo(dtype).eps)
    assert found[1:] == (a.min(), (a <= b).any(), False)


@by_module
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 4e-16), (np.float32, 2e-7)])
def test_the_exponential_is_exact_to_rounding(dtype, error, name):
    x = np.linspace(-vectors.CUT, 0.0, size(2**20, 2**12)).astype(dtype)
    out = np.empty_like(x)
    EXPONENTIAL[name](x, out)
    exact = np.exp(x.astype(np.longdouble))
    assert (np.abs(out - exact) / exact).max() < error
    assert out[-1] == 1.0


@by_module
@pytest.mark.parametrize("dtype", TYPES)
def test_the_exponential_is_zero_beyond_the_cut_and_for_no_number(dtype, name):
    x = np.zeros(16, dtype)  # a multiple of any number of lanes
    x[:6] = [-30.1, -1e4, -1e30, -np.inf, np.nan, -30.0]
    out = np.empty_like(x)
    EXPONENTIAL[name](x, out)
    np.testing.assert_array_equal(out[:5], 0.0)
    np.testing.assert_allclose(out[5:], np.exp(x[5:]), rtol=1e-6)


FIT = """
    import logging, sys
    import numpy as np
    from fastcaf.kernels.simd import {imported}
    {breaking}
    import fastcaf
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.3, (20, 2)) for c in (0, 4, 9)])
    X = X.astype(np.float32)
    for membership in ("fcm", "entropy"):
        model = fastcaf.CAFHFCM(3, membership=membership, n_start=12, random_state=0)
        model.fit(X)
        print(model.predict_proba(X[:9]).astype(float).tobytes().hex())
"""


def fit(folder, breaking="", imported="vectors", **environment):
    script = textwrap.dedent(FIT).format(breaking=breaking, imported=imported)
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = [np.frombuffer(bytes.fromhex(line)) for line in result.stdout.split()]
    return np.array(found), result.stderr


@pytest.mark.skipif(WITHOUT_JIT, reason="nothing is compiled")
def test_fits_without_vector_instructions(tmp_path):
    """Compiled without them where they are not wanted, and where they do not compile."""
    kept, log = fit(os.environ["NUMBA_CACHE_DIR"])
    assert log == ""
    plain, log = fit(tmp_path, FASTCAF_PLAIN_VECTORS="1")
    assert log == ""
    assert not list(tmp_path.rglob("*.nbc"))  # a later process must not load them
    np.testing.assert_allclose(plain, kept, atol=1e-4)
    broken, log = fit(tmp_path, "intrinsics._fold = None", imported="intrinsics")
    assert log.count("Vector instructions do not compile") == 1
    np.testing.assert_array_equal(broken, plain)


@pytest.mark.skipif(not WITHOUT_JIT, reason="nothing is switched off")
def test_a_fit_without_numba_says_that_it_is_slow(tmp_path):
    _, log = fit(tmp_path)
    assert log.count("NUMBA_DISABLE_JIT is set") == 1
