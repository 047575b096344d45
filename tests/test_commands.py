"""The other commands: predict, tree, demo, doctor, warm-up."""

import io
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tables_on_disk import assert_result, numbers, read_columns, refused, write_table

import fastcaf
from fastcaf import CAFHFCM
from fastcaf.cli.commands import doctor, kernel_cache, main
from fastcaf.fusion.polish import INTERRUPTED

NAMES = ["length", "width"]
# Where the columns keep their different units: no word about shapes and valleys.
DISTANCES = ["--rule", "persistence"]


@pytest.fixture(scope="module")
def rows(blobs):
    """Columns of different units, as a CSV file holds them exactly."""
    return (blobs[0] * [1.0, 1000.0]).round(4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, rows):
    """What ``fastcaf cluster --standardize`` wrote about a table with names."""
    place = tmp_path_factory.mktemp("fit")
    file = write_table(place / "data.csv", rows, header=NAMES)
    assert main(["cluster", str(file), "--standardize"]) == 0
    return place / "data.clusters"


@pytest.fixture(scope="module")
def labels(folder):
    return numbers(read_columns(folder / "labels.csv"), "label", "membership")


# predict


def test_the_rows_of_the_fit_get_the_labels_of_the_fit(tmp_path, capsys, rows, folder):
    file = write_table(tmp_path / "new.csv", rows, header=NAMES)
    assert main(["predict", str(folder), str(file)]) == 0
    out = tmp_path / "new.predicted"
    assert sorted(path.name for path in out.iterdir()) == ["labels.csv", "memberships.csv"]
    for name in ("labels.csv", "memberships.csv"):
        assert (out / name).read_bytes() == (folder / name).read_bytes()
    printed = capsys.readouterr().out
    assert "300 rows, 5 clusters" in printed
    assert f"written: {out}" in printed


def test_columns_are_found_by_name_among_others(tmp_path, rows, folder, labels):
    file = tmp_path / "new.csv"
    lines = [f"n{i},{b!r},?,{a!r}" for i, (a, b) in enumerate(rows[:20].tolist())]
    file.write_text("\n".join(["name,width,remark,length", *lines]), encoding="utf-8")
    out = tmp_path / "answer"
    assert main(["predict", str(folder), str(file), "--id", "name", "--out", str(out)]) == 0
    written = read_columns(out / "labels.csv")
    assert written["id"] == [f"n{i}" for i in range(20)]
    np.testing.assert_array_equal(numbers(written, "label", "membership"), labels[:20])


@pytest.mark.parametrize("ending", ["csv", "npy"])
def test_columns_without_names_are_taken_in_order(tmp_path, rows, folder, labels, ending):
    file = tmp_path / f"new.{ending}"
    np.save(file, rows) if ending == "npy" else write_table(file, rows)
    assert main(["predict", str(folder / "model.fcaf"), str(file)]) == 0
    written = read_columns(tmp_path / "new.predicted" / "labels.csv")
    np.testing.assert_array_equal(numbers(written, "label", "membership"), labels)


def test_numbers_of_columns_are_remembered(tmp_path, rows):
    """Without names, a file as wide as that of the fit has its columns in the same places."""
    wide = np.column_stack([np.arange(300.0), rows])
    file = write_table(tmp_path / "data.csv", wide)
    assert main(["cluster", str(file), "--columns", "3,2", *DISTANCES]) == 0
    clusters, out = tmp_path / "data.clusters", tmp_path / "data.predicted"
    assert main(["predict", str(clusters), str(file)]) == 0
    assert (out / "labels.csv").read_bytes() == (clusters / "labels.csv").read_bytes()
    narrow = write_table(tmp_path / "data.csv", rows[:, ::-1])
    assert main(["predict", str(clusters), str(narrow)]) == 0
    assert (out / "labels.csv").read_bytes() == (clusters / "labels.csv").read_bytes()


def test_all_columns_in_another_order_are_remembered(tmp_path, rows):
    """The file of the fit itself: its columns are as many as the model has, but swapped."""
    file = write_table(tmp_path / "data.csv", rows)
    assert main(["cluster", str(file), "--columns", "2,1", *DISTANCES]) == 0
    clusters, out = tmp_path / "data.clusters", tmp_path / "data.predicted"
    assert main(["predict", str(clusters), str(file)]) == 0
    assert (out / "labels.csv").read_bytes() == (clusters / "labels.csv").read_bytes()
    # Names of rows where the fit had numbers: the other columns are meant.
    named = tmp_path / "named.csv"
    lines = [f"{b!r},n{i}" for i, (_, b) in enumerate(rows.tolist())]
    named.write_text("\n".join(lines), encoding="utf-8")
    one = tmp_path / "one"
    assert main(["cluster", str(file), "--columns", "2", "--out", str(one)]) == 0
    assert main(["predict", str(one), str(named), "--id", "2"]) == 0
    expected = numbers(read_columns(one / "labels.csv"), "label")
    written = read_columns(tmp_path / "named.predicted" / "labels.csv")
    np.testing.assert_array_equal(numbers(written, "label"), expected)


