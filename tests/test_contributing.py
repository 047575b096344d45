"""The walk in CONTRIBUTING.md, followed to the letter: files written, lines added, code run."""

import re
import sys
import textwrap
import types
from pathlib import Path

import pytest

from fastcaf.cli.commands import options
from fastcaf.estimators import search_options
from fastcaf.memberships import registry
from fastcaf.storage import parts

PAGE = Path(__file__).parent.parent / "CONTRIBUTING.md"
BLOCK = re.compile(r"^ *```(python|diff)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
REGISTRY = "fastcaf/memberships/registry.py"


def blocks():
    """Python by the file that its first line names, and the lines of the diff."""
    found = {}
    for kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        text = textwrap.dedent(text)
        name = text.partition("\n")[0].removeprefix("# " if kind == "python" else "--- a/")
        found[name] = text
    return found


def patched(source, diff):
    """Apply a diff without line numbers: every hunk has to be found exactly once."""
    for hunk in diff.split("@@\n")[1:]:
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] != "+")
        after = "".join(line[1:] for line in lines if line[0] != "-")
        assert source.count(before) == 1, hunk
        source = source.replace(before, after)
    return source


@pytest.fixture
def followed(monkeypatch):
    """The package after steps 1 and 2; gives the blocks."""
    found = blocks()

    def run(name, source):
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(source, name, "exec"), vars(module))
        return module

    run("fastcaf.memberships.blurred", found["fastcaf/memberships/blurred.py"])
    source = patched(Path(registry.__file__).read_text(encoding="utf-8"), found[REGISTRY])
    new = run("fastcaf.memberships.registry", source)
    for module in (search_options, options):
        monkeypatch.setattr(module, "MEMBERSHIPS", new.MEMBERSHIPS)
    for name, model in new.MODELS.items():
        monkeypatch.setitem(registry.MODELS, name, model)
    monkeypatch.setattr(parts, "PATH_NAMES", new.PATHS)
    return found


def test_a_model_is_added_in_the_steps_described(followed, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    exec(compile(followed["try.py"], "try.py", "exec"), {})
    names = {}
    exec(compile(followed["tests/test_blurred.py"], "test_blurred.py", "exec"), names)
    names["test_the_objective_never_rises"]()


def test_its_code_has_the_style_of_the_project(followed, tmp_path):
    """As it stands on the page it could be committed."""
    lines = followed["fastcaf/memberships/blurred.py"].splitlines()
    assert max(map(len, lines)) <= 96
    for line in lines:
        assert line == line.rstrip()
