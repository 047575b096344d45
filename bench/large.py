"""Large and whole experiments, each by name: ``python -m bench.large s1 grid million map``.

s1       sipu-s1 (5,000 x 2): the automatic path against
         KMeans(n_init=10) + silhouette, k = 2..70
grid     100,000 x 2 in 10 x 10 clusters, 4 sqrt(2) deviations apart, against one
         KMeans(n_clusters=100, n_init=10) and HDBSCAN
million  1,000,000 x 10 in 50 clusters, against one Lloyd iteration at K = 1,000, and memory
map      10,000,000 x 4 from a memory map, in a process with at most 1.5 GB of address space
larger   50,000,000 x 4 from a memory map of 1.6 GB, in a process with at most 1 GB of data
         (what is mapped from a file does not count: it need not be in memory)

Every fit of ours runs in a fresh process, after a small fit that loads the kernels; the
best of several counts.  A peer gets the better of one thread and all.  ``--scale 0.01``
takes that share of the rows: a trial of the scripts, not kept.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

import bench
from bench import report
from bench.data import clusters, grid
from bench.fresh import MB, call, growth_of, in_use
from bench.measure import load_kernels, seconds_of, threads
from bench.peers import load
from bench.selection.suite import data_folder, read

LIMITS = {"RLIMIT_AS": 1_500_000_000, "RLIMIT_DATA": 1_000_000_000}  # bytes
APART = 6.0  # deviations: the clusters of "million" and "map" are clear


def s1_rows() -> tuple[np.ndarray, np.ndarray] | None:
    """sipu-s1 from the folder FASTCAF_DATA, or None."""
    folder = data_folder()
    if folder is None or not (folder / "suite" / "sipu-s1.data.gz").exists():
        return None
    return read(folder / "suite", "sipu-s1", has_noise=False)


def made(name: str, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """The rows of an experiment, and their true labels."""
    if name == "s1":
        found = s1_rows()
        assert found is not None
        return found
    if name == "grid":
        return grid(int(100_000 * scale))
    return clusters(int(1_000_000 * scale), 10, 50, apart=APART)


def ours(name: str, scale: float) -> dict:
    """One fit; called in a fresh process."""
    from fastcaf import CAFHFCM

    rows, labels = made(name, scale)
    load_kernels(rows)
    model, seconds, mb = growth_of(lambda: CAFHFCM(random_state=0).fit(rows))
    return {
        "n": len(rows),
        "seconds": seconds,
        "clusters": int(model.n_clusters_),
        "ARI": float(adjusted_rand_score(labels, model.labels_)),
        "passes": int(model.n_iter_),
        "memory / X": mb * MB / rows.nbytes,
    }


def best_ours(name: str, scale: float, repeats: int) -> dict:
    """The fastest of several fresh processes."""
    tries = [call("bench.large", "ours", name=name, scale=scale) for _ in range(repeats)]
    return min(tries, key=lambda one: one["seconds"])


def peer_seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """The best with one thread and with all: scikit-learn's threads spin while they wait,
    and on a busy machine more of them can be slower.  The peer gets the better time.
    """
    alone = []
    for _ in range(repeats):
        with threads(1):
            alone.append(seconds_of(work))
    return min(*alone, *(seconds_of(work) for _ in range(repeats)))


def s1(scale: float, repeats: int) -> dict:
    """Against the loop over k; silhouettes of all rows, and of 2,000, timed apart."""
    found = s1_rows()
    if found is None:
        return {"skipped": "FASTCAF_DATA names no folder with suite/sipu-s1"}
    rows, result = found[0], best_ours("s1", scale, repeats)
    numbers = range(2, 71 if scale >= 1 else 8)
    fits: list[np.ndarray] = []
    scores: list[float] = []

    def fit_all() -> None:
        fits[:] = [KMeans(k, n_init=10, random_state=0).fit_predict(rows) for k in numbers]

    def score_all() -> None:
        scores[:] = [silhouette_score(rows, one) for one in fits]

    fitting, whole = peer_seconds(fit_all), peer_seconds(score_all)
    sampled = peer_seconds(
        lambda: [silhouette_score(rows, one, sample_size=2000, random_state=0) for one in fits]
    )
    return {
        **result,
        "loop's clusters": int(numbers[int(np.argmax(scores))]),
        "KMeans seconds": fitting,
        "silhouette seconds": whole,
        "silhouette of 2,000 seconds": sampled,
        "loop / ours": (fitting + whole) / result["seconds"],
        "loop with 2,000 / ours": (fitting + sampled) / result["seconds"],
        "asked": "at least 20",
    }


def on_grid(scale: float, repeats: int) -> dict:
    """Against one KMeans with the true number, and HDBSCAN."""
    rows, labels = made("grid", scale)
    result = best_ours("grid", scale, repeats)
    kmeans = peer_seconds(lambda: KMeans(100, n_init=10, random_state=0).fit(rows), repeats)
    found: list[np.ndarray] = []
    hdbscan = peer_seconds(lambda: found.append(HDBSCAN(copy=True).fit_predict(rows)))
    return {
        **result,
        "KMeans seconds": kmeans,
        "HDBSCAN seconds": hdbscan,
        "HDBSCAN ARI": float(adjusted_rand_score(labels, found[0])),
        "ours / KMeans": result["seconds"] / kmeans,
        "ours / HDBSCAN": result["seconds"] / hdbscan,
        "asked": "100 clusters, below 1, below 0.1",
    }


def million(scale: float, repeats: int) -> dict:
    """Against one Lloyd iteration at K = 1,000."""
    rows, _ = made("million", scale)
    result = best_ours("million", scale, repeats)
    lloyd = peer_seconds(load("kmeans").row_pass(rows, rows[:1000] + 0.01), 3)
    return {
        **result,
        "Lloyd iteration seconds": lloyd,
        "ours / Lloyd iteration": result["seconds"] / lloyd,
        "asked": "50 clusters, below 60, memory / X below 4",
    }


def write_map(path: Path, n: int) -> None:
    """n x 4 rows in 50 clusters, a part at a time."""
    rows = np.lib.format.open_memmap(path, "w+", np.float64, (n, 4))
    part = 500_000
    for start in range(0, n, part):
        stop = min(start + part, n)
        rows[start:stop], _ = clusters(stop - start, 4, 50, apart=APART, seed=start)
    rows.flush()


def from_map(path: str, kind: str) -> dict:
    """A fit under the limit of that kind; called in a fresh process."""
    import resource
    import time

    limit = LIMITS[kind]
    resource.setrlimit(getattr(resource, kind), (limit, limit))
    from fastcaf import CAFHFCM

    rows = np.load(path, mmap_mode="r")
    start = time.perf_counter()
    try:
        model = CAFHFCM(random_state=0).fit(rows)
    except MemoryError as error:
        return {"n": len(rows), "failed": f"MemoryError: {error}"}
    return {
        "n": len(rows),
        "seconds": time.perf_counter() - start,
        "clusters": int(model.n_clusters_),
        "peak resident MB": in_use()["VmHWM"],
        "limit MB": limit / MB,
        "X MB": rows.nbytes / MB,
    }


def mapped(scale: float, repeats: int) -> dict:
    """With all that is mapped counted, the rows too."""
    return fitted_from_map(int(10_000_000 * scale), "RLIMIT_AS")


def larger(scale: float, repeats: int) -> dict:
    """More rows than the process may hold."""
    return fitted_from_map(int(50_000_000 * scale), "RLIMIT_DATA")


def fitted_from_map(n: int, kind: str) -> dict:
    """Write the map, fit it once under the limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        write_map(path, n)
        # Compiling needs memory of its own: kernels are put on disk without a limit.
        call("bench.large", "ours", name="million", scale=0.003)
        found = call("bench.large", "from_map", path=str(path), kind=kind)
    return {**found, "asked": "completes"}


EXPERIMENTS = {"s1": s1, "grid": on_grid, "million": million, "map": mapped, "larger": larger}


def text_of(results: dict[str, dict]) -> str:
    """A table for each experiment."""
    parts = ["# Large data, whole fits", __doc__ or ""]
    for name, found in results.items():
        rows = [[k, f"{v:.3g}" if isinstance(v, float) else v] for k, v in found.items()]
        parts.append(report.table([name, ""], rows))
    return "\n\n".join(parts)


def kept() -> dict[str, dict]:
    """Results on file; experiments that are not run again stay."""
    path = bench.RESULTS / "large.json"
    return json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else {}


def main() -> None:
    """Run those named and write them down."""
    parser = argparse.ArgumentParser(prog="python -m bench.large", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(EXPERIMENTS), help="default: all")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    about = report.machine()
    results = {}
    for name in options.names:
        results[name] = EXPERIMENTS[name](options.scale, options.repeats)
        print(name, results[name], flush=True)
    if options.scale != 1.0:
        print(text_of(results))
    else:
        report.write("large", text_of(kept() | results), kept() | results, about)


if __name__ == "__main__":
    main()
