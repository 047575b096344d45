"""Tables from files: what is understood, and how the rest is refused."""

import io
import os
import re
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from tables_on_disk import write_table

from fastcaf.cli.tables import ChosenColumns, TableError, array_file, read_table, text

ROWS = np.array([[0.1, -2e-7, 3.0], [4e300, 5.5, 6.0], [7.25, 1 / 3, -9.0]])


def written(path, content):
    path.write_text(content, encoding="utf-8")
    return path


def message(path, *columns, **options):
    """How a file is refused."""
    with pytest.raises(TableError) as refusal:
        read_table(path, *columns, **options)
    assert str(path) in str(refusal.value)
    return str(refusal.value)


# Text


@pytest.mark.parametrize("header", [None, ["a", "b", "c"]], ids=["bare", "header"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", " ", ", ", "  "])
def test_numbers_are_read_to_the_last_bit(tmp_path, header, delimiter):
    table = read_table(write_table(tmp_path / "x.csv", ROWS, delimiter, header))
    np.testing.assert_array_equal(table.values, ROWS)
    assert table.names == (header or [])
    assert table.labels == (header or ["1", "2", "3"])


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffa,b\r\n\r\n1,2\r\n3,4\r\n\r\n",
        '"a","b, and c"\n"1","2"\n"3","4"\n',
        "a,b\n1,2\n , \n3,4\n,\n",
        "a,b\r1,2\r3,4\r",
        'x,"two\nlines"\n1,2\n3,4',
        "1;2;\n3;4;\n".replace(";\n", "\n"),
        '"a; b",c\n1,2\n3,4\n',
        "a (x; y),c\n1,2\n3,4\n",
        "Länge, cm;Breite, cm\n1;2\n3;4\n",
    ],
    ids=[
        "windows", "quotes", "blank lines", "old Mac", "name of two lines", "semicolons",
        "semicolon in quotes", "semicolon in a name", "commas in names",
    ],
)  # fmt: skip
def test_texts_as_other_programs_write_them(tmp_path, content):
    file = tmp_path / "x.csv"
    file.write_bytes(content.encode("utf-8"))
    np.testing.assert_array_equal(read_table(file).values, [[1, 2], [3, 4]])


def test_both_readers_agree(tmp_path, monkeypatch):
    file = write_table(tmp_path / "x.csv", ROWS, header=["a", "b", "c"])
    fast = read_table(file)
    monkeypatch.setattr(text, "_all_numbers", lambda layout: None)
    slow = read_table(file)
    np.testing.assert_array_equal(fast.values, slow.values)
    assert fast.names == slow.names


def test_tables_of_numbers_take_the_fast_reader(tmp_path, monkeypatch):
    def never(*arguments):
        raise AssertionError

    monkeypatch.setattr(text, "_line_by_line", never)
    for delimiter in ",;\t ":
        file = write_table(tmp_path / "x.csv", ROWS, delimiter, ["a", "b", "c"])
        table = read_table(file, ChosenColumns(["c", "a"]))
        np.testing.assert_array_equal(table.values, ROWS[:, [2, 0]])


def test_columns_are_chosen_by_name(tmp_path):
    file = written(tmp_path / "x.csv", "name,a,b,note\nAnn,1,2,\nBob,3,4,x\n")
    table = read_table(file, ChosenColumns.of("b, a", "name"))
    np.testing.assert_array_equal(table.values, [[2, 1], [4, 3]])
    assert (table.names, table.columns, table.width) == (["b", "a"], [2, 1], 4)
    assert table.identifiers == ["Ann", "Bob"]


def test_columns_are_chosen_by_number_where_there_is_no_header(tmp_path):
    file = written(tmp_path / "x.csv", "Ann,1,2\nBob,3,4\n")
    np.testing.assert_array_equal(
        read_table(file, ChosenColumns(["3", "2"])).values, [[2, 1], [4, 3]]
    )
    table = read_table(file, ChosenColumns.of(None, "1"))
    assert table.identifiers == ["Ann", "Bob"]
    assert table.labels == ["2", "3"]


def test_names_with_commas_stand_in_quotes():
    assert ChosenColumns.of('a,"b, and c"').wanted == ["a", "b, and c"]


def test_years_as_names_need_a_word(tmp_path):
    file = written(tmp_path / "x.csv", "place,2020,2021\n1,2,3\n")
    refusal = message(file)
    assert "line 1, column 1: 'place'" in refusal
    assert "if line 1 holds names, add --header; if not, choose" in refusal
    table = read_table(file, first_line_is_header=True)
    assert table.names == ["place", "2020", "2021"]


