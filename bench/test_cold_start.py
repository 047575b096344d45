"""Group "cold start": whole fresh processes.  The empty cache is in bench/cold_start.py."""

import pytest

from bench.cold_start import FIT, FITS, IMPORTS, seconds


@pytest.mark.parametrize("name", list(IMPORTS))
def test_import(benchmark, name):
    benchmark.group = "cold start, import in a fresh process (with the interpreter's start)"
    benchmark.pedantic(seconds, args=("", IMPORTS[name]), rounds=3, warmup_rounds=1)


def test_first_fit(benchmark):
    """Kernels come from the disk: the warm-up round has put them there."""
    benchmark.group = "cold start, process with a first fit of Iris, filled cache"
    benchmark.pedantic(seconds, args=(FITS["first fit, Iris"], FIT), rounds=3, warmup_rounds=1)
