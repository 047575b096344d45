"""Large data: 300,000 rows in a file, clustered without loading them whole.

Run it with ``python examples/large_memory_map.py``.  The file is written to a folder that is
removed at the end; with your own data only the line with ``np.load`` is needed.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fastcaf import CAFHFCM, RowBlocks, warm_up

N_ROWS, N_FEATURES, N_CLUSTERS = 300_000, 4, 12


def write_rows(file: Path) -> None:
    """Rows around 12 centres, block by block: they are never in memory together."""
    rng = np.random.default_rng(3)
    centres = rng.uniform(-20, 20, (N_CLUSTERS, N_FEATURES))
    mapped = np.lib.format.open_memmap(
        file, mode="w+", dtype=np.float64, shape=(N_ROWS, N_FEATURES)
    )
    for block in np.split(mapped, 10):
        places = centres[rng.integers(N_CLUSTERS, size=len(block))]
        block[:] = places + rng.standard_normal(block.shape)
    mapped.flush()


warm_up()  # compile now, so that the clock below measures the fit
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    file = Path(folder) / "rows.npy"
    write_rows(file)
    rows = np.load(file, mmap_mode="r")  # maps the file, reads nothing
    print(f"{file.stat().st_size / 1e6:.1f} MB on disk, {rows.shape[0]:,} x {rows.shape[1]}")

    begin = time.perf_counter()
    model = CAFHFCM(random_state=0).fit(rows)
    print(f"{model.n_clusters_} clusters in {time.perf_counter() - begin:.1f} s")

    # The path was followed on representatives, then the answer settled on all rows.
    stood_in = model.representatives_
    print(
        f"{stood_in.n_representatives} representatives stood for {stood_in.n_rows:,} rows and "
        f"left {stood_in.within_share:.1%} of the scatter inside them"
    )
    print(f"labels of all rows: {model.labels_.shape}, sizes {np.bincount(model.labels_)}")

    # The same rows from a function that reads a block at a time, as from many files.
    def read() -> Iterator[np.ndarray]:
        """The blocks, from the first to the last."""
        for start in range(0, N_ROWS, 45_000):
            yield np.load(file, mmap_mode="r")[start : start + 45_000]

    again = CAFHFCM(random_state=0).fit(RowBlocks(read))
    print(f"the same from blocks: {np.array_equal(model.labels_, again.labels_)}")
    del rows  # let go of the file before its folder is removed