@pytest.mark.parametrize(
    ("wanted", "identifier", "expected"),
    [
        (["a", "z"], None, "has no column 'z'; it has name, a, b"),
        (["2"], None, "has no column '2'; it has name, a, b"),
        (["a"], "who", "has no column 'who'; it has name, a, b"),
        (["name"], None, r"line 2, column 1 \(name\): 'Ann'"),
    ],
)
def test_columns_that_are_not_there(tmp_path, wanted, identifier, expected):
    file = written(tmp_path / "x.csv", "name,a,b\nAnn,1,2\n")
    assert re.search(expected, message(file, ChosenColumns(wanted, identifier)))


def test_columns_that_are_not_clear(tmp_path):
    twice = written(tmp_path / "x.csv", "a,a,b\n1,2,3\n")
    assert "2 columns 'a'" in message(twice, ChosenColumns(["a"]))
    with pytest.raises(TableError, match="names 'b' twice"):
        read_table(twice, ChosenColumns(["b", "b"]))
    bare = written(tmp_path / "y.csv", "1,2\n")
    for wanted in ("0", "3", "-1", "²", "one"):
        assert "no header, and columns 1 to 2" in message(bare, ChosenColumns([wanted]))
    alone = written(tmp_path / "z.csv", "name\nAnn\n")
    assert "no column but 'name'" in message(alone, ChosenColumns([], "name"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1,2\n3,x\n5,6\n", "line 2, column 2: 'x' is not a finite number"),
        ("a,b\n1,2\n3,4\noops,6\n", r"line 4, column 1 \(a\): 'oops' is not a finite"),
        ("1;2\n3;nan\n", "line 2, column 2: 'nan' is not a finite number"),
        ("1,2\n3,inf\n", "line 2, column 2: 'inf' is not a finite number"),
        ("1,2\n3,1e400\n", "line 2, column 2: '1e400' is not a finite number"),
        ("1,2\n3,1_000\n", "line 2, column 2: '1_000' is not a finite number"),
        ("1,2\n3,=A1\n", "line 2, column 2: '=A1' is not a finite number"),
        ("1,2\n\n,4\n", "line 3, column 1: the cell is empty"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells where 2 are expected"),
        ("1,2\n3,4,5\n", "line 2: 3 cells where 2 are expected"),
        ("a,b\n1,2,3\n", "line 2: 3 cells where 2 are expected"),
        ("a\tb\n1\t2\n3\t?\n", r"line 3, column 2 \(b\): '\?'"),
        ("a;b\n1,5;2\n", r"line 2, column 1 \(a\): '1,5' .* decimals with a point"),
        ("1,5;2,5\n3;4\n", "line 1, column 1: '1,5' .* it has a decimal comma"),
        ("1,5\t2\n3\t4\n", "line 1, column 1: '1,5' .* it has a decimal comma"),
        (
            "id,a,b\nx,1,2\n",
            "'x' is not a finite number; .*--columns, here perhaps a,b; --id id if it names",
        ),
        ("", "holds no rows of numbers"),
        ("\n\n", "holds no rows of numbers"),
        ("a,b\n", "holds no rows of numbers"),
    ],
    ids=[
        "word", "word under header", "nan", "inf", "too large", "underscore", "formula",
        "empty cell", "short line", "long line", "header too short", "tab", "decimal comma",
        "decimal comma on line 1", "decimal comma and tabs",
        "words in a column", "empty file", "blank lines", "header only",
    ],
)  # fmt: skip
def test_bad_tables_are_refused_with_the_place(tmp_path, content, expected):
    assert re.search(expected, message(written(tmp_path / "x.csv", content)))


def test_wide_lines_are_no_shifted_columns(tmp_path):
    """A name with a comma that nobody quoted moves all that follows it."""
    file = written(tmp_path / "x.csv", "name,a,b\nAnn,1,2\nBob, jr,3,4\n")
    assert "line 3: 4 cells where 3" in message(file, ChosenColumns(["b"]))


@pytest.mark.parametrize("coding", ["utf-16", "latin-1"])
def test_other_codings_are_refused_with_the_way_out(tmp_path, coding):
    file = tmp_path / "x.csv"
    file.write_bytes("länge,breite\n1,2\n".encode(coding))
    assert "save it as UTF-8" in message(file)


def test_missing_files_and_folders(tmp_path):
    for name in ("x.csv", "x.npy", "x.parquet"):
        assert "cannot read" in message(tmp_path / name)
    assert "cannot read" in message(tmp_path)


# Pipes


MANY = np.arange(30_000.0).reshape(-1, 3)  # more than one buffer of a pipe or a file


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_the_standard_input_is_read_once_and_whole(tmp_path, monkeypatch, name):
    content = write_table(tmp_path / "x.csv", MANY, header=["a", "b", "c"]).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    table = read_table(Path(name), ChosenColumns(["c", "a"]))
    np.testing.assert_array_equal(table.values, MANY[:, [2, 0]])


@pytest.mark.parametrize("identifier", [None, "a"], ids=["numbers", "identifiers"])
def test_pipes_are_read_once_and_whole(tmp_path, identifier):
    content = write_table(tmp_path / "x.csv", MANY, header=["a", "b", "c"]).read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    tables = []

    def read():  # a pipe that is opened again would wait for ever
        tables.append(read_table(pipe, ChosenColumns(["b", "c"], identifier)))

    reader = Thread(target=read, daemon=True)
    reader.start()
    Thread(target=pipe.write_bytes, args=(content,), daemon=True).start()
    reader.join(20)
    np.testing.assert_array_equal(tables[0].values, MANY[:, 1:])


# .npy


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool"])
def test_arrays(tmp_path, dtype):
    file, rows = tmp_path / "x.npy", np.arange(12).reshape(4, 3).astype(dtype)
    np.save(file, rows)
    table = read_table(file)
    np.testing.assert_array_equal(table.values, rows)
    assert table.values.dtype == dtype
    np.testing.assert_array_equal(
        read_table(file, ChosenColumns(["3", "1"])).values, rows[:, [2, 0]]
    )


def test_large_arrays_stay_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(array_file, "LARGE", 10)
    np.save(tmp_path / "x.npy", ROWS)
    table = read_table(tmp_path / "x.npy")
    assert isinstance(table.values, np.memmap)
    np.testing.assert_array_equal(table.values, ROWS)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([[1.0, np.nan], [2, 3]]), "row 1, column 2: nan is not a finite number"),
        (np.zeros((2, 2, 2)), "shape (2, 2, 2)"),
        (np.zeros((0, 2)), "x.npy"),
        (np.array(["a", "b"]), "holds <U1"),
        (np.array([[1j]]), "complex128"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "rows x columns"),
    ],
    ids=["nan", "3-d", "empty", "words", "complex", "records"],
)
def test_bad_arrays(tmp_path, array, expected):
    np.save(tmp_path / "x.npy", array)
    assert expected in message(tmp_path / "x.npy")


