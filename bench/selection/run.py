"""Run methods on sets, one thread each, and keep what is known already."""

from __future__ import annotations

import hashlib
import time
import traceback
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

import fastcaf
from bench.selection.answer import Method
from bench.selection.rows import Row, append, load
from bench.selection.sets import NOISE, LabelledSet


def code_state() -> str:
    """The version and a short hash of fastcaf's sources, as loaded now."""
    folder = Path(fastcaf.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return f"fastcaf {fastcaf.__version__} {digest.hexdigest()[:8]}"


OUR_STATE = code_state()


def peer_state(method: Method) -> str:
    """The package that a peer comes from, and its version."""
    return f"{method.package} {version(method.package)}"


def warm_up(methods: list[Method]) -> None:
    """Compile outside the clock: a small set and one large enough for every kernel."""
    rng = np.random.default_rng(0)
    for method in methods:
        for n in (200, 4000) if method.is_ours or "fcm" in method.name else (200,):
            rows = rng.normal(size=(n, 3))
            rows[: n // 2] += 9.0
            measure(method, rows, np.zeros(n, dtype=int), 0, 2)


def measure(
    method: Method, X: np.ndarray, truth: np.ndarray, seed: int, n_clusters: int
) -> tuple[int, float, float, bool, str]:
    """Number of clusters, ARI, CPU seconds, whether it warned, and a note.

    ARI over the rows that are not noise in truth; noise that a method finds is one group.  A
    method that fails has 0 clusters and ARI 0, and the note says why.
    """
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        began = time.process_time()
        try:
            answer = method.answer(X, seed, n_clusters)
        except Exception as error:
            traceback.print_exc()
            seconds = time.process_time() - began
            return 0, 0.0, seconds, False, f"{type(error).__name__}: {error}"[:200]
        seconds = time.process_time() - began if answer.seconds is None else answer.seconds
    known = truth != NOISE
    ari = adjusted_rand_score(truth[known], answer.labels[known])
    return answer.n_clusters, ari, seconds, answer.warned, answer.note


def run(sets: list[LabelledSet], methods: list[Method], path: Path) -> None:
    """Fill the file with what it lacks."""
    done = {(row.set, row.method) for row in load(path)}
    todo = [
        (data, [m for m in methods if (data.name, m.name) not in done and can_answer(m, data)])
        for data in sets
    ]
    todo = [(data, missing) for data, missing in todo if missing]
    if todo:
        warm_up(methods)
    for i, (data, missing) in enumerate(todo):
        X, truth = data.make()
        said = []
        for method in missing:
            c, ari, seconds, warned, note = measure(
                method, X, truth, data.seed, data.n_clusters
            )
            row = Row(
                set=data.name,
                family=data.family,
                half=data.half,
                n=X.shape[0],
                d=X.shape[1],
                k=data.n_clusters,
                clear=int(data.is_clear),
                method=method.name,
                c=c,
                ari=round(ari, 4),
                seconds=round(seconds, 3),
                warned=int(warned),
                note=note,
                state=OUR_STATE if method.is_ours else peer_state(method),
            )
            append(path, row)
            said.append(f"{method.name} {c}")
        print(f"[{i + 1}/{len(todo)}] {data.name}: {', '.join(said)}", flush=True)


def can_answer(method: Method, data: LabelledSet) -> bool:
    """Whether a method is asked: structureless data are for those that can say 1, in time."""
    if data.n_clusters > 1:
        return True
    return data.seed < method.structureless_seeds and data.n_rows <= method.structureless_rows
