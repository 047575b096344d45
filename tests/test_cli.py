"""The command line: what it prints and writes, and how it refuses."""

import csv
import re
import subprocess
import sys

import numpy as np
import pytest

from fastcaf import CAFHFCM, __version__
from fastcaf.cli import main


@pytest.fixture
def rows(blobs):
    """Numbers that a CSV file holds exactly."""
    return blobs[0].round(4)


def write_table(path, rows, delimiter=",", header=None):
    lines = [delimiter.join(header)] if header else []
    lines += [delimiter.join(repr(value) for value in row) for row in rows.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read_result(path):
    """Header, labels and memberships of an output file."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    labels = np.array([int(line[0]) for line in lines])
    return header, labels, np.array([line[1:] for line in lines], dtype=float)


def assert_result(path, model):
    header, labels, memberships = read_result(path)
    assert header == ["label", *(f"membership_{j}" for j in range(model.n_clusters_))]
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_allclose(memberships, model.memberships_, rtol=1e-5)
    np.testing.assert_allclose(memberships.sum(axis=1), 1.0, atol=1e-4)


def refused(capsys, *arguments):
    """The message with which the command line refuses: exit code 2, and no traceback."""
    assert main([str(argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("fastcaf: ")
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    return printed.err


# What it does


def test_demo_tells_how_many_clusters_it_found(capsys, iris):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    found = CAFHFCM(random_state=0).fit(iris).n_clusters_
    assert re.search(rf"Iris.*\n150 rows, 4 features: {found} clusters", out)
    assert "3,000 rows, 2 features: 12 clusters" in out


@pytest.mark.parametrize("header", [None, ["length", "width"]], ids=["bare", "header"])
@pytest.mark.parametrize(
    "delimiter", [",", ";", "\t", " ", ", "], ids=["comma", "semicolon", "tab", "blank", "both"]
)
def test_tables_of_all_kinds(tmp_path, capsys, rows, delimiter, header):
    file = write_table(tmp_path / "data.csv", rows, delimiter, header)
    assert main(["cluster", str(file)]) == 0
    out = tmp_path / "data.clusters.csv"
    assert_result(out, CAFHFCM(random_state=0).fit(rows))
    printed = capsys.readouterr()
    assert "300 rows, 2 features: 5 clusters" in printed.out
    assert f"written: {out}" in printed.out
    assert printed.err == ""


def test_windows_files_with_mark_and_blank_lines(tmp_path, capsys, rows):
    text = "\ufefflength,width\r\n\r\n" + "\r\n".join(f"{a!r},{b!r}" for a, b in rows.tolist())
    file = tmp_path / "data.csv"
    file.write_bytes(text.encode("utf-8") + b"\r\n\r\n")
    assert main(["cluster", str(file)]) == 0
    assert "300 rows" in capsys.readouterr().out


def test_quoted_cells(tmp_path, capsys):
    file = tmp_path / "data.csv"
    lines = [f'"{i}","{i % 2 * 50}"' for i in range(20)]
    file.write_text("\n".join(['"a","b, and c"', *lines]), encoding="utf-8")
    assert main(["cluster", str(file)]) == 0
    assert "20 rows, 2 features" in capsys.readouterr().out


def test_one_column(tmp_path, capsys):
    file = tmp_path / "data.csv"
    file.write_text("\n".join(str(i + 1000 * (i % 2)) for i in range(40)), encoding="utf-8")
    assert main(["cluster", str(file)]) == 0
    assert "40 rows, 1 feature: 2 clusters" in capsys.readouterr().out


@pytest.mark.parametrize("number", [1, 3, 8])
def test_given_number_of_clusters(tmp_path, capsys, rows, number):
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--n-clusters", str(number)]) == 0
    model = CAFHFCM(n_clusters=number, random_state=0).fit(rows)
    assert_result(tmp_path / "data.clusters.csv", model)
    assert f": {number} cluster" in capsys.readouterr().out


def test_given_gamma(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--gamma", "0.5"]) == 0
    model = CAFHFCM(gamma=0.5, random_state=0).fit(rows)
    assert model.n_clusters_ != 5  # so that the option shows
    assert_result(tmp_path / "data.clusters.csv", model)
    assert "gamma = 0.5)" in capsys.readouterr().out


def test_given_fuzzifier_seed_and_threads(tmp_path, rows):
    file = write_table(tmp_path / "data.csv", rows)
    options = ["--fuzzifier", "1.5", "--seed", "3", "--jobs", "1", "--n-clusters", "20"]
    assert main(["cluster", str(file), *options]) == 0
    model = CAFHFCM(20, fuzzifier=1.5, random_state=3).fit(rows)
    assert_result(tmp_path / "data.clusters.csv", model)


def test_given_output_file(tmp_path, capsys, rows):
    file, out = write_table(tmp_path / "data.csv", rows), tmp_path / "answer.txt"
    assert main(["cluster", str(file), "--out", str(out)]) == 0
    assert_result(out, CAFHFCM(random_state=0).fit(rows))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.txt", "data.csv"]
    assert f"written: {out}" in capsys.readouterr().out


def test_the_input_is_not_changed(tmp_path, rows):
    file = write_table(tmp_path / "data.csv", rows)
    before = file.read_bytes()
    assert main(["cluster", str(file)]) == 0
    assert file.read_bytes() == before


# What it refuses


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,x\n5,6\n", "line 2, column 2: 'x' is not a finite number"),
        ("a,b\n1,2\n3,4\noops,6\n", r"line 4, column 1 \(a\): 'oops' is not a finite"),
        ("1;2\n3;nan\n", "line 2, column 2: 'nan' is not a finite number"),
        ("1,2\n3,inf\n", "line 2, column 2: 'inf' is not a finite number"),
        ("1,2\n\n,4\n", "line 3, column 1: the cell is empty"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells where 2 are expected"),
        ("1,2\n3,4,5\n", "line 2: 3 cells where 2 are expected"),
        ("a,b\n1,2,3\n", "line 2: 3 cells where 2 are expected"),
        ("a\tb\n1\t2\n3\t?\n", r"line 3, column 2 \(b\): '\?'"),
        ("", "holds no rows of numbers"),
        ("\n\n", "holds no rows of numbers"),
        ("a,b\n", "holds no rows of numbers"),
    ],
    ids=[
        "word", "word under header", "nan", "inf", "empty cell", "short line", "long line",
        "header too short", "tab", "empty file", "blank lines", "header only",
    ],
)  # fmt: skip
def test_bad_tables_are_refused_with_the_place(tmp_path, capsys, text, message):
    file = tmp_path / "data.csv"
    file.write_text(text, encoding="utf-8")
    err = refused(capsys, "cluster", file)
    assert re.search(message, err)
    assert str(file) in err
    assert not (tmp_path / "data.clusters.csv").exists()


def test_missing_file(tmp_path, capsys):
    err = refused(capsys, "cluster", tmp_path / "nowhere.csv")
    assert re.search(r"cannot read .*nowhere\.csv: No such file", err)


def test_folder_instead_of_a_file(tmp_path, capsys):
    assert "cannot read" in refused(capsys, "cluster", tmp_path)


@pytest.mark.parametrize("content", [bytes(range(256)), b"\x00" * 64, b"\x89PNG\r\n\x1a\n\x00"])
def test_binary_files(tmp_path, capsys, content):
    file = tmp_path / "data.csv"
    file.write_bytes(content)
    assert str(file) in refused(capsys, "cluster", file)


def test_parameters_that_the_estimator_refuses(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert "n_clusters=99 is above the 34" in refused(
        capsys, "cluster", file, "--n-clusters", 99
    )
    assert "fuzzifier must be above 1.0, got 1.0" in refused(
        capsys, "cluster", file, "--fuzzifier", 1
    )
    assert "n_jobs must not be 0" in refused(capsys, "cluster", file, "--jobs", 0)
    assert "gamma must be at least 0.0, got -1.0" in refused(
        capsys, "cluster", file, "--gamma=-1"
    )


def test_output_that_cannot_be_written(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert "nowhere" in refused(capsys, "cluster", file, "--out", tmp_path / "nowhere" / "x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["dance"], "dance"),
        (["cluster"], "file"),
        (["cluster", "x.csv", "--n-clusters", "2.5"], "invalid int value: '2.5'"),
        (["cluster", "x.csv", "--n-clusters", "2", "--gamma", "1"], "not allowed with"),
    ],
    ids=["nothing", "unknown command", "no file", "no int", "both"],
)
def test_wrong_usage_exits_with_2(capsys, arguments, message):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.filterwarnings("default")  # the command shows warnings in its own way
def test_a_single_row_is_clustered_with_a_readable_warning(tmp_path, capsys):
    file = tmp_path / "data.csv"
    file.write_text("1,2\n", encoding="utf-8")
    assert main(["cluster", str(file)]) == 0
    printed = capsys.readouterr()
    assert "1 row, 2 features: 1 cluster " in printed.out
    assert printed.err.startswith("fastcaf: warning: X has only one distinct row")


# As a program


def run(*arguments):
    command = [sys.executable, "-m", "fastcaf", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == f"fastcaf {__version__}\n"


def test_exit_code_of_the_program(tmp_path):
    done = run("cluster", tmp_path / "nowhere.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("fastcaf: cannot read")
    assert "Traceback" not in done.stderr


def test_memberships_can_be_chosen(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--membership", "auto"]) == 0
    assert_result(
        tmp_path / "data.clusters.csv", CAFHFCM(membership="auto", random_state=0).fit(rows)
    )