def test_a_single_column_and_an_archive(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(5.0))
    assert read_table(tmp_path / "x.npy").values.shape == (5, 1)
    with (tmp_path / "y.npy").open("wb") as file:
        np.savez(file, a=ROWS)
    assert "(.npz)" in message(tmp_path / "y.npy")
    assert "--id" in message(tmp_path / "x.npy", ChosenColumns([], "1"))


# Parquet


def test_parquet(tmp_path):
    file = tmp_path / "x.parquet"
    columns = {"name": ["Ann", "Bob", "Cy"], "a": ROWS[:, 0], "n": [1, 2, 3]}
    parquet.write_table(pyarrow.table(columns), file)
    table = read_table(file, ChosenColumns.of(None, "name"))
    np.testing.assert_array_equal(table.values, np.column_stack([ROWS[:, 0], [1, 2, 3]]))
    assert (table.names, table.identifiers) == (["a", "n"], ["Ann", "Bob", "Cy"])
    assert "'name' holds string" in message(file)
    assert "has no column 'z'; it has name, a, n" in message(file, ChosenColumns(["z"]))


def test_parquet_with_gaps(tmp_path):
    file = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"a": [1.0, 2.0, None]}), file)
    assert "row 3, column a: the cell is empty" in message(file)
    parquet.write_table(pyarrow.table({"a": [1.0, np.nan]}), file)
    assert "row 2, column a: nan is not" in message(file)
    parquet.write_table(pyarrow.table({"a": pyarrow.array([], pyarrow.float64())}), file)
    assert "no rows" in message(file)


def test_parquet_without_its_reader(tmp_path, monkeypatch):
    file = written(tmp_path / "x.parquet", "")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "fastcaf[parquet]"' in message(file)


def test_parquet_with_two_columns_of_one_name(tmp_path):
    file = tmp_path / "x.parquet"
    columns = [pyarrow.array(ROWS[:, i]) for i in range(3)]
    parquet.write_table(pyarrow.table(columns, names=["a", "a", "b"]), file)
    assert "has 2 columns 'a'" in message(file)
    assert "has 2 columns 'a'" in message(file, ChosenColumns.of("b", "a"))
    table = read_table(file, ChosenColumns(["b"]))
    np.testing.assert_array_equal(table.values, ROWS[:, [2]])
