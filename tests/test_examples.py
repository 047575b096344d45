"""The examples run, each in a process and a folder of its own, and find what they say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = {path.stem: path for path in (ROOT / "examples").glob("*.py")}
# What each of them prints, among other things.
FOUND = {
    "iris": r"The second choice is 3 clusters",
    "customers": r"^4 groups of customers",
    "image_colours": r"24,000 pixels, 5 colours",
    "pipeline_with_pca": r"^ +3 +3 +0\.8",
    "large_memory_map": r"^12 clusters in(.|\n)*the same from blocks: True",
}
ARGUMENTS = {"iris": ["iris.png"]}
WRITTEN = {"image_colours": ["few_colours.png"], "iris": ["iris.png"]}


def run(name, folder):
    environment = {
        **os.environ,
        "MPLBACKEND": "Agg",
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "error::UserWarning:fastcaf",
    }
    return subprocess.run(
        [sys.executable, EXAMPLES[name], *ARGUMENTS.get(name, [])],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_example_is_tested_and_shown():
    assert set(FOUND) == set(EXAMPLES)
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    assert {
        Path(name).stem for name in re.findall(r"^--8<--\nexamples/(\w+\.py)$", page, re.M)
    } == set(FOUND)


@pytest.mark.parametrize("name", FOUND)
def test_example(name, tmp_path):
    result = run(name, tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert re.search(FOUND[name], result.stdout, re.MULTILINE), result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == WRITTEN.get(name, [])
