"""The pass of Gaussian components against scikit-learn: ``python -m bench.gaussian_pass``.

n = 20,000 rows in K overlapping clusters, full covariances, one thread, float64.  Ours are the
factors of the covariances, and one pass over the rows: memberships, the likelihood, and all
sums that new centroids, covariances and shares follow from.  scikit-learn's is one iteration
of GaussianMixture(covariance_type="full") at the same components: ``_e_step`` and ``_m_step``,
the private methods that its fit calls once an iteration.  What both find is compared first:
the log-likelihood, means and covariances.

Contenders take turns, the best of several repeats counts; times are those of the processor, so
that others at work on the machine disturb them less.  "reached" is the mean number of
components in which a row has a membership above e^-30: below, rows do not count in ours.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product

import numpy as np
from sklearn.mixture import GaussianMixture

from bench import report
from bench.measure import best_in_turn, threads
from fastcaf.kernels.rows.gaussian import FIRST, gaussian_statistics_serial
from fastcaf.memberships.gaussian import FullGaussian, packed, unpacked

FEATURES = (2, 8, 32)
CENTROIDS = (10, 30, 100)
N_ROWS = 20_000
NO_BLUR = 1e-30  # the resolution of the data, which scikit-learn does not know
LEAST_RATIO = 3.0
MOVED = ("weights_", "means_", "covariances_", "precisions_cholesky_")


def overlapping(d: int, K: int) -> np.ndarray:
    """Round clusters around K points that are three deviations from the middle."""
    rng = np.random.default_rng(0)
    centres = 3.0 * rng.normal(size=(K, d))
    return centres[rng.integers(K, size=N_ROWS)] + rng.normal(size=(N_ROWS, d))


def fitted(rows: np.ndarray, K: int) -> GaussianMixture:
    """A mixture after its first iteration."""
    mixture = GaussianMixture(K, init_params="random_from_data", max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixture.fit(rows)


def check(rows: np.ndarray, peer: GaussianMixture, sums: np.ndarray, term: float) -> None:
    """Both find the same."""
    d = rows.shape[1]
    likelihood, logarithms = peer._e_step(rows)
    ours = -term / len(rows) - 0.5 * d * np.log(2.0 * np.pi)
    assert np.isclose(ours, likelihood, rtol=1e-9), f"log-likelihood {ours}, not {likelihood}"
    before = peer.means_.copy()
    peer._m_step(rows, logarithms)
    weight = sums[:, :1]
    moved = sums[:, FIRST : FIRST + d] / weight
    found = unpacked(sums[:, FIRST + d :] / weight, d) - np.einsum("jf,jg->jfg", moved, moved)
    found += peer.reg_covar * np.eye(d)
    assert np.allclose(before + moved, peer.means_, atol=1e-7), "other means"
    assert np.allclose(found, peer.covariances_, atol=1e-7), "other covariances"


def cell(d: int, K: int, repeats: int) -> dict:
    """One shape, ours and scikit-learn's in turn."""
    rows = overlapping(d, K)
    peer = fitted(rows, K)
    model = FullGaussian(packed(peer.covariances_), peer.weights_, np.full(d, NO_BLUR), d)
    centroids, none = peer.means_.copy(), np.empty(0)
    start = {name: getattr(peer, name) for name in MOVED}
    reached = (peer.predict_proba(rows) > np.exp(-30.0)).sum() / len(rows)

    def ours() -> tuple[np.ndarray, float]:
        factors, constants, _, _ = model.prepared
        parts = centroids, factors, constants, np.inf
        return gaussian_statistics_serial(rows, none, none, *parts)

    def theirs() -> None:
        _, logarithms = peer._e_step(rows)
        peer._m_step(rows, logarithms)
        vars(peer).update(start)

    with threads(1):
        check(rows, peer, *ours())
        vars(peer).update(start)
        best = best_in_turn({"ours": ours, "theirs": theirs}, repeats, time.process_time)
    return {
        "d": d,
        "K": K,
        "reached": float(reached),
        "ours ms": 1e3 * best["ours"],
        "scikit-learn ms": 1e3 * best["theirs"],
        "ratio": best["theirs"] / best["ours"],
    }


def verdict(cells: list[dict]) -> str:
    """The worst cell."""
    worst = min(cells, key=lambda c: c["ratio"])
    slow = sum(c["ratio"] < LEAST_RATIO for c in cells)
    return (
        f"Times as fast: at least {worst['ratio']:.1f} (d = {worst['d']}, K = {worst['K']}); "
        f"below {LEAST_RATIO:g} in {slow} of {len(cells)} cells."
    )


def main() -> None:
    """Measure the grid and write it down."""
    parser = argparse.ArgumentParser(prog="python -m bench.gaussian_pass")
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    about = report.machine()
    cells = [cell(d, K, repeats) for d, K in product(FEATURES, CENTROIDS)]
    body = [
        [format(v, ".1f") if isinstance(v, float) else v for v in one.values()] for one in cells
    ]
    text = [
        "# The pass of Gaussian components",
        (__doc__ or "").split("\n", 2)[2],
        verdict(cells),
        report.table(list(cells[0]), body),
    ]
    report.write("gaussian_pass", "\n\n".join(text), cells, about)


if __name__ == "__main__":
    main()
