"""Kill at random times, look at what is there, and let the next run clean up."""

import signal
import time
from pathlib import Path

from tests.faults.processes import HANGS, end_of, fork, kill_after
from tests.faults.victims import left_behind, left_in_cache

SIGNALS = ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"]
# Exit codes of the command line: done, interrupted with and without a result, ended by a
# signal; or the signal itself, before the command line listens.
ENDS = {
    "SIGKILL": {0, -9},
    "SIGTERM": {0, 3, 143, -15},
    "SIGHUP": {0, 3, 129, -1},
    "SIGINT": {0, 3, 130, -2},
}


def kill(victim, n_kills, rng):
    """Kill a victim so often; how the children ended, and what is wrong."""
    log, ends, wrong, left = victim.folder.parent / f"{victim.name}.log", {}, [], 0
    start = time.monotonic()
    code = end_of(fork(victim.run, log), HANGS * 5)
    usual = time.monotonic() - start
    if code != 0:
        return ends, [f"{victim.name} does not run: {code}\n{log.read_text()}"]
    for i in range(n_kills):
        name = SIGNALS[i % len(SIGNALS)]
        if rng.random() < 0.5:
            victim.forget()
        after, before = rng.uniform(0.0, 1.05 * usual), set(_left(victim))
        code = kill_after(after, getattr(signal, name), victim.run, log)
        found = [*_damage(victim)]
        if code not in ENDS[name]:
            found.append(f"exit code {code}")
        if "Traceback" in log.read_text(errors="replace") and victim.name in (
            "cluster",
            "warm-up",
        ):
            found.append(f"a traceback: {log.read_text()}")
        if name != "SIGKILL" and code is not None and code >= 0:  # it could clean up
            found += [f"left: {one}" for one in set(_left(victim)) - before]
        wrong += [f"{victim.name}, {name} after {after:.3f} s: {one}" for one in found]
        ends[name, code] = ends.get((name, code), 0) + 1
        left += len(set(_left(victim)) - before)
    code = end_of(fork(victim.run, log), HANGS * 5)
    wrong += [f"{victim.name}: the next run ended with {code}"] if code != 0 else []
    wrong += [f"{victim.name}: not removed by the next run: {one}" for one in _left(victim)]
    ends["left by kills, removed by the next run"] = left
    return ends, wrong


def _left(victim):
    return (
        left_in_cache(victim.folder) if victim.name == "warm-up" else left_behind(victim.folder)
    )


def _damage(victim):
    try:
        yield from victim.damage()
        for one in map(Path, left_behind(victim.folder)):
            if one.is_dir() and one.stat().st_mode & 0o077:
                yield f"{one} may be read by others"
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
