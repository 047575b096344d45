"""What the documentation shows is what comes out."""

import ast
import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import fastcaf

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fastcaf.__path__, "fastcaf.")
    if module.name != "fastcaf.__main__"
]
FENCE = re.compile(r"^ *```.*$", re.MULTILINE)
PLAIN_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(page):
    """The page's doctest: fences end an example as blank lines do."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)


def test_the_readme_shows_real_output():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_pages_show_real_output(page):
    """In output, ``...`` stands for what hangs on rounding or on nothing of interest."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(examples(page)).failed == 0


def test_most_pages_have_examples():
    pages = [page for page in PAGES if page.parent.name == "docs"]
    assert sum(bool(examples(page).examples) for page in pages) > len(pages) / 2


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.stem)
def test_code_without_output_is_python(page):
    for block in PLAIN_PYTHON.findall(page.read_text(encoding="utf-8")):
        if not block.startswith((">>>", "--8<--")):
            ast.parse(block)


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {fastcaf.__version__}\n" in citation


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
