"""Importing compiles nothing, warns of nothing, and pulls in no extra."""

import subprocess
import sys


def run(script):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_import_compiles_nothing():
    result = run(
        "import fastcaf\n"
        "from fastcaf.kernels.pairs import admm, duality_gap, union_find\n"
        "from fastcaf.kernels.rows import distances, fcm\n"
        "for module in (admm, distances, duality_gap, fcm, union_find):\n"
        "    for name, value in vars(module).items():\n"
        "        assert not getattr(value, 'signatures', []), name\n"
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


def test_import_needs_no_extra():
    result = run(
        "import sys, fastcaf\n"
        "extra = {'matplotlib', 'cvxpy', 'tqdm'} & set(sys.modules)\n"
        "assert not extra, extra"
    )
    assert result.returncode == 0, result.stderr


def test_without_a_folder_for_kernels_one_warning_says_so_at_the_first_compile():
    """Numba raises at import where it finds no folder; a read-only container has none."""
    result = run(
        "import warnings, numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "import numpy as np\n"
        "from fastcaf.kernels.small_matrices import cholesky, invert_triangle\n"
        # Nothing is said so far: run with -W error.
        "X = 4.0 * np.eye(2)\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    cholesky(X)\n"
        "    invert_triangle(X)\n"
        "assert X[0, 0] == 0.5\n"
        "(one,) = caught\n"
        "print(one.category.__name__, one.filename, one.message)\n"
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("KernelCacheWarning <string> No folder")
    assert "every process compiles" in result.stdout
    assert "NUMBA_CACHE_DIR" in result.stdout
