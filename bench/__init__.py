"""Benchmarks.  ``python -m bench.all`` regenerates every file in ``bench/results``.

Numba's disk cache does not notice a changed callee in another file.  The benchmarks
therefore keep their compiled kernels in a folder named after the sources: never stale, and
shared by all processes of one state of the code.  It has to be set before Numba is
imported.
"""

import hashlib
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"


def state_of_the_code() -> str:
    """A digest of the library's sources."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "fastcaf").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"fastcaf-bench-{state_of_the_code()}")
)
