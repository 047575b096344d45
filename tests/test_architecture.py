"""Rules of the code base that tools can keep."""

import ast
import inspect
from pathlib import Path

import pytest

import fastcaf
from fastcaf import convex_objective, estimators, objective
from fastcaf.fusion import solve_gamma as solve

ROOT = Path(fastcaf.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
# The rooms: each may import from those before it, and from itself.
LAYERS = [
    ["_typing", "convex_objective", "exceptions", "objective"],
    ["kernels"],
    ["parameters", "runtime"],
    ["memberships"],
    ["data"],
    ["fusion"],
    ["selection"],
    ["storage"],
    ["display"],
    ["estimators"],
    ["cli"],
]
RANK = {name: i for i, names in enumerate(LAYERS) for name in names}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path}"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "fastcaf" and name != "fastcaf.__version__":
                yield name.partition(".")[2]


def layer_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_dependencies_run_downwards(path):
    own = layer_of(path)
    if own in ("__init__", "__main__"):
        return
    for module in imported(path):
        top = module.split(".")[0]
        if top != own:
            assert RANK[top] < RANK[own], f"{own} imports {module}"


def test_every_module_has_its_layer():
    assert {layer_of(p) for p in FILES} - {"__init__", "__main__"} == set(RANK)


def test_the_judge_shares_no_code_with_the_solvers():
    for name in ("objective.py", "convex_objective.py"):
        assert not list(imported(ROOT / name))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_numba_is_called_in_one_place_and_nothing_prints(path):
    text = path.read_text(encoding="utf-8")
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    if path.name != "jit.py":
        assert not names & {"njit", "jit", "vectorize", "guvectorize", "jitclass"}
    if layer_of(path) != "cli":
        assert "print" not in names
    assert len(text.splitlines()) <= 360, "one idea a file"


def public():
    for module in (fastcaf, estimators, objective, convex_objective, solve):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value):
                yield pytest.param(value, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("value", list(public()))
def test_public_names_are_documented_with_their_parameters(value):
    doc = inspect.getdoc(value)
    assert doc
    if inspect.isclass(value) and issubclass(value, fastcaf.estimators.base.CentroidEstimator):
        for name in inspect.signature(value).parameters:
            assert f"{name} : " in doc, name
        for name, method in inspect.getmembers(value, inspect.isfunction):
            if not name.startswith("_") and method.__module__.startswith("fastcaf"):
                assert inspect.getdoc(method), name
