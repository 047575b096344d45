"""Where results go: a JSON file with versions and machine, and a Markdown table."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib import metadata

import bench

PACKAGES = (
    "numpy",
    "numba",
    "scipy",
    "scikit-learn",
    "threadpoolctl",
    "pytest-benchmark",
    "scikit-fuzzy",
    "scikit-fuzzy-c-means",
    "fuzzy-c-means",
    "cvxpy",
    "scs",
)


def versions() -> dict[str, str]:
    """Versions of all that is compared; what is not installed says so."""
    found = {"python": platform.python_version(), "fastcaf sources": bench.state_of_the_code()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if "model name" in line]
        return names[0] if names else platform.processor()
    except OSError:
        return platform.processor()


def machine() -> dict[str, object]:
    """What the numbers were measured on; no names of hosts or users."""
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cpus": os.cpu_count(),
        "load before": load,
    }


def busy(facts: dict[str, object]) -> str:
    """A warning where others were at work: times then say little, and ratios not much."""
    load, cpus = facts["load before"], facts["cpus"]
    if not isinstance(load, float) or not isinstance(cpus, int) or load < cpus + 0.5:
        return ""
    return f"**Measured on a busy machine (load {load:.1f} on {cpus} cpus): to be repeated.**"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table with aligned columns."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    return "\n".join(
        [lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]]
    )


def write(
    name: str, text: str, results: object, about: dict[str, object] | None = None
) -> None:
    """Print the text; keep it as ``results/name.md``, the figures as ``results/name.json``.

    ``about`` is the machine before the work began; its load tells a busy machine.
    """
    about = about or machine()
    facts = {"machine": about, "versions": versions(), "results": results}
    known = ", ".join(f"{k} {v}" for k, v in facts["versions"].items() if v != "not installed")
    machine_text = ", ".join(f"{k} {v}" for k, v in about.items())
    parts = [text, busy(about), f"Machine: {machine_text}.", f"Versions: {known}.\n"]
    text = "\n\n".join(part for part in parts if part)
    print(text)
    bench.RESULTS.mkdir(exist_ok=True)
    (bench.RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    (bench.RESULTS / f"{name}.json").write_text(
        json.dumps(facts, indent=1) + "\n", encoding="utf-8"
    )
