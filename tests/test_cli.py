"""``fastcaf cluster``: what it prints and writes, and how it refuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from tables_on_disk import assert_result, numbers, read_columns, refused, write_table

from fastcaf import CAFHFCM, __version__
from fastcaf.cli.commands import main, output
from fastcaf.cli.commands.main import _parser
from fastcaf.cli.commands.preparation import Preparation
from fastcaf.cli.tables import array_file
from fastcaf.memberships import MEMBERSHIPS


@pytest.fixture(scope="module")
def rows(blobs):
    """Numbers that a CSV file holds exactly."""
    return blobs[0].round(4)


@pytest.fixture(scope="module")
def found(rows):
    return CAFHFCM(random_state=0).fit(rows)


# What it does


@pytest.mark.parametrize("header", [None, ["length", "width"]], ids=["bare", "header"])
@pytest.mark.parametrize(
    "delimiter", [",", ";", "\t", " ", ", "], ids=["comma", "semicolon", "tab", "blank", "both"]
)
def test_tables_of_all_kinds(tmp_path, capsys, rows, found, delimiter, header):
    file = write_table(tmp_path / "data.csv", rows, delimiter, header)
    assert main(["cluster", str(file)]) == 0
    out = tmp_path / "data.clusters"
    assert_result(out, found)
    printed = capsys.readouterr()
    assert "300 rows, 2 features: 5 clusters" in printed.out
    assert f"written: {out}" in printed.out
    assert printed.err == ""


def test_the_folder_tells_all_about_the_fit(tmp_path, rows, found):
    file = write_table(tmp_path / "data.csv", rows, header=["length", "width"])
    folder = tmp_path / "deep" / "answer"
    assert main(["cluster", str(file), "--out", str(folder), "--seed", "0"]) == 0
    names = ["centroids.csv", "labels.csv", "means.csv", "memberships.csv", "model.fcaf"]
    names += ["path.json", "preparation.json", "summary.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    centroids = read_columns(folder / "centroids.csv")
    assert list(centroids) == ["cluster", "length", "width"]
    np.testing.assert_array_equal(numbers(centroids, "length", "width"), found.cluster_centers_)
    means = read_columns(folder / "means.csv")
    assert list(means) == ["cluster", "length", "width"]
    np.testing.assert_array_equal(numbers(means, "length", "width"), found.cluster_means_)
    path = json.loads((folder / "path.json").read_text(encoding="utf-8"))
    assert path["membership"] == found.membership_
    assert set(path["paths"]) == set(found.paths_)
    for name, followed in found.paths_.items():
        levels, merges = path["paths"][name]["levels"], path["paths"][name]["merges"]
        assert [level["gamma"] for level in levels] == followed.gammas.tolist()
        assert [level["n_clusters"] for level in levels] == followed.n_clusters.tolist()
        assert [level["objective"] for level in levels] == followed.objectives.tolist()
        assert [level["passes"] for level in levels] == [one.n_iter for one in followed.levels]
        assert [merge["gamma"] for merge in merges] == [one.gamma for one in followed.merges]
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["file"] == str(file)
    assert summary["n_clusters"] == len(summary["clusters"]) == 5
    assert sum(cluster["rows"] for cluster in summary["clusters"]) == 300
    assert summary["candidates"][0]["n_clusters"] == 5
    assert summary["options"]["seed"] == 0
    assert summary["versions"]["fastcaf"] == __version__
    assert summary["interrupted"] is False


def test_json_has_no_numbers_that_json_does_not_know(tmp_path, rows):
    """A candidate that is alive from gamma = 0 scores minus infinity."""
    file = write_table(tmp_path / "data.csv", rows[:12])
    assert main(["cluster", str(file), "--gamma", "0"]) == 0

    def refuse(word):
        raise AssertionError(word)

    for name in ("summary.json", "path.json"):
        text = (tmp_path / "data.clusters" / name).read_text(encoding="utf-8")
        json.loads(text, parse_constant=refuse)


def test_standardised_columns(tmp_path, rows):
    """As StandardScaler does it; centroids and means are in the file's units all the same."""
    wide = rows * [1.0, 1000.0] + [0.0, 5.0]
    file = write_table(tmp_path / "data.csv", wide)
    assert main(["cluster", str(file), "--standardize"]) == 0
    scaler = StandardScaler().fit(wide)
    model = CAFHFCM(random_state=0).fit(scaler.transform(wide))
    assert_result(tmp_path / "data.clusters", model)
    for name, places in (
        ("centroids.csv", model.cluster_centers_),
        ("means.csv", model.cluster_means_),
    ):
        written = numbers(read_columns(tmp_path / "data.clusters" / name), "1", "2")
        expected = scaler.inverse_transform(places)
        np.testing.assert_allclose(written, expected, rtol=1e-9)


