"""Time and memory of whole fits against n, K and d: ``python -m bench.scaling``.

Each fit runs in a fresh process, on unit normal clusters some eight deviations apart, with
the library's defaults (so with whatever it does for large n).  A first fit of few rows
loads the kernels before the clock.  The exponent is the slope of a straight line through
the logarithms; memory is how far the process rises during the fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from sklearn.metrics import adjusted_rand_score

import bench
from bench import report
from bench.data import clusters
from bench.fresh import call, growth_of
from bench.measure import load_kernels

N_CLUSTERS = 20
ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
CENTROIDS = (50, 100, 200, 400)
FEATURES = (2, 4, 8, 16, 32)
MIDDLE_ROWS = 10_000


def one(n: int, d: int, n_start: int | None, n_clusters: int = N_CLUSTERS) -> dict:
    """One fit; called in a fresh process."""
    from fastcaf import CAFHFCM

    rows, labels = clusters(n, d, n_clusters, apart=8.0)
    options = {} if n_start is None else {"n_start": n_start}
    load_kernels(rows)
    model, seconds, mb = growth_of(lambda: CAFHFCM(random_state=0, **options).fit(rows))
    return {
        "n": n,
        "d": d,
        "K": n_start or "auto",
        "seconds": seconds,
        "memory MB": mb,
        "memory / X": mb * 2**20 / rows.nbytes,
        "passes": int(model.n_iter_),
        "clusters": int(model.n_clusters_),
        "ARI": float(adjusted_rand_score(labels, model.labels_)),
    }


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of log(value) against log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-3)), 1)[0])


def series(most_rows: int, repeats: int) -> dict[str, list[dict]]:
    """Fits that differ in n alone, in K alone, in d alone; the fastest of ``repeats``."""
    tasks = {
        "n": [{"n": n, "d": 4, "n_start": None} for n in ROWS if n <= most_rows],
        "K": [{"n": MIDDLE_ROWS, "d": 4, "n_start": K} for K in CENTROIDS],
        "d": [{"n": MIDDLE_ROWS, "d": d, "n_start": 200} for d in FEATURES],
    }
    found: dict[str, list[dict]] = {}
    for name, sizes in tasks.items():
        found[name] = []
        for size in sizes:
            tries = [call("bench.scaling", "one", **size) for _ in range(repeats)]
            found[name].append(min(tries, key=lambda fit: fit["seconds"]))
            print(name, found[name][-1], flush=True)
    return found


def slopes(found: dict[str, list[dict]]) -> dict[str, dict[str, float]]:
    """Exponents of time, of time for one pass, and of memory."""
    measures = {
        "time": lambda fit: fit["seconds"],
        "time a pass": lambda fit: fit["seconds"] / fit["passes"],
        "memory": lambda fit: fit["memory MB"],
    }
    return {
        name: {
            measure: exponent([fit[name] for fit in fits], [value(fit) for fit in fits])
            for measure, value in measures.items()
        }
        for name, fits in found.items()
        if len(fits) > 1
    }


def text_of(found: dict[str, list[dict]]) -> str:
    """Exponents first, then the fits."""
    parts = ["# Scaling", __doc__ or ""]
    exponents = slopes(found)
    parts.append(
        report.table(
            ["exponent", "time", "time a pass", "memory"],
            [[name, *(f"{v:.2f}" for v in one.values())] for name, one in exponents.items()],
        )
    )
    for name, fits in found.items():
        rows = [
            [f"{v:.3g}" if isinstance(v, float) else v for v in fit.values()] for fit in fits
        ]
        parts += [f"Against {name}:", report.table(list(fits[0]), rows)]
    return "\n\n".join(parts)


def draw(found: dict[str, list[dict]]) -> None:
    """Time and memory on logarithmic axes, with the fitted lines."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, len(found), figsize=(4 * len(found), 6), layout="constrained"
    )
    for column, (name, fits) in enumerate(found.items()):
        sizes = np.array([fit[name] for fit in fits], dtype=float)
        for axis, what in zip(axes[:, column], ("seconds", "memory MB"), strict=True):
            values = np.maximum([fit[what] for fit in fits], 1e-3)
            axis.loglog(sizes, values, "o", color="#1f77b4")
            if len(sizes) > 1:
                line = np.polyfit(np.log(sizes), np.log(values), 1)
                axis.loglog(sizes, np.exp(np.polyval(line, np.log(sizes))), color="#999999")
                axis.set_title(f"{what} ~ {name}^{line[0]:.2f}", fontsize=10)
            axis.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], fontsize=8)
            middle = np.sqrt(values.min() * values.max())
            reach = max(values.max() / middle * 1.3, 10.0)  # two decades: flat looks flat
            axis.set_ylim(middle / reach, middle * reach)
            axis.yaxis.set_major_formatter("{x:g}")
            axis.minorticks_off()
            axis.set_xlabel(name)
            axis.set_ylabel(what)
    bench.RESULTS.mkdir(exist_ok=True)
    figure.savefig(bench.RESULTS / "scaling.png", dpi=90, metadata={"Software": None})


def main() -> None:
    """Measure, draw, write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling")
    parser.add_argument("--most-rows", type=int, default=ROWS[-1], help="fewer: not kept")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    about = report.machine()
    found = series(options.most_rows, options.repeats)
    if options.most_rows < ROWS[-1]:
        print(text_of(found))
        return
    draw(found)
    report.write("scaling", text_of(found), {"fits": found, "exponents": slopes(found)}, about)


if __name__ == "__main__":
    main()
