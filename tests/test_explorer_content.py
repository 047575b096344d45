"""What goes into the explorer's page: levels, colours, rows, and a file that is whole."""

import base64
import hashlib
import json
import re
import warnings
import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from fastcaf import CAFHFCM, EmptyClustersWarning, RowBlocks
from fastcaf.display.colours import cluster_colours
from fastcaf.display.explorer.branches import branch_colours
from fastcaf.display.explorer.content import page_content
from fastcaf.display.explorer.packing import packed
from fastcaf.display.explorer.rows import LABELLED, SHOWN, rows_for_page
from fastcaf.display.explorer.stops import MOST_STOPS, reported_stop, stops_of, thinned


@pytest.fixture(scope="module")
def model(blobs):
    """Two paths of gamma, and a level of one of them as the answer."""
    return CAFHFCM(random_state=0, selection="persistence").fit(blobs[0])


def unpacked(part):
    return np.frombuffer(
        zlib.decompress(base64.b64decode(part["data"])), f"<u{part['bytes']}"
    ).astype(int)


@given(st.lists(st.integers(0, 2**32 - 1)), st.sampled_from([1, 2**8, 2**16, 2**32]))
def test_packed_numbers_come_back(values, below):
    values = np.array(values, dtype=np.int64) % below
    np.testing.assert_array_equal(unpacked(packed(values)), values)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=500), st.data())
def test_few_levels_stay_and_each_number_keeps_one(numbers, data):
    numbers = np.sort(numbers)[::-1]
    wanted = data.draw(st.lists(st.integers(0, len(numbers) - 1), max_size=6))
    kept = thinned(numbers, wanted)
    assert kept == sorted(set(kept))
    assert len(kept) == min(len(numbers), MOST_STOPS)
    assert {0, len(numbers) - 1, *wanted} <= set(kept)
    assert set(numbers[kept]) == set(numbers)


def test_of_too_many_numbers_the_small_ones_stay():
    numbers = np.arange(500, 0, -1)
    kept = numbers[thinned(numbers, [250])]
    assert len(kept) == MOST_STOPS
    assert set(range(1, MOST_STOPS // 2 + 1)) <= set(kept)
    assert {250, 500} <= set(kept)


def test_colours_stay_with_the_largest_part(model):
    for name, path in model.paths_.items():
        stops = stops_of(model, name)
        anchor = stops[len(stops) // 2].level.nodes
        colours = np.array(branch_colours(path, anchor))
        np.testing.assert_array_equal(colours[anchor], np.arange(len(anchor)))
        for level in path.levels:
            assert len(set(colours[level.nodes])) == level.n_clusters
        for before, after in zip(path.levels, path.levels[1:], strict=False):
            assert set(colours[after.nodes]) <= set(colours[before.nodes])
        for i, merge in enumerate(path.merges):
            parts = {colours[merge.first], colours[merge.second]}
            assert colours[len(path.start) + i] in parts


def test_reported_clusters_have_the_colours_of_other_pictures(model):
    content = page_content(model)
    stop = content["paths"][0]["stops"][content["start"]]
    used = [content["palette"][content["paths"][0]["colours"][node]] for node in stop["nodes"]]
    assert used == cluster_colours(model.n_clusters_)


def test_labels_of_every_stop_are_those_of_the_cuts(model):
    (told, *_) = page_content(model)["paths"]
    labels = unpacked(told["labels"]).reshape(300, -1).T
    strengths = unpacked(told["strengths"]).reshape(300, -1).T / told["finest"]
    for i, gamma in enumerate(model.path_.gammas):
        cut = model.cut(gamma=gamma)
        np.testing.assert_array_equal(labels[i], cut.labels)
        np.testing.assert_allclose(strengths[i], cut.memberships.max(axis=1), atol=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_reported_clusters_have_the_numbers_of_labels(seed):
    """Representatives weigh similar clusters a little otherwise than all rows do."""
    grid = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0)), -1).reshape(-1, 2)
    rng = np.random.default_rng(seed)
    rows = np.repeat(grid, 500, axis=0) + 0.12 * rng.standard_normal((8000, 2))
    options = {"membership": "fcm", "representatives": 400, "random_state": seed}
    model = CAFHFCM(16, n_start=40, **options).fit(rows)
    content = page_content(model)
    (told,), start = content["paths"], content["start"]
    labels = unpacked(told["labels"]).reshape(8000, -1)[:, start]
    assert np.mean(labels == model.labels_) > 0.9
    colours = [told["colours"][node] for node in told["stops"][start]["nodes"]]
    assert colours == list(range(16))


def test_a_number_between_levels_has_a_stop_of_its_own(blobs):
    free = CAFHFCM(random_state=0, membership="fcm").fit(blobs[0])
    skipped = set(range(1, 35)) - set(free.path_.n_clusters.tolist())
    seen = 0
    for number in sorted(skipped)[::6]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyClustersWarning)
            model = CAFHFCM(number, random_state=0, membership="fcm").fit(blobs[0])
        if model.n_clusters_ < number:
            continue
        seen += 1
        stops = stops_of(model, "fcm")
        here = stops[reported_stop(model, stops)].level
        np.testing.assert_allclose(here.centroids, model.cluster_centers_, rtol=1e-12)
        assert len(set(here.nodes)) == number
        later = stops[reported_stop(model, stops) + 1].level
        assert later.gamma >= model.gamma_
    assert seen > 0


