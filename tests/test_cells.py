"""Identifiers and names in our tables: spreadsheets show them and never run them."""

import numpy as np
import pytest
from tables_on_disk import numbers, read_columns

from fastcaf.cli.commands import main
from fastcaf.cli.tables import read_table
from fastcaf.cli.tables.cells import cell

X = np.random.default_rng(0).normal(size=(60, 2)).round(4)
QUICK = ["--n-clusters", "2", "--membership", "fcm"]
FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    " =1",
    "-",
    "+a",
    "-1e",
    "\uff1d1",
]
HARMLESS = [
    "-5",
    "+5",
    "-5.25",
    "-.5",
    "+1e-300",
    "-1E9",
    "a=1",
    "'=1",
    "a-b",
    "",
    "7",
    "x@y.z",
]


@pytest.mark.parametrize("text", [*FORMULAS, "\t=1", "\r=1", "\tx", "\n@x"])
def test_formulas_become_text(text):
    assert cell(text).lstrip('"').startswith("'")
    assert cell(text).replace("'", "", 1) == cell(text, raw=True)


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_words_stay(text):
    assert cell(text) == cell(text, raw=True) == text


@pytest.fixture
def table(tmp_path):
    """Identifiers of all kinds in a table whose columns are formulas too."""
    names = [FORMULAS[i] if i < len(FORMULAS) else str(-i) for i in range(len(X))]
    lines = [f'"{name}",{a!r},{b!r}' for name, (a, b) in zip(names, X.tolist(), strict=True)]
    file = tmp_path / "data.csv"
    file.write_text("\n".join(["id,=a|x,-b", *lines]), encoding="utf-8")
    return file


def run(command, *arguments):
    assert main([command, *map(str, arguments)]) == 0


def test_what_is_written_runs_nowhere_and_is_still_found(tmp_path, table):
    out, again = tmp_path / "data.clusters", tmp_path / "again"
    run("cluster", table, *QUICK, "--id", "id")
    ids = [name.strip() for name in FORMULAS]
    expected = ["'" + name for name in ids] + [str(-i) for i in range(len(ids), len(X))]
    for name in ("labels.csv", "memberships.csv"):
        assert read_columns(out / name)["id"] == expected
    for name in ("means.csv", "centroids.csv"):
        columns = read_columns(out / name)
        assert list(columns) == ["cluster", "'=a|x", "'-b"]
        assert (numbers(columns, "'-b") < 0.0).any()  # numbers below 0 stay numbers
    # The rows of the fit, by the names of their columns and their own.
    run("predict", out, table, "--id", "id", "--out", again)
    for name in ("labels.csv", "memberships.csv"):
        assert (again / name).read_bytes() == (out / name).read_bytes()
    # Our own tables: columns are found by either name, and identifiers stay what they are.
    run("predict", out, out / "means.csv", "--out", again)
    assert numbers(read_columns(again / "labels.csv"), "label")[:, 0].tolist() == [0, 1]
    for option in ("=a|x", "'=a|x"):
        run("predict", out, out / "means.csv", "--columns", f"{option},-b", "--out", again)
        assert numbers(read_columns(again / "labels.csv"), "label")[:, 0].tolist() == [0, 1]
    run("cluster", out / "labels.csv", *QUICK, "--id", "id", "--out", again)
    assert read_columns(again / "labels.csv")["id"] == expected
    assert read_table(out / "means.csv").values.shape == (2, 3)


def test_raw_leaves_them_as_they_are(tmp_path, table):
    out, again = tmp_path / "data.clusters", tmp_path / "again"
    run("cluster", table, *QUICK, "--id", "id", "--raw")
    names = [name.strip() for name in FORMULAS]
    assert read_columns(out / "labels.csv")["id"][: len(names)] == names
    assert list(read_columns(out / "means.csv")) == ["cluster", "=a|x", "-b"]
    run("predict", out, table, "--id", "id", "--out", again, "--raw")
    assert (again / "labels.csv").read_bytes() == (out / "labels.csv").read_bytes()
    run("predict", out, table, "--id", "id", "--out", again)
    assert read_columns(again / "labels.csv")["id"][0] == "'=1+1"


def test_a_name_that_two_columns_could_mean_is_refused(tmp_path, capsys):
    file = tmp_path / "data.csv"
    file.write_text("'=a,=a,b\n1,2,3\n2,3,4\n", encoding="utf-8")
    run("cluster", file, "--columns", "=a,b", "--n-clusters", 1, "--out", tmp_path / "one")
    file.write_text("'-a,'-a,b\n1,2,3\n2,3,4\n", encoding="utf-8")
    assert main(["cluster", str(file), "--columns=-a,b"]) == 2
    assert "no column '-a'" in capsys.readouterr().err
