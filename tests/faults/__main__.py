"""``python -m tests.faults``: kills, full disks and damage; exit code 1 where something broke.

Children are forks, which POSIX has and Windows has not.  The kernels are taken from
NUMBA_CACHE_DIR, or compiled: a copy is what the faults happen to.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

KILLS = {"cluster": 0.4, "save": 0.25, "explore": 0.2, "warm-up": 0.15}  # shares of all


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=40, help="how many, default 40")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=KILLS, action="append", help="some victims only")
    options = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fastcaf-faults-") as folder:
        rng, only = random.Random(options.seed), options.only or list(KILLS)
        wrong = list(_all(Path(folder), options.kills, rng, only))
    for one in wrong:
        print(f"WRONG {one}")
    print(f"{len(wrong)} faults did harm, in {time.monotonic() - start:.0f} s")
    return 1 if wrong else 0


def _all(folder, n_kills, rng, only):
    _cache_of_its_own(folder / "cache")
    from tests.faults import disks, kills, victims  # Numba reads the variable when imported

    # First what begins without kernels in memory: children load or compile them.
    if "warm-up" in only:
        warm_up = victims.WarmUp(folder / "cache")
        yield from _told("damaged cache", disks.damaged_cache(warm_up, rng))
        yield from _told("full cache", disks.full_cache(warm_up))
        yield from _killed(kills, warm_up, n_kills, rng)
    for kind in (victims.Cluster, victims.Save, victims.Explore):
        if kind.name not in only:
            continue
        place = folder / kind.name
        place.mkdir()
        victim = kind(place)
        if kind is victims.Cluster:
            with redirect_stdout(StringIO()):
                victim.run()  # kernels in memory: children need not load them
        yield from _killed(kills, victim, n_kills, rng)
        yield from _told(f"full disk, {kind.name}", disks.full_disk([victim]))


def _cache_of_its_own(folder):
    """A copy of the kernels, complete."""
    command = [sys.executable, "-m", "fastcaf", "warm-up"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        shutil.copytree(given, folder)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if not given:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _killed(kills, victim, n_kills, rng):
    start = time.monotonic()
    ends, wrong = kills.kill(victim, max(1, round(n_kills * KILLS[victim.name])), rng)
    print(f"kills of {victim.name} ({time.monotonic() - start:.0f} s)")
    for how, number in ends.items():
        how = how if isinstance(how, str) else f"{how[0]}: exit code {how[1]}"
        print(f"  {number:3} {how}", flush=True)
    return wrong


def _told(name, faults):
    start, wrong = time.monotonic(), list(faults)
    print(f"{name}: {len(wrong)} wrong ({time.monotonic() - start:.0f} s)", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