@pytest.mark.parametrize("header", [None, NAMES], ids=["bare", "header"])
def test_a_standardised_model_is_of_no_use_without_its_scaling(tmp_path, capsys, rows, header):
    file = write_table(tmp_path / "data.csv", rows, header=header)
    assert main(["cluster", str(file), "--standardize"]) == 0
    capsys.readouterr()
    clusters = tmp_path / "data.clusters"
    for name in ("elsewhere/model.fcaf", "data.clusters/renamed.fcaf"):
        alone = tmp_path / name
        alone.parent.mkdir(exist_ok=True)
        alone.write_bytes((clusters / "model.fcaf").read_bytes())
        err = refused(capsys, main, "predict", alone, file)
        assert "was fitted to standardised rows" in err
        assert "preparation.json" in err
    assert main(["predict", str(clusters / "model.fcaf"), str(file)]) == 0
    model = fastcaf.load(clusters / "model.fcaf")
    with pytest.raises(ValueError, match="standardised"):
        model.predict(pd.DataFrame(rows, columns=NAMES))


def test_a_model_saved_from_python(tmp_path, rows):
    frame = pd.DataFrame(rows, columns=NAMES)
    model = CAFHFCM(random_state=0, selection="persistence").fit(frame)
    model.save(tmp_path / "mine.fcaf")
    expected = model.memberships_
    file = write_table(tmp_path / "new.csv", rows[:, ::-1], header=NAMES[::-1])
    assert main(["predict", str(tmp_path / "mine.fcaf"), str(file)]) == 0
    assert_result(tmp_path / "new.predicted", model, expected)


def test_the_saved_model_knows_its_columns(folder):
    model = fastcaf.load(folder / "model.fcaf")
    assert model.feature_names_in_.tolist() == [f"{name} (standardised)" for name in NAMES]
    assert model.n_clusters_ == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("length,height\n1,2\n", "has no column 'width'; it has length, height"),
        ("1,2,3\n", "has 3 columns; the fit used 2 of 2"),
        ("length,width\n1,x\n", "line 2, column 2 (width): 'x'"),
    ],
    ids=["name", "number", "cell"],
)
def test_tables_that_do_not_fit_the_model(tmp_path, capsys, folder, content, message):
    file = tmp_path / "new.csv"
    file.write_text(content, encoding="utf-8")
    assert message in refused(capsys, main, "predict", folder, file)
    assert not (tmp_path / "new.predicted").exists()


def test_wrong_number_of_chosen_columns(tmp_path, capsys, rows, folder):
    file = write_table(tmp_path / "new.csv", rows, header=NAMES)
    err = refused(capsys, main, "predict", folder, file, "--columns", "width")
    assert "1 column, but the model was fitted to 2" in err


def test_folders_without_a_model(tmp_path, capsys, rows, folder):
    file = write_table(tmp_path / "new.csv", rows, header=NAMES)
    assert "holds no model.fcaf" in refused(capsys, main, "predict", tmp_path, file)
    assert "nowhere" in refused(capsys, main, "predict", tmp_path / "nowhere.fcaf", file)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: "{",
        lambda record: "[]",
        lambda record: json.dumps({**record, "scale": [0.0, 1.0]}),
        lambda record: json.dumps({**record, "mean": [1.0]}),
        lambda record: json.dumps({**record, "width": "wide"}),
    ],
    ids=["cut", "list", "zero", "short", "word"],
)
def test_damaged_preparation(tmp_path, capsys, rows, folder, change):
    file = write_table(tmp_path / "new.csv", rows, header=NAMES)
    record = json.loads((folder / "preparation.json").read_text(encoding="utf-8"))
    (tmp_path / "preparation.json").write_text(change(record), encoding="utf-8")
    (tmp_path / "model.fcaf").write_bytes((folder / "model.fcaf").read_bytes())
    err = refused(capsys, main, "predict", tmp_path, file)
    assert "preparation.json cannot be used" in err


# tree


def leaves(out):
    return [line for line in out.splitlines()[1:] if "gamma" not in line]


def test_the_tree_of_a_table_and_of_its_model_are_the_same(capsys, folder):
    table = str(folder.parent / "data.csv")
    assert main(["tree", table, "--standardize"]) == 0
    of_table = capsys.readouterr().out
    assert main(["tree", str(folder)]) == 0
    assert capsys.readouterr().out == of_table
    model = fastcaf.load(folder / "model.fcaf")
    assert len(leaves(of_table)) == 12
    assert of_table.count(" *") - 1 == model.n_clusters_ == 5  # one star in the heading
    heights = [float(value) for value in re.findall(r"gamma ([\d.e+-]+)", of_table)]
    expected = [merge.gamma for merge in model.path_.merges[-11:]]
    np.testing.assert_allclose(sorted(heights), sorted(expected), rtol=1e-3)


