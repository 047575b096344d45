"""Shared fixtures.

Kernels are cached on disk, and the cache does not notice a changed callee in another file:
the tests use a folder of their own, emptied for every run.  FASTCAF_TEST_CACHE names one that
is kept: for quick rounds of tests while no kernel changes.
"""

import os
import tempfile

_cache = tempfile.TemporaryDirectory(prefix="fastcaf-numba-")
os.environ["NUMBA_CACHE_DIR"] = os.environ.get("FASTCAF_TEST_CACHE") or _cache.name

import numpy as np  # noqa: E402 - the cache must be set before Numba is imported
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402
from numba import config  # noqa: E402
from sklearn.datasets import load_iris, make_blobs  # noqa: E402

from fastcaf import CAFHFCM  # noqa: E402

# Kernels as plain Python, so that coverage sees their lines: see .ci/run.
WITHOUT_JIT = bool(config.DISABLE_JIT)


def size(compiled, plain):
    """How much to compute: less where kernels run as plain Python."""
    return plain if WITHOUT_JIT else compiled


# Every run tries the same examples; FASTCAF_SEEDS=all tries new ones, and 100 seeds.
settings.register_profile("fastcaf", derandomize=os.environ.get("FASTCAF_SEEDS") != "all")
settings.load_profile("fastcaf")
SEEDS = range(100) if os.environ.get("FASTCAF_SEEDS") == "all" else [42]


@pytest.fixture(params=SEEDS, ids=lambda seed: f"seed{seed}")
def rng(request):
    """A generator; FASTCAF_SEEDS=all sweeps 100 seeds."""
    return np.random.default_rng(request.param)


@pytest.fixture(scope="session")
def iris():
    return load_iris().data


@pytest.fixture(scope="session")
def blobs():
    """300 rows in 5 well separated clusters, and their labels."""
    return make_blobs(300, centers=5, cluster_std=0.5, random_state=7)


@pytest.fixture
def X(blobs):
    """The rows of ``blobs``; a test module with other rows has its own."""
    return blobs[0]


@pytest.fixture
def path_model(X):
    return CAFHFCM(random_state=0, selection="persistence").fit(X)


@pytest.fixture(autouse=WITHOUT_JIT)
def compiled_arithmetic():
    """Compiled kernels divide by 0 and overflow in silence."""
    with np.errstate(all="ignore"):
        yield
