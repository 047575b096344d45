"""Where results go: text to the screen and to a file, figures to files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure

RESULTS = Path(__file__).parent / "results"
BLUE, ORANGE, GREEN, GREY = "#1f77b4", "#e6700a", "#2a9d4a", "#999999"


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


def write(name: str, text: str) -> None:
    """Print, and keep as ``results/name.md``."""
    print(text, end="\n\n")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def save(name: str, figure: Figure) -> None:
    """Keep as ``results/name.png``."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.png"
    figure.savefig(path, dpi=90, metadata={"Software": None})
    print(f"figure: {path}", end="\n\n")


def spread(values: Sequence[float], digits: int = 4) -> str:
    """Mean and standard deviation."""
    mean = sum(values) / len(values)
    deviation = (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}".replace("0.", ".")


def counts(values: Sequence[int]) -> str:
    """How often each number occurs: ``6 x20``, the most frequent first."""
    found = sorted(set(values), key=lambda v: (-list(values).count(v), v))
    if len(found) == 1:
        return f"{found[0]}"
    return ", ".join(f"{v} x{list(values).count(v)}" for v in found)
