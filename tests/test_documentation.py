"""What the documentation shows is what comes out."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import fastcaf

README = Path(__file__).parent.parent / "README.md"
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fastcaf.__path__, "fastcaf.")
    if module.name != "fastcaf.__main__"
]


def test_the_readme_shows_real_output():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
