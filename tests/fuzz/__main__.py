"""Many random fits: ``python -m tests.fuzz --cases 10000 --seed 0``.

Prints every failure with the case that leads to it, the slowest fits, and what was refused.
The same seed draws the same cases.  The exit code is 1 where anything failed.
"""

import argparse
import faulthandler
import sys
import time
import traceback
from collections import Counter

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from fastcaf import warm_up
from tests.fuzz.cases import cases
from tests.fuzz.invariants import check

# Seconds of CPU that no case may take, and of the clock after which the process is ended with
# a traceback of where it hangs.
MOST_CPU = 30.0
HANGS = 600.0
SLOWEST = 5


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warm_up(float32=True)
    refused, estimators, failures, times = Counter(), Counter(), Counter(), []

    @seeded(options.seed)
    @settings(
        max_examples=options.cases,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def each(case):
        estimators[case.estimator] += 1
        faulthandler.dump_traceback_later(HANGS, exit=True)
        began = time.process_time()
        try:
            refused[check(case)] += 1
            took = time.process_time() - began
            assert took < MOST_CPU, f"took {took:.0f} s of CPU"
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:150]}"
            failures[f"{place.filename.split('/')[-1]}:{place.lineno} {what}"[:100]] += 1
            print(f"FAILED {what}\n  {case!r}\n  {place.filename}:{place.lineno}", flush=True)
        times.append((time.process_time() - began, repr(case)))
        if len(times) % 250 == 0:
            print(f"{len(times)} cases, {sum(failures.values())} failures", flush=True)

    each()
    faulthandler.cancel_dump_traceback_later()
    n = len(times)
    print(f"\n{n} cases with seed {options.seed}:", dict(estimators))
    print(f"{sum(failures.values())} failures")
    for what, number in failures.most_common():
        print(f"{number:6d}  {what}")
    n_refused = n - refused[""] - sum(failures.values())
    print(f"{n_refused} refused ({100.0 * n_refused / n:.1f} %)")
    for what, number in refused.most_common():
        if what:
            print(f"{number:6d}  {what}")
    times.sort(reverse=True)
    print(f"{sum(one for one, _ in times):.0f} s of CPU; the slowest:")
    for took, case in times[:SLOWEST]:
        print(f"{took:6.2f} s  {case}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
