"""A full disk, and a damaged cache of kernels."""

import os
import shutil

import numpy as np

from fastcaf import FuzzyCMeans
from tests.faults.processes import HANGS, end_of, fork
from tests.faults.victims import ROWS, left_behind, left_in_cache

ROOM = 400  # bytes of a file that fit


def full_disk(victims):
    """Nothing can be written: said so, what was there stays, nothing is left."""
    for victim in victims:
        log = victim.folder.parent / f"{victim.name}-full.log"
        end_of(fork(victim.run, log), HANGS)
        before = _contents(victim.folder)
        code, said = end_of(fork(victim.run, log, ROOM), HANGS), log.read_text()
        if code == 0 or "large" not in said:
            yield f"{victim.name} on a full disk: exit code {code}: {said}"
        if victim.name == "cluster" and (code != 2 or "Traceback" in said):
            yield f"cluster on a full disk: exit code {code}: {said}"
        if _contents(victim.folder) != before:
            yield f"{victim.name} on a full disk: files have changed"
        yield from (
            f"{victim.name} on a full disk left {one}" for one in left_behind(victim.folder)
        )


def full_cache(victim):
    """Kernels that cannot be kept are no obstacle."""
    log = victim.folder.parent / "warm-up-full.log"
    victim.forget()
    code, said = end_of(fork(victim.run, log, ROOM), HANGS * 5), log.read_text()
    if code != 0 or said.count("cannot be written") != 1 or "Traceback" in said:
        yield f"warm-up on a full disk: exit code {code}: {said}"
    yield from victim.damage()
    yield from (f"warm-up on a full disk left {one}" for one in left_in_cache(victim.folder))


def damaged_cache(victim, rng):
    """Many entries damaged, each in its own way: the fit is the same, with one warning."""
    log = victim.folder.parent / "damaged.log"
    whole, damaged = _fit(log), victim.folder.parent / "whole"
    shutil.copytree(victim.folder, damaged)
    for file in sorted(victim.folder.rglob("*.nb[ci]")):
        if rng.random() < 0.75 and "_every_operation" not in file.name:  # which every fit loads
            continue
        content = file.read_bytes()
        cut = rng.randrange(len(content))
        kinds = [b"", content[:cut], rng.randbytes(len(content)), bytes(len(content))]
        kinds.append(content[:cut] + rng.randbytes(64) + content[cut + 64 :])
        file.write_bytes(rng.choice(kinds))
    once, twice = _fit(log), _fit(log)
    for found, times, name in ((once, 1, "a damaged"), (twice, 0, "a mended")):
        code, said = found
        if code != 0 or _answer(said) != _answer(whole[1]):
            yield f"a fit with {name} cache: exit code {code}: {said}"
        elif said.count("KernelCacheWarning") != times:
            yield f"a fit with {name} cache: not {times} warnings: {said}"
    shutil.rmtree(victim.folder)
    os.rename(damaged, victim.folder)


def _fit(log):
    def run():
        model = FuzzyCMeans(3, random_state=0).fit(ROWS)
        print("answer", model.objective_.hex(), np.bincount(model.labels_).tolist())

    code = end_of(fork(run, log), HANGS * 5)
    return code, log.read_text()


def _answer(said):
    return [line for line in said.splitlines() if line.startswith("answer")]


def _contents(folder):
    return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