@pytest.mark.parametrize("number", [1, 2, 5, 34, 99])
def test_as_many_clusters_as_asked_for(capsys, folder, number):
    assert main(["tree", str(folder), "--levels", str(number)]) == 0
    out = capsys.readouterr().out
    shown = min(number, 34)
    assert len(leaves(out)) == shown
    assert len(out.splitlines()) == 2 * shown
    sizes = [int(re.search(r"(\d+) rows", line)[1]) for line in leaves(out)]
    assert sum(sizes) == pytest.approx(300, abs=shown / 2)


def test_the_tree_can_be_printed_where_there_are_few_characters(folder, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["tree", str(folder)]) == 0
    assert b"|- " in stream.buffer.getvalue()


def test_a_tree_has_leaves(capsys, folder):
    assert "--levels must be at least 1, got 0" in refused(
        capsys, main, "tree", folder, "--levels", 0
    )


def test_the_tree_of_whatever_cluster_takes(tmp_path, capsys, folder):
    """A table is told from a model by what is in it, not by the ending of its name."""
    content = (folder.parent / "data.csv").read_bytes()
    (tmp_path / "iris.data").write_bytes(content)
    assert main(["tree", str(tmp_path / "iris.data"), "--standardize"]) == 0
    of_table = capsys.readouterr().out
    (tmp_path / "model.csv").write_bytes((folder / "model.fcaf").read_bytes())
    assert main(["tree", str(tmp_path / "model.csv")]) == 0
    assert capsys.readouterr().out == of_table
    damaged = tmp_path / "cut.fcaf"
    damaged.write_bytes(b"1,2\n")
    assert "cut.fcaf" in refused(capsys, main, "tree", damaged)
    assert "cannot read" in refused(capsys, main, "tree", tmp_path / "nowhere.data")


@pytest.mark.parametrize("where", ["path", "other path", "representatives"])
def test_interrupted_means_the_same_everywhere(tmp_path, capsys, rows, monkeypatch, where):
    """In the files, in the exit code of the fit, and in that of the tree of its model."""
    fit = CAFHFCM.fit

    def interrupted(self, *arguments):
        fit(self, *arguments)
        if where == "representatives":
            note = INTERRUPTED
            self.representatives_ = replace(self.representatives_, note=note)
        else:
            same = where == "path"
            name = next(one for one in self.paths_ if (one == self.membership_) is same)
            self.paths_[name] = replace(self.paths_[name], interrupted=True)
            self.path_ = self.paths_[self.membership_]
        return self

    monkeypatch.setattr(CAFHFCM, "fit", interrupted)
    file = write_table(tmp_path / "data.csv", rows)
    options = ["--representatives", "100"] if where == "representatives" else DISTANCES
    assert main(["cluster", str(file), *options]) == 3
    text = (tmp_path / "data.clusters" / "summary.json").read_text(encoding="utf-8")
    assert json.loads(text)["interrupted"] is True
    assert main(["tree", str(file), *options]) == 3
    assert main(["tree", str(tmp_path / "data.clusters")]) == 3
    assert "fastcaf: interrupted: the tree rests on" in capsys.readouterr().err


# demo, doctor, warm-up


def test_demo_tells_how_many_clusters_it_found_and_what_is_next(capsys, iris):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    found = CAFHFCM(random_state=0).fit(iris).n_clusters_
    assert re.search(rf"Iris.*\n150 rows, 4 features: {found} clusters", out)
    assert "3,000 rows, 2 features: 12 clusters" in out
    assert "fastcaf cluster data.csv" in out.split("Next:")[1]


def test_compilation_is_announced_where_there_will_be_some(capsys, monkeypatch, tmp_path):
    kernel_cache.announce_compilation()
    assert capsys.readouterr().err == ""  # the demo above has compiled them
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    kernel_cache.announce_compilation(only_on_terminal=True)
    assert capsys.readouterr().err == ""
    kernel_cache.announce_compilation()
    assert "fastcaf: compiling the kernels (once" in capsys.readouterr().err


def test_doctor_finds_all_in_order(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"fastcaf          {fastcaf.__version__}\n" in out
    assert f"numpy            {np.__version__}\n" in out
    assert re.search(r"threads +\d+ \((omp|tbb|workqueue)\)", out)
    assert re.search(r"kernel cache +.* \(writable\)", out)
    assert "kernels cached   yes" in out
    assert out.endswith("all is well\n")


def test_doctor_tells_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor, "cache_folder", lambda: None)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    for extra in ("plot", "progress", "parquet"):
        assert f'no; pip install "fastcaf[{extra}]"' in out
    assert "set NUMBA_CACHE_DIR" in out


def test_doctor_tells_when_fits_fail(capsys, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("no threads")

    monkeypatch.setattr(fastcaf.FuzzyCMeans, "fit", broken)
    assert main(["doctor"]) == 1
    assert "attention: a small fit failed: RuntimeError: no threads" in capsys.readouterr().out


def test_warm_up(capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "fastcaf.cli.commands.warm_up.warm_up", lambda **options: asked.append(options)
    )
    assert main(["warm-up", "--float32"]) == 0
    assert asked == [{"float32": True}]
    assert "kernels are ready" in capsys.readouterr().out
