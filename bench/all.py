"""The speed benches anew, which write most files in ``bench/results``: ``python -m bench.all``.

``python -m bench.all limits fcm`` runs those alone.  Peers that are not installed are left
out with a message; ``pip install -e ".[bench]"`` brings most of them.  Labelled sets are
read from the folder FASTCAF_DATA.  bench/paper and bench/selection have commands of their
own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import bench

PYTHON = [sys.executable, "-m"]
SUITE = bench.RESULTS / "suite.json"
COMMANDS = {
    "limits": [*PYTHON, "bench.limits"],
    "gaussian_pass": [*PYTHON, "bench.gaussian_pass"],
    "fcm": [*PYTHON, "bench.fcm"],
    "kernel": [*PYTHON, "bench.kernel"],
    "centroid_problem": [*PYTHON, "bench.centroid_problem"],
    "pair_sweeps": [*PYTHON, "bench.pair_sweeps"],
    "convex": [*PYTHON, "bench.convex"],
    "cold_start": [*PYTHON, "bench.cold_start"],
    "suite": [
        *PYTHON,
        "pytest",
        "bench",
        "--benchmark-only",
        "-q",
        f"--benchmark-json={SUITE}",
    ],
    "large": [*PYTHON, "bench.large"],
    "scaling": [*PYTHON, "bench.scaling"],
    "noise": [*PYTHON, "bench.noise"],
}


def main() -> int:
    """Run one after the other; the number of those that failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.all", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(COMMANDS), help="default: all")
    failed = []
    for name in parser.parse_args().names:
        start = time.perf_counter()
        if subprocess.run(COMMANDS[name], cwd=bench.ROOT, check=False).returncode:
            failed.append(name)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
