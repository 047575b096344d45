"""Any number of threads gives the same bits, and a limit is given back."""

import os
import subprocess
import sys
import textwrap
import threading

import numba
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from fastcaf import CAFHFCM, FuzzyCMeans
from fastcaf.kernels.pairs.admm import PARALLEL_CENTROIDS
from fastcaf.runtime.threads import allowed_threads, launch, thread_limit


def stored_arrays(model):
    """Every array that a fit stores, with a name."""
    arrays = {
        name: value for name, value in vars(model).items() if isinstance(value, np.ndarray)
    }
    for i, level in enumerate(
        getattr(model, "path_", None).levels if hasattr(model, "path_") else []
    ):
        arrays.update({f"level {i} {name}": value for name, value in vars(level).items()})
    return arrays


def assert_equal_bits(one, other):
    first, second = stored_arrays(one), stored_arrays(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name], err_msg=name)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "estimator",
    [
        CAFHFCM(),
        CAFHFCM(fusion_weights="mass"),
        CAFHFCM(fusion_weights="neighbours"),
        CAFHFCM(membership="kernel"),
        FuzzyCMeans(),
        FuzzyCMeans(membership="kernel", fuzzifier="auto"),
    ],
    ids=repr,
)
def test_one_and_two_threads(iris, estimator, dtype):
    large = make_blobs(3000, 5, centers=6, random_state=0)[0]
    for X in (iris, large):
        models = [
            clone(estimator).set_params(random_state=0, n_jobs=n).fit(X.astype(dtype))
            for n in (1, 2)
        ]
        assert_equal_bits(*models)


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")
def test_one_and_two_threads_for_many_centroids():
    """Sweeps over the pairs are parallel, too."""
    X = make_blobs(3000, 2, centers=6, random_state=0)[0]
    model = CAFHFCM(
        n_start=PARALLEL_CENTROIDS + 20, gamma=[1e-3, 0.1], membership="fcm", max_iter=20
    )
    models = [clone(model).set_params(random_state=0, n_jobs=n).fit(X) for n in (1, 2)]
    assert len(models[0].path_.levels[0].centroids) >= PARALLEL_CENTROIDS
    assert_equal_bits(*models)


def test_limit_is_restored_even_after_an_error():
    before = allowed_threads()
    with pytest.raises(RuntimeError, match="inside"), thread_limit(1):
        assert allowed_threads() == 1
        raise RuntimeError("inside")
    assert allowed_threads() == before


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(1, 1), (-1, None), (10_000, None), (None, None)]
)
def test_number_of_threads(n_jobs, threads):
    with thread_limit(n_jobs):
        assert allowed_threads() == (threads or numba.config.NUMBA_NUM_THREADS)


def test_the_limit_reaches_the_kernel_and_numba_gets_its_own_back():
    before = numba.get_num_threads()
    with thread_limit(1):
        assert launch(None, numba.get_num_threads, True) == 1
    assert numba.get_num_threads() == before


def test_fits_in_several_python_threads_at_once():
    X = make_blobs(2000, 4, centers=4, random_state=0)[0]
    models = [CAFHFCM(random_state=0) for _ in range(4)]
    workers = [threading.Thread(target=model.fit, args=(X,)) for model in models]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for model in models[1:]:
        assert_equal_bits(models[0], model)


def run(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


FIT = """
    import numpy as np
    from fastcaf import FuzzyCMeans
    X = np.random.default_rng(0).normal(size=(4000, 4))
    def fit(seed=0):
        return FuzzyCMeans(6, random_state=0, tol=1e-3).fit(X).objective_
"""


def test_the_fallback_threading_layer():
    result = run(FIT + "\n    print(fit())", NUMBA_THREADING_LAYER="workqueue")
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) > 0.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("before", ["fit()", "FuzzyCMeans(2, n_jobs=1).fit(X[:20])", "other()"])
def test_a_forked_child_survives(before):
    """Whoever started OpenMP's threads in the parent."""
    script = f"""
    import os
    from numba import njit, prange
    @njit(parallel=True)
    def other():
        total = 0.0
        for i in prange(1000):
            total += i
        return total
    {before}
    child = os.fork()
    if child == 0:
        fit()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    """
    result = run(FIT + script)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_inside_joblib(backend):
    """multiprocessing forks after threads were used: OpenMP would end the child."""
    script = f"""
    from joblib import Parallel, delayed
    first = fit()
    found = Parallel(n_jobs=2, backend="{backend}")(delayed(fit)(i) for i in range(4))
    assert found == [first] * 4, (first, found)
    """
    result = run(FIT + script)
    assert result.returncode == 0, result.stderr
