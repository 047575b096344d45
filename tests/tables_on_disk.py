"""Files that the tests of the command line read and write."""

import csv

import numpy as np


def write_table(path, rows, delimiter=",", header=None):
    lines = [delimiter.join(header)] if header else []
    lines += [delimiter.join(repr(value) for value in row) for row in rows.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read_columns(path):
    """Columns of a CSV file, by name, as text."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    assert all(len(line) == len(header) for line in lines)
    return {name: [line[i] for line in lines] for i, name in enumerate(header)}


def numbers(columns, *names):
    return np.array([columns[name] for name in names], dtype=float).T


def assert_result(folder, model, memberships=None):
    """Labels and memberships in a folder are those of a model."""
    expected = model.memberships_ if memberships is None else memberships
    labels = read_columns(folder / "labels.csv")
    assert list(labels) == ["label", "membership"]
    own = numbers(labels, "label", "membership")
    np.testing.assert_array_equal(own[:, 0], expected.argmax(axis=1))
    np.testing.assert_allclose(own[:, 1], expected.max(axis=1), rtol=1e-5)
    columns = read_columns(folder / "memberships.csv")
    assert list(columns) == [f"membership_{j}" for j in range(model.n_clusters_)]
    written = numbers(columns, *columns)
    np.testing.assert_allclose(written, expected, rtol=1e-5)
    np.testing.assert_allclose(written.sum(axis=1), 1.0, atol=1e-4)


def refused(capsys, main, *arguments):
    """The message with which the command line refuses: exit code 2, and no traceback."""
    assert main([str(argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("fastcaf: ")
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    return printed.err
