"""Work in a process of its own: its time, and how far the memory in use rises.

``python -m bench.fresh module function key=json ...`` calls ``module.function(**keys)`` and
prints what it returns as JSON; ``call`` does that in a new process.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import bench

MB = 2.0**20


def call(
    module: str, function: str, environment: dict[str, str] | None = None, **keys: Any
) -> Any:
    """The function's result, from a fresh process."""
    arguments = [f"{name}={json.dumps(value)}" for name, value in keys.items()]
    done = subprocess.run(
        [sys.executable, "-m", "bench.fresh", module, function, *arguments],
        cwd=bench.ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def in_use() -> dict[str, float]:
    """Resident memory now and at its highest since the last reset, in MB."""
    try:
        with open("/proc/self/status", encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file)
        return {name: int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")}
    except OSError:  # not Linux: only the highest ever is known
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {"VmRSS": peak, "VmHWM": peak}


def reset_peak() -> None:
    """Give free memory back to the system, and let the highest start from here.

    Without this, what earlier work had freed (loading kernels) would hide what is used now.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
            file.write("5")
    except (OSError, AttributeError):
        pass


def growth_of(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Result, seconds, and MB that memory rose above where it stood before."""
    reset_peak()
    before = in_use()["VmRSS"]
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return result, seconds, in_use()["VmHWM"] - before


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    _, module_name, function_name, *pairs = sys.argv
    keywords = {name: json.loads(value) for name, value in (p.split("=", 1) for p in pairs)}
    print(json.dumps(getattr(importlib.import_module(module_name), function_name)(**keywords)))