def test_rows_are_sampled_only_where_there_are_many(model):
    draw = np.random.default_rng(0).normal(size=(LABELLED + 1, 2))
    few, some, many = (rows_for_page(model, draw[:n]) for n in (SHOWN, LABELLED, len(draw)))
    assert len(few.numbers) == len(few.shown) == SHOWN
    assert (len(some.numbers), len(some.shown)) == (LABELLED, SHOWN)
    assert len(many.numbers) == len(many.shown) == SHOWN
    assert some.all_labelled
    assert not many.all_labelled
    for rows in (few, some, many):
        inside = model._inside(draw[rows.numbers])
        np.testing.assert_array_equal(rows.inside, inside)
    blocks = rows_for_page(model, RowBlocks([draw[:5], draw[5:18_000], draw[18_000:]]))
    np.testing.assert_array_equal(blocks.numbers, many.numbers)
    np.testing.assert_array_equal(blocks.inside, many.inside)


def test_memory_maps_are_read_where_they_are_shown(model, tmp_path):
    draw = np.random.default_rng(0).normal(size=(LABELLED + 1, 2))
    np.save(tmp_path / "rows.npy", draw)
    mapped = rows_for_page(model, np.load(tmp_path / "rows.npy", mmap_mode="r"))
    np.testing.assert_array_equal(mapped.inside, rows_for_page(model, draw).inside)


def test_frames_and_lists_are_rows_too(blobs):
    frame = pd.DataFrame(blobs[0], columns=["a", "b"])
    model = CAFHFCM(random_state=0, membership="fcm").fit(frame)
    content = page_content(model, frame)
    assert content["axes"]["names"] == ["a", "b"]
    assert content["paths"] == page_content(model)["paths"]
    nameless = CAFHFCM(random_state=0, membership="fcm").fit(blobs[0])
    assert page_content(nameless, frame)["axes"]["names"] == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        page_content(model, frame.rename(columns={"a": "c"}))


def test_a_failure_leaves_no_file_and_keeps_an_old_one(model, tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")
    with pytest.raises(ValueError, match="2 features"):
        model.explore(target, np.ones((4, 3)))
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(OSError))
        with pytest.raises(OSError):  # noqa: PT011 - the disk's own
            model.explore(target)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [
        ("report.html", "old")
    ]
    assert model.explore(str(target)) == target
    assert "<!doctype html>" in target.read_text(encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_places_that_cannot_be_written_are_named(model, tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist: make"):
        model.explore(tmp_path / "missing" / "report.html")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        model.explore(tmp_path)
    with pytest.raises(NotFittedError):
        CAFHFCM().explore(tmp_path / "report.html")


def test_the_policy_allows_this_page_and_no_connection(model, tmp_path):
    text = model.explore(tmp_path / "report.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(", script)
    assert not re.search(r'(src|href)="(?!data:)', text)
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(data)["headline"].startswith("300 rows")


def test_the_same_fit_gives_the_same_page(model, tmp_path):
    first, second = (model.explore(tmp_path / name) for name in ("a.html", "b.html"))
    assert first.read_bytes() == second.read_bytes()


def thin_clusters():
    rows = np.random.default_rng(0).standard_normal((400, 2)) * [6.0, 0.5]
    rows[200:, 1] += 5.0
    return rows @ np.array([[0.8, 0.6], [-0.6, 0.8]])


@pytest.mark.parametrize("membership", ["auto", "fcm", "gaussian"])
@pytest.mark.parametrize("data", ["thin", "iris", "cloud", "line"])
def test_pages_of_every_kind_of_path(data, membership, tmp_path):
    """The first path holds the reported clusters, with the labels of the fit."""
    rng = np.random.default_rng(0)
    rows = {
        "thin": thin_clusters(),
        "iris": load_iris().data,
        "cloud": rng.standard_normal((200, 2)),
        "line": np.concatenate([rng.standard_normal(50), rng.standard_normal(50) + 8])[:, None],
    }[data]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CAFHFCM(random_state=0, membership=membership).fit(rows)
    told = page_content(model)
    assert told["paths"][0]["name"] == model.membership_
    assert {one["name"] for one in told["paths"]} == set(model.paths_)
    for one in told["paths"]:
        lost = model.paths_[one["name"]].levels[0].by_loss
        assert one["axis"] == ("likelihood lost by merging (nats)" if lost else "gamma")
    first = told["paths"][0]
    labels = unpacked(first["labels"]).reshape(len(rows), -1)[:, told["start"]]
    np.testing.assert_array_equal(labels, model.labels_)
    assert (told["shape"] == "") == (membership == "fcm")
    assert model.explore(tmp_path / "page.html").stat().st_size > 1000