@pytest.mark.parametrize("options", [[], ["--standardize"]], ids=["plain", "standardized"])
def test_arrays_that_stay_on_disk(tmp_path, rows, monkeypatch, options):
    """They are read a block at a time, and the answer is the same."""
    np.save(tmp_path / "data.npy", rows)
    arguments = ["cluster", str(tmp_path / "data.npy"), *options, "--out"]
    assert main([*arguments, str(tmp_path / "whole")]) == 0
    monkeypatch.setattr(array_file, "LARGE", 0)
    assert main([*arguments, str(tmp_path / "mapped")]) == 0
    for name in ("labels.csv", "memberships.csv", "centroids.csv", "path.json"):
        whole, mapped = (tmp_path / kind / name for kind in ("whole", "mapped"))
        assert whole.read_bytes() == mapped.read_bytes()


def test_columns_and_identifiers(tmp_path, rows, found):
    """Words beside the numbers: named once, and they are in the answer."""
    file = tmp_path / "data.csv"
    lines = [f'"no, {i}",{b},{9 - i},{a}' for i, (a, b) in enumerate(rows.tolist())]
    file.write_text("\n".join(["name,width,rank,length", *lines]), encoding="utf-8")
    options = ["--columns", "length, width", "--id", "name"]
    assert main(["cluster", str(file), *options]) == 0
    labels = read_columns(tmp_path / "data.clusters" / "labels.csv")
    assert labels["id"] == [f"no, {i}" for i in range(300)]
    np.testing.assert_array_equal(numbers(labels, "label")[:, 0], found.labels_)
    memberships = read_columns(tmp_path / "data.clusters" / "memberships.csv")
    assert memberships["id"] == labels["id"]
    centroids = read_columns(tmp_path / "data.clusters" / "centroids.csv")
    assert list(centroids) == ["cluster", "length", "width"]


