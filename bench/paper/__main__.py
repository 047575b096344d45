"""``python -m bench.paper [experiment ...]``: all of them, or those named."""

from __future__ import annotations

import argparse
import time

from bench.paper import (
    breast,
    choice,
    cluster_path,
    convergence,
    draws,
    indices,
    nested,
    staircase,
    start,
    table1,
    table2,
)

EXPERIMENTS = {
    "table1": table1.run,
    "breast": breast.run,
    "table2": table2.run,
    "choice": choice.run,
    "draws": draws.run,
    "staircase": staircase.run,
    "cluster_path": cluster_path.run,
    "nested": nested.run,
    "indices": indices.run,
    "convergence": convergence.run,
    "start": start.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.paper", description=__doc__)
    parser.add_argument("experiment", nargs="*", help=", ".join(EXPERIMENTS))
    named = parser.parse_args().experiment
    unknown = sorted(set(named) - set(EXPERIMENTS))
    if unknown:
        parser.error(f"no experiment {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}")
    for name in named or EXPERIMENTS:
        begin = time.perf_counter()
        EXPERIMENTS[name]()
        print(f"[{name}: {time.perf_counter() - begin:.1f} s]\n")


if __name__ == "__main__":
    main()