def test_many_memberships_are_shortened_and_it_is_said(tmp_path, capsys, rows, monkeypatch):
    monkeypatch.setattr(output, "MANY", 300 * 20 - 1)
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--n-clusters", "20", "--membership", "fcm"]) == 0
    assert "the 3 largest memberships of each row" in capsys.readouterr().out
    columns = read_columns(tmp_path / "data.clusters" / "memberships.csv")
    assert list(columns) == [f"{kind}_{i}" for i in (1, 2, 3) for kind in KINDS]
    model = CAFHFCM(20, membership="fcm", random_state=0).fit(rows)
    order = np.argsort(-model.memberships_, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(
        numbers(columns, "cluster_1", "cluster_2", "cluster_3"), order
    )
    best = numbers(columns, "membership_1", "membership_2", "membership_3")
    expected = -np.sort(-model.memberships_, axis=1)[:, :3]
    np.testing.assert_allclose(best, expected, rtol=1e-5)


KINDS = ("cluster", "membership")


@pytest.mark.parametrize("number", [1, 8])
def test_given_number_of_clusters(tmp_path, capsys, rows, number):
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--n-clusters", str(number)]) == 0
    model = CAFHFCM(n_clusters=number, random_state=0).fit(rows)
    assert_result(tmp_path / "data.clusters", model)
    assert f": {number} cluster" in capsys.readouterr().out


def test_given_gamma(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--gamma", "0.5"]) == 0
    model = CAFHFCM(gamma=0.5, random_state=0).fit(rows)
    assert model.n_clusters_ != 5  # so that the option shows
    assert_result(tmp_path / "data.clusters", model)
    assert "gamma = 0.5)" in capsys.readouterr().out


def test_given_fuzzifier_seed_threads_and_representatives(tmp_path, rows):
    file = write_table(tmp_path / "data.csv", rows)
    options = ["--fuzzifier", "1.5", "--seed", "3", "--jobs", "1", "--n-clusters", "20"]
    options += ["--representatives", "150", "--membership", "fcm"]
    assert main(["cluster", str(file), *options]) == 0
    chosen = {"fuzzifier": 1.5, "random_state": 3, "representatives": 150, "membership": "fcm"}
    assert_result(tmp_path / "data.clusters", CAFHFCM(20, **chosen).fit(rows))


def test_given_kernel(tmp_path, rows):
    file = write_table(tmp_path / "data.csv", rows)
    options = ["--membership", "kernel", "--bandwidth", "2.5", "--fuzzifier", "auto"]
    assert main(["cluster", str(file), "--n-clusters", "5", *options]) == 0
    chosen = {"membership": "kernel", "bandwidth": 2.5, "fuzzifier": "auto"}
    assert_result(tmp_path / "data.clusters", CAFHFCM(5, random_state=0, **chosen).fit(rows))


def test_given_rule(tmp_path, capsys, iris):
    file = write_table(tmp_path / "data.csv", iris)
    options = ["--rule", "partition-coefficient", "--representatives", "none"]
    assert main(["cluster", str(file), *options]) == 0
    model = CAFHFCM(selection="partition-coefficient", random_state=0).fit(iris)
    assert_result(tmp_path / "data.clusters", model)
    assert (
        f"score  weakest separation  gamma\n  -> {model.n_clusters_:15d}"
        in capsys.readouterr().out
    )


def test_the_input_is_not_changed(tmp_path, rows):
    file = write_table(tmp_path / "data.csv", rows)
    before = file.read_bytes()
    assert main(["cluster", str(file)]) == 0
    assert file.read_bytes() == before


@pytest.mark.filterwarnings("default")  # the command shows warnings in its own way
def test_a_single_row_is_clustered_with_a_readable_warning(tmp_path, capsys):
    file = tmp_path / "data.csv"
    file.write_text("1,2\n", encoding="utf-8")
    assert main(["cluster", str(file)]) == 0
    printed = capsys.readouterr()
    assert "1 row, 2 features: 1 cluster " in printed.out
    assert printed.err.startswith("fastcaf: warning: X has only one distinct row")


# Pictures


def test_pictures_are_written(tmp_path, capsys, rows):
    file, png, page = (tmp_path / name for name in ("data.csv", "a.png", "a.html"))
    write_table(file, rows, header=["length", "width"])
    assert main(["cluster", str(file), "--plot", str(png), "--html", str(page)]) == 0
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "300 rows, 2 features: 5 clusters" in page.read_text(encoding="utf-8")
    assert "length" in page.read_text(encoding="utf-8")
    printed = capsys.readouterr()
    assert f"written: {png}\n  written: {page}" in printed.out
    assert printed.err == ""


def test_a_missing_extra_is_named_before_the_fit(tmp_path, capsys, rows, monkeypatch):
    monkeypatch.setattr("fastcaf.cli.commands.cluster.find_spec", lambda name: None)
    file = write_table(tmp_path / "data.csv", rows)
    err = refused(capsys, main, "cluster", file, "--plot", tmp_path / "a.png")
    assert 'pip install "fastcaf[plot]"' in err
    assert not (tmp_path / "data.clusters").exists()


def test_a_picture_without_a_folder_is_refused_before_the_fit(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    page = tmp_path / "nowhere" / "a.html"
    assert "nowhere" in refused(capsys, main, "cluster", file, "--html", page)


def test_pictures_of_standardised_rows_say_so(tmp_path, rows, monkeypatch):
    """And the rows are scaled once for the fit, once for the files, and not for pictures."""
    file, png, page = (tmp_path / name for name in ("data.csv", "a.png", "a.html"))
    write_table(file, rows, header=["length", "width"])
    seen = []

    def remembered(self, values):
        seen.append(len(values))
        return apply(self, values)

    apply = Preparation.apply
    monkeypatch.setattr(Preparation, "apply", remembered)
    options = ["--standardize", "--plot", str(png), "--html", str(page)]
    assert main(["cluster", str(file), *options]) == 0
    assert "length (standardised)" in page.read_text(encoding="utf-8")
    assert seen == [300, 300]


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--plot", "a.picture", "a.picture: the ending must be one of"),
        ("--plot", "a", "a: the ending must be one of"),
        ("--plot", ".", "--plot names a file to write"),
        ("--html", ".", "--html names a file to write"),
    ],
    ids=["ending", "no ending", "folder", "page"],
)
def test_pictures_that_cannot_be_are_refused_before_the_fit(
    tmp_path, capsys, rows, monkeypatch, option, name, message
):
    monkeypatch.setattr(CAFHFCM, "fit", None)
    file = write_table(tmp_path / "data.csv", rows)
    assert message in refused(capsys, main, "cluster", file, option, tmp_path / name)


def test_an_interrupted_picture_leaves_the_results(tmp_path, capsys, rows, monkeypatch):
    monkeypatch.setattr(CAFHFCM, "explore", stopped)
    file, page = write_table(tmp_path / "data.csv", rows), tmp_path / "a.html"
    assert main(["cluster", str(file), "--html", str(page)]) == 3
    printed = capsys.readouterr()
    assert f"the results are in {tmp_path / 'data.clusters'}" in printed.err
    assert (tmp_path / "data.clusters" / "model.fcaf").exists()
    assert str(page) not in printed.out


def stopped(*arguments):
    raise KeyboardInterrupt


# The folder


def test_an_interrupted_writer_leaves_all_as_it_was(tmp_path, capsys, rows, monkeypatch):
    monkeypatch.setattr(CAFHFCM, "save", stopped)  # the last file of the folder
    file, new, old = (tmp_path / name for name in ("data.csv", "deep/new", "old"))
    write_table(file, rows)
    old.mkdir()
    kept = {"labels.csv": "of another fit", ".fastcaf": "a file of the user"}
    for name, content in kept.items():
        (old / name).write_text(content, encoding="utf-8")
    for folder in (new, old):
        assert main(["cluster", str(file), "--out", str(folder)]) == 130
        assert "no result is written" in capsys.readouterr().err
    assert not (tmp_path / "deep").exists()
    assert {path.name: path.read_text(encoding="utf-8") for path in old.iterdir()} == kept


def test_other_files_of_the_folder_are_left_alone(tmp_path, rows, found):
    file, folder = write_table(tmp_path / "data.csv", rows), tmp_path / "answer"
    folder.mkdir()
    for name in (".fastcaf", "notes.txt", "labels.csv"):
        (folder / name).write_text("mine", encoding="utf-8")
    assert main(["cluster", str(file), "--out", str(folder)]) == 0
    assert_result(folder, found)
    for name in (".fastcaf", "notes.txt"):
        assert (folder / name).read_text(encoding="utf-8") == "mine"
    assert len(list(folder.iterdir())) == 10  # eight of ours, and no leftovers


# What it refuses


def test_parameters_that_the_estimator_refuses(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    for options, message in [
        (["--n-clusters", 99], "n_clusters=99 is above the 34"),
        (["--fuzzifier", 1], "fuzzifier must be above 1.0, got 1.0"),
        (["--bandwidth", 0], "bandwidth must be above 0.0, got 0.0"),
        (["--jobs", 0], "n_jobs must not be 0"),
        (["--gamma=-1"], "gamma must be at least 0.0, got -1.0"),
        (["--representatives", 0], "representatives must be at least 1, got 0"),
    ]:
        assert message in refused(capsys, main, "cluster", file, *options)


def test_output_that_cannot_be_written(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert "cannot write" in refused(capsys, main, "cluster", file, "--out", file / "below")
    assert "names a folder" in refused(capsys, main, "cluster", file, "--out", "four.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["dance"], "dance"),
        (["cluster"], "file"),
        (["cluster", "x.csv", "--n-clusters", "2.5"], "invalid int value: '2.5'"),
        (["cluster", "x.csv", "--n-clusters", "2", "--gamma", "1"], "not allowed with"),
        (["cluster", "x.csv", "--rule", "guess"], "'guess'"),
        (["cluster", "x.csv", "--representatives", "few"], "'few'"),
    ],
    ids=["nothing", "unknown command", "no file", "no int", "both", "rule", "representatives"],
)
def test_wrong_usage_exits_with_2(capsys, arguments, message):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_unexpected_errors_are_short_unless_asked_for(tmp_path, capsys, rows, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("the moon\nis full")

    monkeypatch.setattr(CAFHFCM, "fit", broken)
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file)]) == 1
    err = capsys.readouterr().err
    assert re.fullmatch(
        r"fastcaf: unexpected RuntimeError: the moon is full .*--debug.*\n", err
    )
    for arguments in (["--debug", "cluster", str(file)], ["cluster", str(file), "--debug"]):
        with pytest.raises(RuntimeError):
            main(arguments)


# As a program


def run(*arguments, **options):
    command = [sys.executable, "-m", "fastcaf", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


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


def test_tables_come_through_pipes_as_well(tmp_path):
    """A file that is opened several times loses what the first reader took."""
    rows = np.random.default_rng(0).normal(size=(1000, 2))
    content = write_table(tmp_path / "data.csv", rows).read_text(encoding="utf-8")
    root = str(Path(__file__).parent.parent)
    options = ["--n-clusters", "2", "--membership", "fcm"]
    done = run(
        "cluster", "-", *options, input=content, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1,000 rows, 2 features: 2 clusters" in done.stdout
    assert len(read_columns(tmp_path / "piped.clusters" / "labels.csv")["label"]) == 1000


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    """As in ``fastcaf doctor | head -1``: the pipe is closed before anything is written."""
    program = (
        "import sys, time\n"
        "from fastcaf.cli.commands.errors import exit_code_of\n"
        "sys.stdin.read()\n"
        "sys.exit(exit_code_of(lambda: print('x' * 100_000) or 0, debug=False))\n"
    )
    command = [sys.executable, "-c", program]
    streams = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    with subprocess.Popen(command, **streams) as process:
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_the_entry_point_is_where_the_package_says():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert f'fastcaf = "{main.__module__.removesuffix(".main")}:{main.__name__}"' in text


def test_means_are_told_in_the_units_of_the_table(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows * [1.0, 1000.0], header=["length", "width"])
    assert main(["cluster", str(file), "--standardize"]) == 0
    printed = capsys.readouterr().out
    told = re.findall(r"^ +(\d+) +(\S+) +(\S+)$", printed.split("means ")[1], re.MULTILINE)
    labels = np.array(
        [int(one) for one in read_columns(tmp_path / "data.clusters" / "labels.csv")["label"]]
    )
    assert len(told) == 5
    for label, length, width in told:
        mean = (rows * [1.0, 1000.0])[labels == int(label)].mean(axis=0)
        np.testing.assert_allclose([float(length), float(width)], mean, rtol=0.02, atol=30)


def test_shapes_are_told_and_kept(tmp_path, capsys, rows):
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "Clusters round, of equal spread." in printed
    assert "score  likelihood  valley  shape (path)" in printed
    told = json.loads((tmp_path / "data.clusters" / "summary.json").read_text("utf-8"))
    assert told["shape"] == "Clusters round, of equal spread."
    assert told["covariance_type"] == "tied spherical"
    paths = json.loads((tmp_path / "data.clusters" / "path.json").read_text("utf-8"))["paths"]
    assert paths["entropy"]["gamma_is"] == "gamma"
    assert paths["full"]["gamma_is"] == "likelihood lost by merging (nats)"


def test_gaussian_memberships_have_a_covariance_type(tmp_path, rows):
    file = write_table(tmp_path / "data.csv", rows)
    options = ["--membership", "gaussian", "--covariance-type", "spherical"]
    assert main(["cluster", str(file), *options]) == 0
    model = CAFHFCM(membership="gaussian", covariance_type="spherical", random_state=0)
    found = read_columns(tmp_path / "data.clusters" / "labels.csv")
    np.testing.assert_array_equal(numbers(found, "label")[:, 0], model.fit(rows).labels_)


def test_the_memberships_and_rules_are_those_of_the_estimator():
    options = _parser().parse_args(["cluster", "x.csv"])
    assert (options.membership, options.covariance_type, options.rule) == (
        "auto",
        "full",
        "auto",
    )
    for name in MEMBERSHIPS:
        given = _parser().parse_args(["cluster", "x.csv", "--membership", name])
        assert given.membership == name
